import { lowerAscii } from '../../base/letter-case.ts'
import { err, ok, type Result } from '../../base/result.ts'

const uuidLength = 36

/** The normalized ID of a session. The error is the text that clients of the field know. */
export function sessionIdOf(given: string): Result<string, string> {
  if (given === '') return err('Missing session')
  if (given.length !== uuidLength) return err('failed session lookup: index error: UUID must be 36 characters')
  return ok(lowerAscii(given))
}
