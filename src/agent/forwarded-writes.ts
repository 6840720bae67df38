import { z } from 'zod'
import { err, ok, type Result } from '../base/result.ts'
import { byteText, count } from '../features/fields.ts'
import type { WriteIdentity } from '../features/manifest.ts'
import type { Failure } from '../model/failure.ts'
import { orderedKey } from '../store/ordered-key.ts'
import type { TableDefinition, WriteTransaction } from '../store/types.ts'

/** Writes whose outcome is remembered. Part of what commands mean: servers that differ in it would diverge. */
export const rememberedWritesMax = 16_384

/** Origins of which it is remembered how far they have been forgotten. Part of what commands mean, too. */
export const rememberedOriginsMax = 4096

/** A write that took effect, by whom it was sent. */
interface ForwardedWrite {
  readonly origin: string
  readonly sequence: number
  readonly index: number
  readonly outcome: unknown
}

const forwardedWrite = z.object({ origin: byteText, sequence: count, index: count, outcome: z.unknown() })

export const forwardedWrites: TableDefinition<ForwardedWrite> = {
  name: 'forwarded-writes',
  key: (row) => writeKey(row.origin, row.sequence),
  indexes: { age: { key: (row) => orderedKey(row.index) } },
  decode: (stored) => forwardedWrite.parse(stored),
  unwatched: true,
}

/** Up to which sequence an origin's writes may have been forgotten, since which index. */
interface ForgottenOrigin {
  readonly origin: string
  readonly through: number
  readonly index: number
}

const forgottenOrigin = z.object({ origin: byteText, through: count, index: count })

export const forgottenOrigins: TableDefinition<ForgottenOrigin> = {
  name: 'forwarded-origins',
  key: (row) => row.origin,
  indexes: { age: { key: (row) => orderedKey(row.index) } },
  decode: (stored) => forgottenOrigin.parse(stored),
  unwatched: true,
}

/**
 * Carries out a forwarded write unless it already took effect; then gives the outcome it had and changes nothing, so that
 * what the cluster itself repeats takes effect once (invariant K3):
 * 1. A write keeps its identity over all attempts, and each attempt is an entry of its own in the log.
 * 2. The first of them that is applied leaves its outcome in this table in the same transaction; every later one finds it.
 * 3. Outcomes are forgotten oldest first. Of each origin the highest sequence forgotten is kept, and a write at or below
 *    it that is not remembered is refused: it may be a repeat. Whoever sent it learns that its outcome is unknown.
 */
export function applyOnce(
  tx: WriteTransaction,
  identity: WriteIdentity,
  apply: () => unknown,
  remembered: (outcome: unknown) => unknown = (outcome) => outcome,
): Result<{ readonly outcome: unknown; readonly repeated: boolean }, Failure> {
  const { origin, sequence } = identity
  const before = tx.get(forwardedWrites, writeKey(origin, sequence))
  if (before !== undefined) return ok({ outcome: before.outcome, repeated: true })
  if (sequence <= (tx.get(forgottenOrigins, origin)?.through ?? -1)) {
    return err({ kind: 'outcome-unknown', message: 'the write is too old to tell whether it is a repeat' })
  }
  const outcome = apply()
  tx.put(forwardedWrites, { origin, sequence, index: tx.index, outcome: remembered(outcome) })
  if (tx.count(forwardedWrites) > rememberedWritesMax) forgetOldest(tx)
  return ok({ outcome, repeated: false })
}

function forgetOldest(tx: WriteTransaction): void {
  for (const { origin, sequence } of tx.inIndexOrder(forwardedWrites, 'age')) {
    tx.delete(forwardedWrites, writeKey(origin, sequence))
    const through = Math.max(sequence, tx.get(forgottenOrigins, origin)?.through ?? 0)
    tx.put(forgottenOrigins, { origin, through, index: tx.index })
    break
  }
  if (tx.count(forgottenOrigins) <= rememberedOriginsMax) return
  for (const { origin } of tx.inIndexOrder(forgottenOrigins, 'age')) {
    tx.delete(forgottenOrigins, origin)
    break
  }
}

function writeKey(origin: string, sequence: number): string {
  return `${origin}\0${orderedKey(sequence)}`
}
