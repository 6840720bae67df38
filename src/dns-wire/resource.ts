import type { CodecResource } from 'dns2'
import { utf8 } from '../base/bytes.ts'
import { invariant } from '../base/invariant.ts'
import { ipBytes, ipv6Text } from './ip-address.ts'
import { classInternet, type DnsRecord, type RecordType, typeCodes } from './message.ts'
import { isName } from './names.ts'

const textBytesMax = 255
const dataBytesMax = 65_535

/** Whether a record can be sent: the catalog may contain an invalid name or a number that is too large. */
export function isSendable(record: DnsRecord): boolean {
  if (!isName(record.name)) return false
  switch (record.type) {
    case 'A':
      return ipBytes(record.address)?.length === 4
    case 'AAAA':
      return ipBytes(record.address)?.length === 16
    case 'CNAME':
    case 'NS':
    case 'PTR':
      return isName(record.target)
    case 'SRV':
      return isName(record.target) && [record.priority, record.weight, record.port].every((n) => isUnsigned(n, 16))
    case 'TXT':
      return record.texts.length > 0 && textBytes(record.texts) <= dataBytesMax
    case 'SOA': {
      const { primary, admin, serial, refresh, retry, expire, minimum } = record
      const numbers = [serial, refresh, retry, expire, minimum]
      return isName(primary) && isName(admin) && numbers.every((n) => isUnsigned(n, 32))
    }
  }
}

function textBytes(texts: readonly string[]): number {
  let bytes = 0
  for (const text of texts) {
    // Nearly every text is ASCII, and testing for that is much cheaper than splitting the text.
    if (isAscii(text)) bytes += text.length + Math.max(1, Math.ceil(text.length / textBytesMax))
    else bytes += pieces([text]).reduce((sum, piece) => sum + 1 + utf8(piece).length, 0)
  }
  return bytes
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) >= 0x80) return false
  return true
}

/** Minimum size of a record: its name, and the names in it, are pointers. */
export function leastBytes(record: DnsRecord): number {
  const head = 12
  return record.type === 'TXT' ? head + textBytes(record.texts) : head + 2
}

function isUnsigned(value: number, bits: number): boolean {
  return Number.isInteger(value) && value >= 0 && value < (bits === 16 ? 0x1_0000 : 0x1_0000_0000)
}

/** A record as dns2 takes it. */
export function toResource(record: DnsRecord): CodecResource {
  const head = { name: record.name, type: typeCodes[record.type], class: classInternet, ttl: record.ttl }
  switch (record.type) {
    case 'A':
      return { ...head, address: record.address }
    case 'AAAA': {
      // dns2 misreads an IPv4 tail, so the address is written in groups.
      const bytes = ipBytes(record.address)
      invariant(bytes?.length === 16, 'an AAAA record has an IPv6 address', { address: record.address })
      return { ...head, address: ipv6Text(bytes) }
    }
    case 'CNAME':
    case 'PTR':
      return { ...head, domain: record.target }
    case 'NS':
      return { ...head, ns: record.target }
    case 'SRV':
      return { ...head, priority: record.priority, weight: record.weight, port: record.port, target: record.target }
    case 'TXT':
      return { ...head, data: pieces(record.texts) }
    case 'SOA': {
      const { primary, admin, serial, refresh, retry, expire, minimum } = record
      return { ...head, primary, admin, serial, refresh, retry, expiration: expire, minimum }
    }
  }
}

/**
 * Splits texts into pieces of at most 255 bytes of UTF-8, between characters, because a piece has one byte for its
 * length.
 */
function pieces(texts: readonly string[]): string[] {
  const out: string[] = []
  for (const text of texts) {
    if (isAscii(text)) {
      for (let at = 0; at === 0 || at < text.length; at += textBytesMax) out.push(text.slice(at, at + textBytesMax))
      continue
    }
    let piece = ''
    let bytes = 0
    for (const character of text) {
      const size = utf8(character).length
      if (bytes + size > textBytesMax) {
        out.push(piece)
        piece = ''
        bytes = 0
      }
      piece += character
      bytes += size
    }
    out.push(piece)
  }
  return out
}

/** Every type of record: one that is missing here does not compile. */
const types: { readonly [Type in RecordType]: Type } = {
  A: 'A',
  AAAA: 'AAAA',
  CNAME: 'CNAME',
  NS: 'NS',
  PTR: 'PTR',
  SRV: 'SRV',
  TXT: 'TXT',
  SOA: 'SOA',
}

const readTypes: ReadonlyMap<number, RecordType> = new Map(Object.values(types).map((type) => [typeCodes[type], type]))

/** Whether records of this type are read at all. */
export function isReadType(code: number): boolean {
  return readTypes.has(code)
}

/** Converts a record from dns2 if its type is supported; undefined otherwise. */
export function fromResource(resource: CodecResource): DnsRecord | undefined {
  const type = readTypes.get(resource.type)
  const { ttl } = resource
  const name = absolute(resource.name)
  switch (type) {
    case 'A':
    case 'AAAA':
      return { name, ttl, type, address: resource.address ?? '' }
    case 'CNAME':
    case 'PTR':
      return { name, ttl, type, target: absolute(resource.domain ?? '') }
    case 'NS':
      return { name, ttl, type, target: absolute(resource.ns ?? '') }
    case 'SRV': {
      const { priority = 0, weight = 0, port = 0, target = '' } = resource
      return { name, ttl, type, priority, weight, port, target: absolute(target) }
    }
    case 'TXT':
      return { name, ttl, type, texts: resource.data ?? [] }
    case 'SOA': {
      const { primary = '', admin = '', serial = 0, refresh = 0, retry = 0, expiration = 0, minimum = 0 } = resource
      const names = { primary: absolute(primary), admin: absolute(admin) }
      return { name, ttl, type, ...names, serial, refresh, retry, expire: expiration, minimum }
    }
    case undefined:
      return undefined
  }
}

function absolute(name: string): string {
  return `${name}.`
}
