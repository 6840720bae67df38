import { concatBytes, utf8 } from '../base/bytes.ts'
import { invariant } from '../base/invariant.ts'

/** Distinguished Encoding Rules of ASN.1 (ITU-T X.690), as far as certificates need them. */

export function der(tag: number, ...content: readonly Uint8Array[]): Uint8Array {
  const body = concatBytes(content)
  return concatBytes([Uint8Array.of(tag), lengthOf(body.length), body])
}

function lengthOf(length: number): Uint8Array {
  if (length < 0x80) return Uint8Array.of(length)
  const bytes: number[] = []
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256)
  return Uint8Array.of(0x80 | bytes.length, ...bytes)
}

export const sequence = (...content: readonly Uint8Array[]): Uint8Array => der(0x30, ...content)
export const setOf = (...content: readonly Uint8Array[]): Uint8Array => der(0x31, ...content)
export const octets = (bytes: Uint8Array): Uint8Array => der(0x04, bytes)
export const utf8Text = (text: string): Uint8Array => der(0x0c, utf8(text))
export const yes = der(0x01, Uint8Array.of(0xff))

/** An unsigned number, the highest byte first. */
export function integer(bytes: Uint8Array): Uint8Array {
  let from = 0
  while (from < bytes.length - 1 && bytes[from] === 0) from++
  const digits = bytes.subarray(from)
  return (digits[0] ?? 0) >= 0x80 ? der(0x02, Uint8Array.of(0), digits) : der(0x02, digits)
}

/** `unused`: bits at the end of the last byte that do not count. */
export const bits = (bytes: Uint8Array, unused = 0): Uint8Array => der(0x03, Uint8Array.of(unused), bytes)

/** Context-specific: `constructed` holds further values, else bytes. */
export function tagged(number: number, content: Uint8Array, constructed: boolean): Uint8Array {
  return der((constructed ? 0xa0 : 0x80) | number, content)
}

/** `2.5.4.3`. */
export function objectId(dotted: string): Uint8Array {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  const bytes = [first * 40 + second]
  for (const arc of rest) {
    const septets = [arc % 128]
    for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128)) septets.unshift(0x80 | (left % 128))
    bytes.push(...septets)
  }
  return der(0x06, Uint8Array.from(bytes))
}

/** `2026-11-21T03:19:40Z`: two digits of the year until 2049, four from then on. RFC 5280, section 4.1.2.5. */
export function time(utc: string): Uint8Array {
  const digits = utc.replace(/[-:T]/g, '')
  return utc < '2050' ? der(0x17, utf8(digits.slice(2))) : der(0x18, utf8(digits))
}

/** One value within bytes: where its content begins and where it ends. */
export interface DerValue {
  readonly tag: number
  readonly at: number
  readonly from: number
  readonly to: number
}

/** The values from `at` to `to`, one behind the other; undefined where that is no DER. */
export function readDer(bytes: Uint8Array, at = 0, to = bytes.length): readonly DerValue[] | undefined {
  const values: DerValue[] = []
  for (let next = at; next < to; ) {
    const value = valueAt(bytes, next, to)
    if (value === undefined) return undefined
    values.push(value)
    next = value.to
  }
  return values
}

function valueAt(bytes: Uint8Array, at: number, end: number): DerValue | undefined {
  const [tag, first] = [bytes[at], bytes[at + 1]]
  if (tag === undefined || first === undefined || (tag & 0x1f) === 0x1f) return undefined
  const digits = first < 0x80 ? 0 : first & 0x7f
  if (first === 0x80 || digits > 4) return undefined
  let length = digits === 0 ? first : 0
  for (let i = 0; i < digits; i++) length = length * 256 + (bytes[at + 2 + i] ?? 0)
  const from = at + 2 + digits
  if (from + length > end) return undefined
  invariant(from <= end, 'content begins within the bytes')
  return { tag, at, from, to: from + length }
}
