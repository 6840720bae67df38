import { byteAt } from './items.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const hexDigits = '0123456789abcdef'
const base64Alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const base64Codes = encoder.encode(base64Alphabet)
const base64Padding = 0x3d

export const emptyBytes: Uint8Array = new Uint8Array(0)

export function utf8(text: string): Uint8Array {
  return encoder.encode(text)
}

/** Decodes UTF-8; each malformed byte becomes U+FFFD, as clients of the field do. */
export function textOf(bytes: Uint8Array): string {
  return decoder.decode(bytes)
}

/** Whether the byte continues a character of UTF-8 that began before it. */
export function isInside(byte: number | undefined): boolean {
  return ((byte ?? 0) & 0xc0) === 0x80
}

/** The beginning of a text that has at most so many bytes in UTF-8, in whole characters. */
export function withinBytes(text: string, bytesMax: number): string {
  const bytes = utf8(text)
  if (bytes.length <= bytesMax) return text
  let end = bytesMax
  while (end > 0 && isInside(bytes[end])) end--
  return textOf(bytes.subarray(0, end))
}

/**
 * Text as one character for each of its UTF-8 bytes. The store keeps keys in this form: `<` on such strings compares
 * bytes, unlike JavaScript's order of UTF-16 units beyond U+FFFF.
 */
export function byteString(text: string): string {
  return beyondAscii.test(text) ? byteStringOf(encoder.encode(text)) : text
}

/** Searching with it takes a quarter of the time of a loop over the characters. */
const beyondAscii = /[\u0080-\uffff]/

export function byteStringOf(bytes: Uint8Array): string {
  // For plain ASCII both ways give the same; this one is ten times as fast.
  if (isAscii(bytes)) return decoder.decode(bytes)
  let out = ''
  for (let at = 0; at < bytes.length; at += argumentsMax) out += spelled(bytes.subarray(at, at + argumentsMax))
  return out
}

/** Maximum number of arguments of a call: far fewer than fit on the stack. */
const argumentsMax = 4096

function spelled(bytes: Uint8Array): string {
  return Reflect.apply(String.fromCharCode, undefined, bytes)
}

function isAscii(bytes: Uint8Array): boolean {
  let seen = 0
  for (let i = 0; i < bytes.length; i++) seen |= byteAt(bytes, i)
  return seen < 0x80
}

/** The bytes of a byte string. */
export function bytesOf(byteText: string): Uint8Array {
  const out = new Uint8Array(byteText.length)
  for (let i = 0; i < byteText.length; i++) out[i] = byteText.charCodeAt(i)
  return out
}

/** The text whose UTF-8 bytes the byte string contains. */
export function textOfByteString(byteText: string): string {
  return beyondAscii.test(byteText) ? decoder.decode(bytesOf(byteText)) : byteText
}

export function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  let length = 0
  for (const part of parts) length += part.length
  const out = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    out.set(part, at)
    at += part.length
  }
  return out
}

export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

/** The one order of strings: by UTF-16 unit, which on byte strings is byte order. Never `localeCompare`. */
export function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}

export function hex(bytes: Uint8Array): string {
  // Into bytes, not on to a string: a text of so many pieces takes twenty times its length while it is kept.
  const out = new Uint8Array(bytes.length * 2)
  let at = 0
  for (const byte of bytes) {
    out[at++] = hexDigits.charCodeAt(byte >> 4)
    out[at++] = hexDigits.charCodeAt(byte & 15)
  }
  return textOf(out)
}

/** Standard base64 with padding (RFC 4648, section 4). */
export function base64(bytes: Uint8Array): string {
  // Into bytes, not on to a string: a string of that many pieces costs forty times its length, and values are large.
  const out = new Uint8Array(Math.ceil(bytes.length / 3) * 4)
  for (let at = 0, to = 0; at < bytes.length; at += 3, to += 4) {
    const left = bytes.length - at
    const word = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0)
    out[to] = base64Codes[word >> 18] ?? 0
    out[to + 1] = base64Codes[(word >> 12) & 63] ?? 0
    out[to + 2] = left > 1 ? (base64Codes[(word >> 6) & 63] ?? 0) : base64Padding
    out[to + 3] = left > 2 ? (base64Codes[word & 63] ?? 0) : base64Padding
  }
  return decoder.decode(out)
}

/** `undefined` when the text is not padded standard base64. */
export function fromBase64(text: string): Uint8Array | undefined {
  if (text.length % 4 !== 0) return undefined
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const out = new Uint8Array((text.length / 4) * 3 - padding)
  let word = 0
  for (let i = 0, at = 0; i < text.length; i++) {
    const digit = i >= text.length - padding ? 0 : base64Alphabet.indexOf(text.charAt(i))
    if (digit < 0) return undefined
    word = (word << 6) | digit
    if (i % 4 !== 3) continue
    for (let shift = 16; shift >= 0 && at < out.length; shift -= 8) out[at++] = (word >> shift) & 255
    word = 0
  }
  return out
}

/**
 * Bytes that are available as a byte string, on their way into MessagePack or a hash, which treat them as the bytes.
 * They are converted when needed; unpacking gives a `Uint8Array`.
 */
export class SpelledBytes {
  readonly spelling: string

  constructor(spelling: string) {
    this.spelling = spelling
  }

  /** The general packer looks for this name to learn what to write. */
  toJSON(): Uint8Array {
    return bytesOf(this.spelling)
  }
}
