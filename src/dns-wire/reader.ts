import type { CodecReader } from 'dns2'

/** An attempt to read past the end of a message. */
export class Overrun extends Error {}

/** Reads a message for dns2's codec in place, without copies. */
export class MessageReader implements CodecReader {
  readonly buffer: Uint8Array
  offset = 0

  constructor(bytes: Uint8Array) {
    this.buffer = bytes
  }

  get byteOffset(): number {
    return this.offset >>> 3
  }

  remaining(): number {
    return Math.max(0, this.buffer.length * 8 - this.offset)
  }

  read(bits: number): number {
    if (this.offset < 0 || bits > this.remaining()) throw new Overrun('the message ends within a field')
    let value = 0
    let left = bits
    while (left > 0) {
      const byte = this.buffer[this.offset >>> 3] ?? 0
      const within = this.offset & 7
      const taken = Math.min(left, 8 - within)
      const piece = (byte >>> (8 - within - taken)) & ((1 << taken) - 1)
      // Not by shifts: a signed shift cannot hold 32 bits.
      value = value * (1 << taken) + piece
      this.offset += taken
      left -= taken
    }
    return value
  }
}

/** Big-endian; bytes beyond the end count as zero. */
export function uint16(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)
}
