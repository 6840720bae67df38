import { err, ok, type Result } from '../base/result.ts'
import type { SingleType } from './fields.ts'

/** A value of an expression, converted to the type of the field that it is compared with. */
export type Wanted = string | number | bigint | boolean

const truths: ReadonlySet<string> = new Set(['1', 't', 'T', 'TRUE', 'true', 'True'])
const untruths: ReadonlySet<string> = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False'])

/** Whole numbers of the field: decimal, or with a prefix for another base, of which a leading 0 alone is octal. */
const whole = /^([+-]?)(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+|0[0-7]+|0|[1-9][0-9]*)$/
const digitsMax = 70
const leastWhole = -0x8000_0000_0000_0000n
const greatestWhole = 0xffff_ffff_ffff_ffffn

/** Converts the text of a value. The error completes the sentence "… is". */
export function wantedOf(text: string, { kind }: SingleType): Result<Wanted, string> {
  if (kind === 'text') return ok(text)
  if (kind === 'number') return wholeOf(text)
  if (truths.has(text)) return ok(true)
  return untruths.has(text) ? ok(false) : err('not a boolean; use true or false')
}

function wholeOf(text: string): Result<number | bigint, string> {
  const match = text.length > digitsMax ? null : whole.exec(text)
  if (match === null) return err('not a whole number')
  const [, sign = '', digits = ''] = match
  const magnitude = BigInt(/^0[0-7]/.test(digits) ? `0o${digits.slice(1)}` : digits)
  const value = sign === '-' ? -magnitude : magnitude
  if (value < leastWhole || value > greatestWhole) return err('out of range')
  const asNumber = Number(value)
  return ok(Number.isSafeInteger(asNumber) ? asNumber : value)
}

/** Whether two whole numbers are the same, of which each may have either form. */
export function isSame(found: unknown, wanted: Wanted): boolean {
  if (typeof found === 'bigint' && typeof wanted === 'number') return found === BigInt(wanted)
  if (typeof found === 'number' && typeof wanted === 'bigint')
    return Number.isInteger(found) && BigInt(found) === wanted
  return found === wanted
}
