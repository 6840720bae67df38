import { err, ok, type Result } from '../base/result.ts'

const uint64Max = 0xffff_ffff_ffff_ffffn

/** Reads decimal digits as an unsigned 64-bit integer. The error is the text that clients of the field know. */
export function parseUint(text: string): Result<bigint, string> {
  if (!/^[0-9]+$/.test(text)) return err(`strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`)
  const value = BigInt(text)
  if (value > uint64Max) return err(`strconv.ParseUint: parsing ${JSON.stringify(text)}: value out of range`)
  return ok(value)
}
