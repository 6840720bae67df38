import { err, ok, type Result } from '../../base/result.ts'

const uint64Max = 0xffff_ffff_ffff_ffffn
/** Number of digits of the greatest value. */
const digitsMax = 20

/** Parses decimal digits as an unsigned 64-bit integer. The error is the text that clients of the field know. */
export function parseUint(text: string): Result<bigint, string> {
  if (!/^[0-9]+$/.test(text)) return err(`strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`)
  // Converting digits takes time quadratic in their number.
  const digits = text.length > digitsMax ? text.replace(/^0+(?=.)/, '') : text
  const value = digits.length > digitsMax ? undefined : BigInt(digits)
  if (value === undefined || value > uint64Max)
    return err(`strconv.ParseUint: parsing ${JSON.stringify(text)}: value out of range`)
  return ok(value)
}
