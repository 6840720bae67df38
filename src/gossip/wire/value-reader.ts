import { emptyBytes, textOf } from '../../base/bytes.ts'
import { byteAt } from '../../base/items.ts'
import { frameValuesMax, skippedValuesMax } from './bounds.ts'
import { type Head, headAt } from './value-head.ts'

/** Maximum length of a known key in a map. */
const keyBytesMax = 32

/**
 * Maximum number of fields of a message; those of the field have at most 11. An unknown field costs as much as a known
 * one.
 */
const fieldsMax = 64

/**
 * Reads MessagePack values in order. A value of another type than the requested one, or one that goes beyond the bytes,
 * makes the reader `failed` for good; from then on it answers zero values. So a decoder reads all its fields and checks
 * once at the end, and no method throws. A nil counts as the zero value, as in the field.
 */
export class ValueReader {
  readonly #bytes: Uint8Array
  #at: number
  #failed = false

  constructor(bytes: Uint8Array, from = 0) {
    this.#bytes = bytes
    this.#at = from
  }

  get failed(): boolean {
    return this.#failed
  }

  /** Where the next value begins. */
  get at(): number {
    return this.#at
  }

  fail(): void {
    this.#failed = true
  }

  /**
   * Number of entries of the map that begins here. Each takes at least two bytes, so there are never more than half of
   * the remaining bytes.
   */
  mapHead(): number {
    const head = this.#head()
    if (head === undefined || head.type === 'nil') return 0
    return head.type === 'map' && 2 * head.size <= this.#bytes.length - this.#at ? head.size : this.#wrong(0)
  }

  /** Number of fields of the map that begins here: as `mapHead`, but no message has more than `fieldsMax`. */
  fields(): number {
    const count = this.mapHead()
    return count <= fieldsMax ? count : this.#wrong(0)
  }

  /** Number of items of the array that begins here, never more than the remaining bytes. */
  arrayHead(): number {
    const head = this.#head()
    if (head === undefined || head.type === 'nil') return 0
    return head.type === 'array' && head.size <= this.#bytes.length - this.#at ? head.size : this.#wrong(0)
  }

  /** The name of a field; empty if it is longer than any known one. */
  key(): string {
    const start = this.#rawStart(this.#bytes.length)
    if (start < 0) return ''
    return this.#at - start > keyBytesMax ? '' : this.#textBetween(start, this.#at)
  }

  /** One plain byte, which is not a value. */
  byte(): number {
    const value = this.#failed ? undefined : this.#bytes[this.#at]
    if (value === undefined) return this.#wrong(0)
    this.#at++
    return value
  }

  uint(most: number): number {
    const head = this.#head()
    if (head === undefined || head.type === 'nil') return 0
    return head.type === 'uint' && head.size <= most ? head.size : this.#wrong(0)
  }

  /** A number in any form that it may have on the wire, as long as it is a double or not negative. */
  double(): number {
    const type = this.#failed ? undefined : this.#bytes[this.#at]
    if (type !== 0xca && type !== 0xcb) return this.uint(Number.MAX_SAFE_INTEGER)
    const start = this.#at + 1
    const width = type === 0xcb ? 8 : 4
    this.#at = start
    if (!this.#advance(width)) return 0
    const view = new DataView(this.#bytes.buffer, this.#bytes.byteOffset + start, width)
    return width === 8 ? view.getFloat64(0) : view.getFloat32(0)
  }

  bool(): boolean {
    const head = this.#head()
    if (head === undefined || head.type === 'nil') return false
    return head.type === 'bool' ? head.size === 1 : this.#wrong(false)
  }

  text(bytesMax: number): string {
    const start = this.#rawStart(bytesMax)
    return start < 0 ? '' : this.#textBetween(start, this.#at)
  }

  /** A copy, so that bytes that are kept for long do not keep the packet in memory. */
  raw(bytesMax: number): Uint8Array {
    const start = this.#rawStart(bytesMax)
    return start < 0 || start === this.#at ? emptyBytes : this.#bytes.slice(start, this.#at)
  }

  /** As `raw`, without copying. */
  rawView(bytesMax: number): Uint8Array {
    const start = this.#rawStart(bytesMax)
    return start < 0 ? emptyBytes : this.#bytes.subarray(start, this.#at)
  }

  /**
   * Skips one value, whatever it contains, up to `skippedValuesMax` values. No recursion: only the number of
   * outstanding values is kept.
   */
  skip(): void {
    let left = skippedValuesMax
    for (let owed = 1; owed > 0 && !this.#failed; owed--) {
      const head = this.#head()
      if (head === undefined) return
      if (--left < 0) return this.fail()
      if (head.type === 'map') owed += 2 * head.size
      else if (head.type === 'array') owed += head.size
      else if (head.type === 'raw' || head.type === 'other') this.#advance(head.size)
    }
  }

  /** The head of the next value, which is passed. */
  #head(): Head | undefined {
    if (this.#failed) return undefined
    const head = headAt(this.#bytes, this.#at)
    if (head === undefined) return this.#wrong(undefined)
    this.#at += head.length
    return head
  }

  /**
   * Reads the head of a raw value and returns where its content begins; -1 for nil, for another type, or if it is too
   * long.
   */
  #rawStart(bytesMax: number): number {
    const head = this.#head()
    if (head === undefined || head.type === 'nil') return -1
    if (head.type !== 'raw' || head.size > bytesMax) return this.#wrong(-1)
    const start = this.#at
    return this.#advance(head.size) ? start : -1
  }

  #advance(size: number): boolean {
    if (size > this.#bytes.length - this.#at) return this.#wrong(false)
    this.#at += size
    return true
  }

  #textBetween(start: number, end: number): string {
    const bytes = this.#bytes
    let text = ''
    for (let i = start; i < end; i++) {
      const byte = byteAt(bytes, i)
      if (byte >= 0x80) return textOf(bytes.subarray(start, end))
      text += String.fromCharCode(byte)
    }
    return text
  }

  #wrong<T>(instead: T): T {
    this.#failed = true
    return instead
  }
}

/**
 * Finds where MessagePack values end while their bytes still arrive. It visits each head once, however the bytes are
 * cut: it keeps its position and the number of values still expected.
 */
export class ValueScanner {
  /** The first byte that was not visited yet. */
  at: number
  #owed: number
  #left = frameValuesMax

  constructor(from: number, values: number) {
    this.at = from
    this.#owed = values
  }

  /**
   * `length`: the number of bytes that have arrived; `bytes` may have room for more. `bad`: no value begins with this
   * byte, or there are too many values.
   */
  scan(bytes: Uint8Array, length: number): 'complete' | 'more' | 'bad' {
    const there = length === bytes.length ? bytes : bytes.subarray(0, length)
    while (this.#owed > 0) {
      if (this.at >= length) return 'more'
      if (there[this.at] === 0xc1 || this.#left === 0) return 'bad'
      const head = headAt(there, this.at)
      if (head === undefined) return 'more'
      this.#left--
      this.#owed += head.type === 'map' ? 2 * head.size : head.type === 'array' ? head.size : 0
      this.#owed--
      this.at += head.length + (head.type === 'raw' || head.type === 'other' ? head.size : 0)
    }
    return this.at <= length ? 'complete' : 'more'
  }
}
