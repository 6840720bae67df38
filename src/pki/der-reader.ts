import { bytesOf, textOfByteString } from '../base/bytes.ts'
import { type Der, dottedId, tags } from './der.ts'

/** A bit string; its first bit is the highest bit of the first byte. */
interface BitString {
  readonly bytes: Uint8Array
  readonly unused: number
}

/**
 * Reads a structure field by field. The first error is kept as `problem`, and every later read returns an empty value,
 * so that the caller reads all fields and checks `problem` once, at the end.
 */
export class DerReader {
  problem: string | undefined

  fail(problem: string): void {
    this.problem ??= problem
  }

  /** The values within a constructed value. */
  parts(value: Der | undefined, tag: number, name: string): readonly Der[] {
    if (value?.tag === tag) return value.parts
    this.fail(`its field "${name}" is missing or has the wrong type`)
    return []
  }

  /** The content of a primitive value, as a byte string. */
  text(value: Der | undefined, tag: number, name: string): string {
    if (value?.tag === tag) return value.content
    this.fail(`its field "${name}" is missing or has the wrong type`)
    return ''
  }

  bytes(value: Der | undefined, tag: number, name: string): Uint8Array {
    return bytesOf(this.text(value, tag, name))
  }

  objectId(value: Der | undefined, name: string): string {
    const dotted = value === undefined ? undefined : dottedId(value)
    if (dotted === undefined) this.fail(`its field "${name}" is not an object identifier`)
    return dotted ?? ''
  }

  yesOrNo(value: Der | undefined, name: string): boolean {
    const byte = this.text(value, tags.boolean, name)
    if (byte !== '\xff' && byte !== '\x00') this.fail(`its field "${name}" is neither true nor false`)
    return byte === '\xff'
  }

  /** An unsigned number of at most `bytesMax` bytes. */
  unsigned(value: Der | undefined, name: string, bytesMax: number): bigint {
    const content = this.text(value, tags.integer, name)
    const isNegative = content.charCodeAt(0) >= 0x80
    // The encoding takes one byte more if the highest bit of the number is set.
    if (content === '' || isNegative || content.length > bytesMax + (content.charCodeAt(0) === 0 ? 1 : 0)) {
      this.fail(`its field "${name}" is not an unsigned integer of at most ${bytesMax} bytes`)
      return 0n
    }
    let number = 0n
    for (let i = 0; i < content.length; i++) number = number * 256n + BigInt(content.charCodeAt(i))
    return number
  }

  bits(value: Der | undefined, name: string): BitString {
    const content = this.text(value, tags.bits, name)
    const unused = content.charCodeAt(0)
    const last = content.charCodeAt(content.length - 1)
    // An empty bit string has no unused bits, and unused bits are zero. X.690, section 11.2.
    const isRight = content.length === 1 ? unused === 0 : unused <= 7 && (last & ((1 << unused) - 1)) === 0
    if (content === '' || !isRight) this.fail(`its field "${name}" is not a valid bit string`)
    return { bytes: bytesOf(content.slice(1)), unused: isRight ? unused : 0 }
  }

  /**
   * Milliseconds since 1970. RFC 5280, section 4.1.2.5: whole seconds of UTC, two digits of a year for 1950 to 2049.
   */
  timeMs(value: Der | undefined, name: string): number {
    const isShort = value?.tag === tags.utcTime
    const content = this.text(value, isShort ? tags.utcTime : tags.generalizedTime, name)
    const digits = content.endsWith('Z') ? content.slice(0, -1) : ''
    const ms = msOfDigits(isShort ? `${digits < '5' ? '20' : '19'}${digits}` : digits)
    if (ms === undefined) this.fail(`its field "${name}" is not a valid time`)
    return ms ?? 0
  }

  /** The text of a name's attribute: UTF8String, PrintableString, IA5String or T61String; empty for another type. */
  words(value: Der | undefined): string {
    if (value?.tag === tags.utf8Text) return textOfByteString(value.content)
    const isOther = value !== undefined && [0x12, 0x13, 0x14, 0x16].includes(value.tag)
    return isOther ? value.content : ''
  }
}

const daysBefore = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334] as const

/** Milliseconds since 1970 of `YYYYMMDDHHMMSS`; undefined if there is no such moment. */
export function msOfDigits(digits: string): number | undefined {
  if (!/^\d{14}$/.test(digits)) return undefined
  const year = Number(digits.slice(0, 4))
  const [month = 0, day = 0, hour = 0, minute = 0, second = 0] = (digits.slice(4).match(/../g) ?? []).map(Number)
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  const before = daysBefore[month - 1]
  if (before === undefined || hour > 23 || minute > 59 || second > 59) return undefined
  const length = (daysBefore[month] ?? 365) - before + (isLeap && month === 2 ? 1 : 0)
  if (day < 1 || day > length) return undefined
  const past = year - 1
  const leapDays = Math.floor(past / 4) - Math.floor(past / 100) + Math.floor(past / 400)
  const days = 365 * past + leapDays + before + (isLeap && month > 2 ? 1 : 0) + day - 1 - daysTo1970
  return ((days * 24 + hour) * 60 + minute) * 60_000 + second * 1000
}

/** Days from the first day of year 1 to 1970. */
const daysTo1970 = 719_162
