import { z } from 'zod'
import { withOwnBytes } from '../../base/msgpack.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { WriteIdentity } from '../../features/contract/command.ts'
import { byteText, count, stateIndex } from '../../features/contract/fields.ts'
import type { Failure } from '../../model/failure.ts'
import type { ModifyIndex } from '../../model/log-position.ts'
import { orderedKey } from '../../store/ordered-key.ts'
import type { Store } from '../../store/store.ts'
import type { ReadTransaction, TableDefinition, WriteTransaction } from '../../store/types.ts'

/**
 * Maximum number of writes whose outcome is remembered. It affects the replicated state: servers with different values
 * would diverge.
 */
export const rememberedWritesMax = 16_384

/** How many outcomes are forgotten at a time; divides the maximum above. It affects the replicated state, too. */
export const forgottenAtOnce = 256

/**
 * Maximum number of origins for which the highest forgotten sequence is remembered. It affects the replicated state,
 * too.
 */
export const rememberedOriginsMax = 4096

/** A write that took effect, by its origin. */
interface ForwardedWrite {
  readonly origin: string
  readonly sequence: number
  /** How many writes took effect before it. */
  readonly number: number
  readonly outcome: unknown
}

const outcome = z.unknown().transform(withOwnBytes)
const forwardedWrite = z.object({ origin: byteText, sequence: count, number: count, outcome })

/** A remembered write, with what only this server knows about it. */
interface KnownWrite {
  readonly row: ForwardedWrite
  /** The name of its command; undefined if it came with a snapshot, whose rows do not contain it. */
  readonly command: string | undefined
}

/** The command of a write, by its name in the log, and what a repetition of it returns. */
interface OnceCommand<Outcome> {
  readonly kind: string
  readonly outcome?: z.ZodType<Outcome> | undefined
  remembered?(outcome: Outcome): Outcome
}

/** A ring: each row takes the place of the oldest one, which was forgotten before. */
export const forwardedWrites: TableDefinition<ForwardedWrite> = {
  name: 'forwarded-writes',
  key: (row) => placeOf(row.number),
  decode: (stored) => forwardedWrite.parse(stored),
  unwatched: true,
  ofCluster: true,
}

/** The highest sequence up to which an origin's writes may have been forgotten, and the index since when. */
interface ForgottenOrigin {
  readonly origin: string
  readonly through: number
  readonly index: ModifyIndex
}

const forgottenOrigin = z.object({ origin: byteText, through: count, index: stateIndex })

export const forgottenOrigins: TableDefinition<ForgottenOrigin> = {
  name: 'forwarded-origins',
  key: (row) => row.origin,
  indexes: { age: { key: (row) => orderedKey(row.index) } },
  decode: (stored) => forgottenOrigin.parse(stored),
  unwatched: true,
  ofCluster: true,
}

/** The outcome of a write that was applied now or earlier. */
export interface OnceApplied<Outcome = unknown> {
  readonly outcome: Outcome
  readonly repeated: boolean
}

/**
 * Applies a forwarded write unless it already took effect; then returns the earlier outcome and changes nothing, so
 * that retries by the cluster itself take effect once (invariant K3):
 * 1. A write keeps its identity over all attempts, and each attempt is an entry of its own in the log.
 * 2. The first attempt to be applied stores its outcome in the table in the same transaction; every later one finds it.
 * 3. Outcomes are forgotten oldest first. For each origin the highest forgotten sequence is remembered. A write at or
 *    below it that is not remembered is refused, because it may be a repeat, and its caller learns that the outcome is
 *    unknown.
 * 4. The same identity with another command is not a repeat: its caller would misread the shape of the first command's
 *    outcome. The write changes nothing, as in 2, and its caller learns that the outcome is unknown. Rows do not name
 *    their command, so for rows of a snapshot the shape of the outcome must decide. This concerns only the caller's
 *    answer, which the leader alone makes, so the servers need not agree on it.
 *
 * Every write leaves a row here, so rows must be cheap: the table is a ring with one order, and a map beside it finds
 * its rows. The map derives from the table: it changes after a transaction was applied, and is rebuilt after a restore.
 */
export class ForwardedWrites {
  readonly #store: Store
  #known = new Map<string, Map<number, KnownWrite>>()
  /** Number of the next write that takes effect. */
  #next = 0

  constructor(store: Store) {
    this.#store = store
  }

  applyOnce<Outcome>(
    index: ModifyIndex,
    { origin, sequence }: WriteIdentity,
    command: OnceCommand<Outcome>,
    apply: (tx: WriteTransaction) => Outcome,
  ): Result<OnceApplied<Outcome>, Failure> {
    const before = this.#known.get(origin)?.get(sequence)
    let written: ForwardedWrite | undefined
    let forgotten: readonly ForwardedWrite[] = []
    const applied = this.#store.apply(index, (tx): Result<OnceApplied<Outcome>, Failure> => {
      if (before !== undefined) return repeated(before, command)
      if (isForgotten(tx, { origin, sequence })) return tooOld
      const outcome = apply(tx)
      const number = this.#next
      if (number % forgottenAtOnce === 0) forgotten = forgetOldest(tx, number)
      written = { origin, sequence, number, outcome: rememberedOf(command, outcome) }
      tx.put(forwardedWrites, written)
      return ok({ outcome, repeated: false })
    })
    if (written !== undefined) {
      this.#learn(written, command.kind)
      this.#next++
    }
    for (const old of forgotten) this.#unlearn(old)
    return applied
  }

  /**
   * The outcome of a write that took effect, or a failure if it may be forgotten; undefined if it did not take effect.
   */
  outcomeOf<Outcome>(identity: WriteIdentity, command: OnceCommand<Outcome>): Result<Outcome, Failure> | undefined {
    const known = this.#known.get(identity.origin)?.get(identity.sequence)
    if (known !== undefined) {
      const before = repeated(known, command)
      return before.ok ? ok(before.value.outcome) : before
    }
    return isForgotten(this.#store.read(), identity) ? tooOld : undefined
  }

  /** The store was restored. */
  restored(): void {
    this.#known = new Map()
    this.#next = 0
    const tx = this.#store.read()
    for (const { number } of tx.all(forwardedWrites)) this.#next = Math.max(this.#next, number + 1)
    const newest = Math.max(0, this.#next - 1)
    const oldest = newest - (newest % forgottenAtOnce) + forgottenAtOnce - rememberedWritesMax
    for (const row of tx.all(forwardedWrites)) if (row.number >= oldest) this.#learn(row, undefined)
  }

  #learn(row: ForwardedWrite, command: string | undefined): void {
    const known = { row, command }
    const ofOrigin = this.#known.get(row.origin)
    if (ofOrigin === undefined) this.#known.set(row.origin, new Map([[row.sequence, known]]))
    else ofOrigin.set(row.sequence, known)
  }

  #unlearn({ origin, sequence }: ForwardedWrite): void {
    const ofOrigin = this.#known.get(origin)
    ofOrigin?.delete(sequence)
    if (ofOrigin?.size === 0) this.#known.delete(origin)
  }
}

const tooOld: Result<never, Failure> = err({
  kind: 'outcome-unknown',
  message: 'the write is too old to tell whether it is a repeat',
})

const otherCommand: Result<never, Failure> = err({
  kind: 'outcome-unknown',
  message: 'a write of the same identity took effect as another command',
})

const commandForgotten: Result<never, Failure> = err({
  kind: 'outcome-unknown',
  message: 'the write took effect, but its outcome is no longer known',
})

/** The result for a command that repeats this write. */
function repeated<Outcome>(known: KnownWrite, command: OnceCommand<Outcome>): Result<OnceApplied<Outcome>, Failure> {
  const { outcome } = known.row
  if (isOutcomeOf(command, known, outcome)) return ok({ outcome, repeated: true })
  return known.command === undefined ? commandForgotten : otherCommand
}

/** The name of the command proves the type of its outcome; without the name, the shape of the outcome does. */
function isOutcomeOf<Outcome>(
  { kind, outcome: shape }: OnceCommand<Outcome>,
  { command }: KnownWrite,
  outcome: unknown,
): outcome is Outcome {
  return command === undefined ? shape?.safeParse(outcome).success === true : command === kind
}

function rememberedOf<Outcome>(command: OnceCommand<Outcome>, outcome: Outcome): Outcome {
  return command.remembered === undefined ? outcome : command.remembered(outcome)
}

function isForgotten(tx: ReadTransaction, { origin, sequence }: WriteIdentity): boolean {
  return sequence <= (tx.get(forgottenOrigins, origin)?.through ?? -1)
}

/** Forgets the rows whose places this write and those after it will take. Returns what was forgotten. */
function forgetOldest(tx: WriteTransaction, number: number): readonly ForwardedWrite[] {
  const oldest: ForwardedWrite[] = []
  if (number < rememberedWritesMax) return oldest
  const through = new Map<string, number>()
  for (let at = number; at < number + forgottenAtOnce; at++) {
    const row = tx.get(forwardedWrites, placeOf(at))
    if (row === undefined) continue
    oldest.push(row)
    through.set(row.origin, Math.max(row.sequence, through.get(row.origin) ?? 0))
  }
  // In the order of their oldest writes, which is the same on every server.
  for (const [origin, sequence] of through) {
    const highest = Math.max(sequence, tx.get(forgottenOrigins, origin)?.through ?? 0)
    tx.put(forgottenOrigins, { origin, through: highest, index: tx.index })
  }
  for (const { origin } of tx.inIndexOrder(forgottenOrigins, 'age')) {
    if (tx.count(forgottenOrigins) <= rememberedOriginsMax) break
    tx.delete(forgottenOrigins, origin)
  }
  return oldest
}

/** From the second round on, every place of the ring holds a row. */
function placeOf(number: number): string {
  return orderedKey(number % rememberedWritesMax)
}
