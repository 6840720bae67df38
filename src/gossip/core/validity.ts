import { eventNameBytesMax, incarnationMax, lamportMax, nameBytesMax } from './bounds.ts'
import type { GossipAddress, Versions } from './messages.ts'

/** Whether a member may have this name: 1 to `nameBytesMax` bytes of UTF-8. */
export function isName(name: string): boolean {
  if (name.length === 0 || name.length > nameBytesMax) return false
  let bytes = 0
  for (let i = 0; i < name.length; i++) {
    const unit = name.charCodeAt(i)
    // Both halves of a surrogate pair make four bytes together.
    bytes += unit < 0x80 ? 1 : unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 2 : 3
  }
  return bytes <= nameBytesMax
}

/** Whether an event or a query may have this name. */
export function isEventName(name: string): boolean {
  return name.length > 0 && name.length <= eventNameBytesMax
}

/** Text of an IP address with its zone is at most this long. */
const hostLengthMax = 64

export function isAddress({ host, port }: GossipAddress): boolean {
  return host.length > 0 && host.length <= hostLengthMax && Number.isInteger(port) && port > 0 && port < 65_536
}

export function sameAddress(a: GossipAddress, b: GossipAddress): boolean {
  return a.port === b.port && a.host === b.host
}

export function isIncarnation(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= incarnationMax
}

export function isLamport(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= lamportMax
}

export function sameVersions(a: Versions, b: Versions): boolean {
  return (
    a.protocolSpoken === b.protocolSpoken &&
    a.protocolMin === b.protocolMin &&
    a.protocolMax === b.protocolMax &&
    a.delegateSpoken === b.delegateSpoken &&
    a.delegateMin === b.delegateMin &&
    a.delegateMax === b.delegateMax
  )
}

/** Why two members cannot speak with each other, in memberlist's words; undefined when they can. */
export function incompatibility(own: Versions, name: string, other: Versions): string | undefined {
  const protocol = rangeOf(own.protocolMin, own.protocolMax, other.protocolMin, other.protocolMax)
  if (!isWithin(protocol, other.protocolSpoken) || !isWithin(protocol, own.protocolSpoken)) {
    return `Node '${name}' protocol version (${other.protocolSpoken}) is incompatible: [${protocol[0]}, ${protocol[1]}]`
  }
  const delegate = rangeOf(own.delegateMin, own.delegateMax, other.delegateMin, other.delegateMax)
  if (isWithin(delegate, other.delegateSpoken) && isWithin(delegate, own.delegateSpoken)) return undefined
  return `Node '${name}' delegate protocol version (${other.delegateSpoken}) is incompatible: [${delegate[0]}, ${delegate[1]}]`
}

type Range = readonly [least: number, greatest: number]

function rangeOf(minA: number, maxA: number, minB: number, maxB: number): Range {
  return [Math.max(minA, minB), Math.min(maxA, maxB)]
}

function isWithin([least, greatest]: Range, value: number): boolean {
  return value >= least && value <= greatest
}
