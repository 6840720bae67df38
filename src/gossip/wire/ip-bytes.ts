import { invariant } from '../../base/invariant.ts'
import { byteAt } from '../../base/items.ts'
import type { GossipAddress } from '../core/messages.ts'
import type { ValueReader } from './value-reader.ts'

/**
 * The 4 or 16 bytes of an IP address in text; undefined for any other text. An IPv4 address that is mapped into IPv6
 * counts as IPv4.
 */
export function ipBytes(host: string): Uint8Array | undefined {
  if (!host.includes(':')) return dottedBytes(host)
  const halves = host.split('::')
  if (halves.length > 2) return undefined
  const head = groupBytes(halves[0] ?? '', halves.length === 1)
  const tail = groupBytes(halves[1] ?? '', true)
  if (head === undefined || tail === undefined) return undefined
  const missing = 16 - head.length - tail.length
  if (halves.length === 1 ? missing !== 0 : missing < 2) return undefined
  const out = new Uint8Array(16)
  out.set(head)
  out.set(tail, 16 - tail.length)
  return isMapped(out) ? out.slice(12) : out
}

export function addressBytes(address: GossipAddress): Uint8Array {
  const bytes = ipBytes(address.host)
  invariant(bytes !== undefined, 'a member gossips at an IP address', { host: address.host })
  return bytes
}

/** The text of an address of 4 or 16 bytes, IPv6 as RFC 5952 has it; undefined for another length. */
export function ipText(bytes: Uint8Array): string | undefined {
  if (bytes.length === 4) return `${bytes[0]}.${bytes[1]}.${bytes[2]}.${bytes[3]}`
  if (bytes.length !== 16) return undefined
  if (isMapped(bytes)) return ipText(bytes.subarray(12))
  const groups: number[] = []
  for (let i = 0; i < 16; i += 2) groups.push((byteAt(bytes, i) << 8) | byteAt(bytes, i + 1))
  const { from, length } = longestZeros(groups)
  if (length < 2) return hexGroups(groups)
  return `${hexGroups(groups.slice(0, from))}::${hexGroups(groups.slice(from + length))}`
}

/**
 * Four numbers below 256 without leading zeros. Written by hand, because each state that is sent parses every member's
 * address.
 */
function dottedBytes(text: string): Uint8Array | undefined {
  const out = new Uint8Array(4)
  let part = 0
  let digits = 0
  let number = 0
  for (let i = 0; i <= text.length; i++) {
    const digit = text.charCodeAt(i) - 0x30
    if (digit >= 0 && digit <= 9) {
      if (digits > 0 && number === 0) return undefined
      number = number * 10 + digit
      digits++
      if (number > 255) return undefined
      continue
    }
    if (digits === 0 || part > 3 || (i < text.length && text[i] !== '.')) return undefined
    out[part++] = number
    digits = 0
    number = 0
  }
  return part === 4 ? out : undefined
}

/** `last`: the address ends here, and may end with four dotted numbers. */
function groupBytes(text: string, last: boolean): number[] | undefined {
  if (text === '') return []
  const out: number[] = []
  const groups = text.split(':')
  for (const [at, group] of groups.entries()) {
    const dotted = last && at === groups.length - 1 ? dottedBytes(group) : undefined
    if (dotted !== undefined) out.push(...dotted)
    else if (!/^[0-9a-fA-F]{1,4}$/.test(group)) return undefined
    else out.push(Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255)
  }
  return out
}

function isMapped(bytes: Uint8Array): boolean {
  for (let i = 0; i < 10; i++) if (bytes[i] !== 0) return false
  return bytes[10] === 0xff && bytes[11] === 0xff
}

function hexGroups(groups: readonly number[]): string {
  return groups.map((group) => group.toString(16)).join(':')
}

/** The first of the longest runs of zeros. */
function longestZeros(groups: readonly number[]): { readonly from: number; readonly length: number } {
  let best = { from: 0, length: 0 }
  for (let from = 0; from < groups.length; from++) {
    let length = 0
    while (groups[from + length] === 0) length++
    if (length > best.length) best = { from, length }
  }
  return best
}

/** The address whose bytes begin at the reader, as text; empty if there is none. */
export function readHost(from: ValueReader): string {
  return ipText(from.rawView(16)) ?? ''
}

export function addressFrom(host: string, port: number): GossipAddress | undefined {
  return host === '' || port === 0 ? undefined : { host, port }
}
