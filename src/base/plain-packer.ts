import { SpelledBytes } from './bytes.ts'
import { isList, isRecord } from './shape.ts'

/** Size of one buffer in bytes. A value that does not fit into a fresh one is left to the general packer. */
const bufferBytes = 16 << 10
/** Begins a fresh buffer when less than this is left. */
const roomBytesMin = 2 << 10
/** Maximum size of a header, which contains a size or a number. */
const headBytesMax = 9
/** Containers nested more deeply are left to the general packer. */
const depthMax = 32

/**
 * Packs small plain data: null, booleans, numbers, ASCII text, bytes, arrays, plain objects and maps of names, in
 * exactly the bytes that the general packer of `msgpack.ts` writes. Anything else is left to that. It fills one buffer
 * after another and never goes back, so what it returns may be kept.
 */
export class PlainPacker {
  #buffer = new Uint8Array(bufferBytes)
  #view = new DataView(this.#buffer.buffer)
  #at = 0

  /**
   * `undefined`: not for this packer. `room`: number of bytes before the value that are left for the caller to write.
   */
  pack(value: unknown, room: number): Uint8Array | undefined {
    if (bufferBytes - this.#at < roomBytesMin) {
      this.#buffer = new Uint8Array(bufferBytes)
      this.#view = new DataView(this.#buffer.buffer)
      this.#at = 0
    }
    const start = this.#at
    this.#at += room
    if (!this.#value(value, 0)) {
      this.#at = start
      return undefined
    }
    return new Uint8Array(this.#buffer.buffer, start, this.#at - start)
  }

  /** False: not for this packer. Each case checks the room before it writes. */
  #value(value: unknown, depth: number): boolean {
    if (typeof value === 'string') return this.#text(value)
    if (typeof value === 'number') return this.#number(value)
    if (this.#at + headBytesMax > bufferBytes) return false
    if (value === null) this.#buffer[this.#at++] = 0xc0
    else if (value === true) this.#buffer[this.#at++] = 0xc3
    else if (value === false) this.#buffer[this.#at++] = 0xc2
    else if (isList(value)) return this.#array(value, depth)
    else if (isRecord(value)) return this.#object(value, depth)
    else if (typeof value === 'bigint') return this.#bigint(value)
    else if (value === undefined) {
      this.#byte3(0xd4, 0, 0)
    } else return false
    return true
  }

  #object(value: Readonly<Record<string, unknown>>, depth: number): boolean {
    if (depth >= depthMax) return false
    const prototype = Object.getPrototypeOf(value)
    if (prototype !== Object.prototype) return this.#instance(value, prototype, depth)
    const keys = Object.keys(value)
    if (keys.length >= 0x10) return false
    this.#buffer[this.#at++] = 0x80 | keys.length
    for (const key of keys) {
      // Members that have a special meaning for the general packer.
      if (key === 'toJSON' || key === 'constructor') return false
      if (!this.#text(key) || !this.#value(value[key], depth + 1)) return false
    }
    return true
  }

  /** Only instances of these classes themselves, not of subclasses. */
  #instance(value: object, prototype: unknown, depth: number): boolean {
    if (value instanceof Uint8Array && prototype === Uint8Array.prototype) return this.#bytes(value)
    if (value instanceof SpelledBytes && prototype === SpelledBytes.prototype) return this.#spelledBytes(value.spelling)
    if (value instanceof Map && prototype === Map.prototype) return this.#map(value, depth)
    return false
  }

  #map(value: ReadonlyMap<unknown, unknown>, depth: number): boolean {
    if (value.size >= 0x10) return false
    this.#buffer[this.#at++] = 0x80 | value.size
    for (const [key, member] of value) {
      if (typeof key !== 'string' || !this.#text(key) || !this.#value(member, depth + 1)) return false
    }
    return true
  }

  #array(value: readonly unknown[], depth: number): boolean {
    const { length } = value
    if (depth >= depthMax || length >= 0x10000 || Object.getPrototypeOf(value) !== Array.prototype) return false
    if (length < 0x10) this.#buffer[this.#at++] = 0x90 | length
    else this.#byte3(0xdc, length >>> 8, length)
    for (let i = 0; i < length; i++) if (!this.#value(value[i], depth + 1)) return false
    return true
  }

  #text(value: string): boolean {
    const { length } = value
    if (length >= 0x10000 || this.#at + length + headBytesMax > bufferBytes) return false
    if (length < 0x20) this.#buffer[this.#at++] = 0xa0 | length
    else if (length < 0x100) this.#byte2(0xd9, length)
    else this.#byte3(0xda, length >>> 8, length)
    const buffer = this.#buffer
    let at = this.#at
    let seen = 0
    for (let i = 0; i < length; i++) {
      const unit = value.charCodeAt(i)
      seen |= unit
      buffer[at++] = unit
    }
    this.#at = at
    return seen < 0x80
  }

  #bytes(value: Uint8Array): boolean {
    const { length } = value
    if (length >= 0x10000 || this.#at + length + headBytesMax > bufferBytes) return false
    if (length < 0x100) this.#byte2(0xc4, length)
    else this.#byte3(0xc5, length >>> 8, length)
    this.#buffer.set(value, this.#at)
    this.#at += length
    return true
  }

  #spelledBytes(spelling: string): boolean {
    const { length } = spelling
    if (length >= 0x10000 || this.#at + length + headBytesMax > bufferBytes) return false
    if (length < 0x100) this.#byte2(0xc4, length)
    else this.#byte3(0xc5, length >>> 8, length)
    const buffer = this.#buffer
    let at = this.#at
    for (let i = 0; i < length; i++) buffer[at++] = spelling.charCodeAt(i)
    this.#at = at
    return true
  }

  #number(value: number): boolean {
    if (this.#at + headBytesMax > bufferBytes) return false
    if (value >>> 0 === value) {
      if (value < 0x80) this.#buffer[this.#at++] = value
      else if (value < 0x100) this.#byte2(0xcc, value)
      else if (value < 0x10000) this.#byte3(0xcd, value >>> 8, value)
      else {
        this.#buffer[this.#at++] = 0xce
        this.#view.setUint32(this.#at, value)
        this.#at += 4
      }
    } else if (value >> 0 === value && value >= -0x20) this.#buffer[this.#at++] = value
    else if (value >> 0 === value) return false
    else {
      this.#buffer[this.#at++] = 0xcb
      this.#view.setFloat64(this.#at, value)
      this.#at += 8
    }
    return true
  }

  #bigint(value: bigint): boolean {
    if (value > 0x7fff_ffff_ffff_ffffn || value < -0x8000_0000_0000_0000n) return false
    this.#buffer[this.#at++] = 0xd3
    this.#view.setBigInt64(this.#at, value)
    this.#at += 8
    return true
  }

  #byte2(a: number, b: number): void {
    this.#buffer[this.#at++] = a
    this.#buffer[this.#at++] = b
  }

  #byte3(a: number, b: number, c: number): void {
    this.#buffer[this.#at++] = a
    this.#buffer[this.#at++] = b
    this.#buffer[this.#at++] = c
  }
}
