import type { CodecWriter } from 'dns2'
import { InvariantViolation } from '../base/invariant.ts'

/** Turns compression off, because dns2 compresses only if it finds a Map. */
const noNames: ReadonlySet<string> = new Set()

/** dns2 folds the case of all of Latin-1, but names are bytes: a name beyond ASCII would become another one. */
class AsciiNames extends Map<string, number> {
  override set(suffix: string, offset: number): this {
    for (let i = 0; i < suffix.length; i++) if (suffix.charCodeAt(i) >= 0x80) return this
    return super.set(suffix, offset)
  }
}

/** Collects what dns2's codec writes in one growing buffer. */
export class MessageWriter implements CodecWriter {
  names: unknown
  #bytes = new Uint8Array(512)
  #bits = 0

  constructor(compress: boolean) {
    this.names = compress ? new AsciiNames() : noNames
  }

  write(value: number, bits: number): void {
    if ((this.#bits & 7) === 0 && (bits & 7) === 0) {
      this.#writeWhole(value, bits)
      return
    }
    if (!Number.isInteger(value) || value < 0 || value >= 1 << bits || bits > 8) refuse(value, bits)
    this.#reserve(bits)
    for (let left = bits; left > 0; ) {
      const at = this.#bits >>> 3
      const free = 8 - (this.#bits & 7)
      const taken = Math.min(left, free)
      const piece = (value >>> (left - taken)) & ((1 << taken) - 1)
      this.#bytes[at] = (this.#bytes[at] ?? 0) | (piece << (free - taken))
      this.#bits += taken
      left -= taken
    }
  }

  /** The common case: whole bytes at a byte boundary. */
  #writeWhole(value: number, bits: number): void {
    if (!Number.isInteger(value) || value < 0 || value >= (bits === 32 ? 0x1_0000_0000 : 1 << bits)) refuse(value, bits)
    this.#reserve(bits)
    let at = this.#bits >>> 3
    for (let shift = bits - 8; shift >= 0; shift -= 8) this.#bytes[at++] = value >>> shift
    this.#bits += bits
  }

  writeBytes(bytes: Uint8Array): void {
    for (const byte of bytes) this.write(byte, 8)
  }

  bitLength(): number {
    return this.#bits
  }

  byteLength(): number {
    return this.#bits >>> 3
  }

  /** For fields at byte boundaries. */
  patch(bitOffset: number, value: number, bits: number): void {
    for (let at = bitOffset >>> 3, left = bits; left > 0; at++, left -= 8) {
      this.#bytes[at] = (value >>> (left - 8)) & 0xff
    }
  }

  /** Does nothing: dns2 calls this after every record, and the bytes are taken once, by `finish`. */
  toBuffer(): undefined {
    return undefined
  }

  finish(): Uint8Array {
    return this.#bytes.subarray(0, this.byteLength())
  }

  #reserve(bits: number): void {
    const needed = (this.#bits + bits + 7) >>> 3
    if (needed <= this.#bytes.length) return
    const grown = new Uint8Array(Math.max(needed, this.#bytes.length * 2))
    grown.set(this.#bytes)
    this.#bytes = grown
  }
}

function refuse(value: number, bits: number): never {
  throw new InvariantViolation('a field of a DNS message is too large for its bits', { value, bits })
}
