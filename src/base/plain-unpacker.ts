import { emptyBytes, textOf } from './bytes.ts'
import { byteAt } from './items.ts'

/** Containers nested deeper are left to the general unpacker, which refuses them. */
const depthMax = 32
/** Maximum length of texts that are looked up among those read before. */
const knownTextBytesMax = 64
/** Number of texts that are remembered, each at a place that its bytes determine. A power of two. */
const knownTexts = 1024

/**
 * Reads the common part of MessagePack: everything but text beyond ASCII, extensions, integers beyond 2^53 and
 * malformed bytes, which it leaves to the general unpacker of `msgpack.ts`. Both give equal values.
 */
export class PlainUnpacker {
  #bytes: Uint8Array = emptyBytes
  #at = 0
  #end = 0
  #failed = false
  readonly #texts: (string | undefined)[] = new Array(knownTexts).fill(undefined)
  readonly #keys: (string | undefined)[] = new Array(knownTexts).fill(undefined)
  readonly #scratch = new DataView(new ArrayBuffer(8))

  /** The value, or `failed` when it is not for this unpacker. */
  unpack(bytes: Uint8Array, failed: symbol): unknown {
    this.#bytes = bytes
    this.#at = 0
    this.#end = bytes.length
    this.#failed = false
    const value = this.#value(0)
    this.#bytes = emptyBytes
    return this.#failed || this.#at !== this.#end ? failed : value
  }

  #value(depth: number): unknown {
    if (this.#at >= this.#end) return this.#fail()
    const head = byteAt(this.#bytes, this.#at++)
    if (head < 0x80) return head
    if (head >= 0xe0) return head - 0x100
    if (head >= 0xa0 && head < 0xc0) return this.#text(head & 31, this.#texts)
    if (head < 0x90) return this.#map(head & 15, depth)
    if (head < 0xa0) return this.#array(head & 15, depth)
    switch (head) {
      case 0xc0:
        return null
      case 0xc2:
        return false
      case 0xc3:
        return true
      case 0xc4:
        return this.#binary(this.#size(1))
      case 0xc5:
        return this.#binary(this.#size(2))
      case 0xc6:
        return this.#binary(this.#size(4))
      case 0xcb:
        return this.#double()
      case 0xcc:
        return this.#size(1)
      case 0xcd:
        return this.#size(2)
      case 0xce:
        return this.#size(4)
      case 0xd3:
        return this.#long()
      case 0xd4:
        // An extension that stands for undefined.
        return this.#size(2) === 0 ? undefined : this.#fail()
      case 0xd9:
        return this.#text(this.#size(1), this.#texts)
      case 0xda:
        return this.#text(this.#size(2), this.#texts)
      case 0xdc:
        return this.#array(this.#size(2), depth)
      case 0xde:
        return this.#map(this.#size(2), depth)
      default:
        return this.#fail()
    }
  }

  #fail(): undefined {
    this.#failed = true
    this.#at = this.#end
    return undefined
  }

  /** Big-endian, unsigned. */
  #size(width: number): number {
    let size = 0
    if (this.#at + width > this.#end) this.#fail()
    else for (let i = 0; i < width; i++) size = size * 256 + byteAt(this.#bytes, this.#at++)
    return size
  }

  #long(): number | undefined {
    if (this.#at + 8 > this.#end) return this.#fail()
    const high = this.#size(4) | 0
    const low = this.#size(4)
    // Beyond 53 bits it is a bigint.
    return high < 0x1f_ffff && high > -0x20_0000 ? high * 0x1_0000_0000 + low : this.#fail()
  }

  #double(): number | undefined {
    if (this.#at + 8 > this.#end) return this.#fail()
    for (let i = 0; i < 8; i++) this.#scratch.setUint8(i, byteAt(this.#bytes, this.#at++))
    return this.#scratch.getFloat64(0)
  }

  #binary(length: number): Uint8Array | undefined {
    const from = this.#at
    if (from + length > this.#end) return this.#fail()
    this.#at += length
    return this.#bytes.subarray(from, from + length)
  }

  #array(count: number, depth: number): unknown[] | undefined {
    if (count > 0 && depth >= depthMax) return this.#fail()
    const values: unknown[] = []
    for (let i = 0; i < count && !this.#failed; i++) values.push(this.#value(depth + 1))
    return values
  }

  #map(count: number, depth: number): object | undefined {
    if (count > 0 && depth >= depthMax) return this.#fail()
    const members: Record<string, unknown> = {}
    for (let i = 0; i < count && !this.#failed; i++) {
      const key = this.#key()
      if (key !== undefined) members[key] = this.#value(depth + 1)
    }
    return members
  }

  #key(): string | undefined {
    const head = this.#at < this.#end ? byteAt(this.#bytes, this.#at++) : 0
    if (head < 0xa0 || head >= 0xc0) return this.#fail()
    const key = this.#text(head & 31, this.#keys)
    // The general unpacker renames this member, so that it sets no prototype.
    return key === '__proto__' ? this.#fail() : key
  }

  #text(length: number, known: (string | undefined)[]): string | undefined {
    const bytes = this.#bytes
    const from = this.#at
    const to = from + length
    if (to > this.#end) return this.#fail()
    let hash = length
    let seen = 0
    for (let at = from; at < to; at++) {
      const byte = byteAt(bytes, at)
      seen |= byte
      hash = (Math.imul(hash, 31) + byte) | 0
    }
    if (seen >= 0x80) return this.#fail()
    this.#at = to
    if (length > knownTextBytesMax) return textOf(bytes.subarray(from, to))
    const place = (hash ^ (hash >>> 11)) & (knownTexts - 1)
    const before = known[place]
    if (before !== undefined && this.#spells(before, from, length)) return before
    const text = this.#made(from, length)
    // Names of members are looked up by identity, and the engine finds its own copy at once.
    known[place] = known === this.#keys ? Object.keys({ [text]: true })[0] : text
    return text
  }

  #spells(text: string, from: number, length: number): boolean {
    if (text.length !== length) return false
    for (let i = 0; i < length; i++) if (text.charCodeAt(i) !== this.#bytes[from + i]) return false
    return true
  }

  #made(from: number, length: number): string {
    const units: number[] = []
    for (let i = 0; i < length; i++) units.push(byteAt(this.#bytes, from + i))
    return String.fromCharCode(...units)
  }
}
