import { z } from 'zod'
import { parseDuration } from '../../src/base/duration.ts'
import { err, ok, type Result } from '../../src/base/result.ts'
import type { Fork } from '../world/decisions/decisions.ts'

/** Maximum number of forks of one run. */
export const forksMax = 16

/** Times from which a run continues with other draws, as in records and for workers: in ascending order. */
export const forksSchema = z
  .array(z.strictObject({ atMs: z.int().min(0), seed: z.int().min(0), of: z.literal('world').optional() }))
  .min(1)
  .max(forksMax)

/** `4200ms:3`: from 4.2 virtual seconds on, the draws of seed 3. */
function forkText({ atMs, seed }: Fork): string {
  return `${atMs}ms:${seed}`
}

/** Parses the form of `forkText`, with any unit; the error is one sentence. */
export function forkOf(text: string): Result<Fork, string> {
  const [time = '', seed = '', ...more] = text.split(':')
  const at = parseDuration(time)
  const number = Number(seed)
  if (!at.ok || at.value < 0 || !Number.isInteger(at.value) || !/^\d+$/.test(seed) || more.length > 0) {
    return err('Write a time in whole milliseconds and a number, such as 4200ms:3.')
  }
  return Number.isSafeInteger(number) ? ok({ atMs: at.value, seed: number }) : err('The number is too large.')
}

/** Options of `svc-sim run` for these forks, with a space before each. */
export function forkFlags(forks: readonly Fork[] = []): string {
  return forks.map((fork) => ` --fork ${forkText(fork)}`).join('')
}
