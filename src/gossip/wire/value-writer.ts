import { utf8 } from '../../base/bytes.ts'

/**
 * Writes MessagePack as the field's older agents write it: text and bytes are both "raw" (no str8, no bin), integers
 * are unsigned and as short as possible. The caller writes the keys of a map in order of their bytes.
 */
export class ValueWriter {
  #bytes: Uint8Array
  #at = 0

  constructor(bytesExpected = 256) {
    this.#bytes = new Uint8Array(bytesExpected)
  }

  /** A copy of what was written since the last call. */
  take(): Uint8Array {
    const out = this.#bytes.slice(0, this.#at)
    this.#at = 0
    return out
  }

  /** Bytes written since the last `take`. */
  get length(): number {
    return this.#at
  }

  byte(value: number): void {
    this.#reserve(1)
    this.#bytes[this.#at++] = value
  }

  nil(): void {
    this.byte(0xc0)
  }

  bool(value: boolean): void {
    this.byte(value ? 0xc3 : 0xc2)
  }

  /** From 0 to 2^53 - 1. */
  uint(value: number): void {
    if (value < 0x80) this.byte(value)
    else if (value < 0x100) this.#sized(0xcc, value, 1)
    else if (value < 0x10000) this.#sized(0xcd, value, 2)
    else if (value < 0x1_0000_0000) this.#sized(0xce, value, 4)
    else {
      this.#sized(0xcf, Math.floor(value / 0x1_0000_0000), 4)
      this.#digits(value % 0x1_0000_0000, 4)
    }
  }

  double(value: number): void {
    this.byte(0xcb)
    this.#reserve(8)
    new DataView(this.#bytes.buffer, this.#bytes.byteOffset).setFloat64(this.#at, value)
    this.#at += 8
  }

  mapHead(entries: number): void {
    if (entries < 0x10) this.byte(0x80 | entries)
    else if (entries < 0x10000) this.#sized(0xde, entries, 2)
    else this.#sized(0xdf, entries, 4)
  }

  arrayHead(items: number): void {
    if (items < 0x10) this.byte(0x90 | items)
    else if (items < 0x10000) this.#sized(0xdc, items, 2)
    else this.#sized(0xdd, items, 4)
  }

  raw(bytes: Uint8Array): void {
    this.#rawHead(bytes.length)
    this.plain(bytes)
  }

  text(value: string): void {
    if (!isAscii(value)) return this.raw(utf8(value))
    this.#rawHead(value.length)
    this.#reserve(value.length)
    for (let i = 0; i < value.length; i++) this.#bytes[this.#at++] = value.charCodeAt(i)
  }

  /** Bytes without a head. */
  plain(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.#at)
    this.#at += bytes.length
  }

  #rawHead(length: number): void {
    if (length < 0x20) this.byte(0xa0 | length)
    else if (length < 0x10000) this.#sized(0xda, length, 2)
    else this.#sized(0xdb, length, 4)
  }

  #sized(head: number, value: number, width: number): void {
    this.byte(head)
    this.#digits(value, width)
  }

  #digits(value: number, width: number): void {
    this.#reserve(width)
    for (let shift = 8 * (width - 1); shift >= 0; shift -= 8) this.#bytes[this.#at++] = (value >>> shift) & 255
  }

  #reserve(count: number): void {
    if (this.#at + count <= this.#bytes.length) return
    const wider = new Uint8Array(Math.max(this.#at + count, 2 * this.#bytes.length))
    wider.set(this.#bytes)
    this.#bytes = wider
  }
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) >= 0x80) return false
  return true
}

export function textField(to: ValueWriter, key: string, value: string): void {
  to.text(key)
  to.text(value)
}

export function numberField(to: ValueWriter, key: string, value: number): void {
  to.text(key)
  to.uint(value)
}

export function rawField(to: ValueWriter, key: string, value: Uint8Array): void {
  to.text(key)
  to.raw(value)
}

/** Writes bytes; empty ones as nil, as the field encodes an absent slice of bytes. */
export function bytesField(to: ValueWriter, key: string, value: Uint8Array): void {
  to.text(key)
  if (value.length === 0) to.nil()
  else to.raw(value)
}
