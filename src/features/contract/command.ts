import type { z } from 'zod'
import type { Release } from '../../model/release.ts'
import type { ReadTransaction, WriteTransaction } from '../../store/types.ts'
import type { WholeState } from './whole-state.ts'

/**
 * A replicated command. `apply` runs on every server at the same index and must be a pure function of the transaction
 * and the body, without a clock or randomness; the leader has put such values into the body. Its result is plain data
 * and is returned to the caller; a refusal (a failed CAS) is a result, never a throw.
 */
export interface CommandDefinition<Body = unknown, Outcome = unknown> {
  /** `kv.put`. The name in the log: never changed once released. */
  readonly kind: string
  /** The release that introduced it: older servers stop on it. */
  readonly since: Release
  /** Leaders of every release propose it only when all servers know it; absent: those since `commands-wait`. */
  readonly waitsForAll?: true
  readonly body: z.ZodType<Body>
  /**
   * The shape of an outcome, for a repetition of a write whose row came with a snapshot and does not name its command.
   * Absent: the outcome of such a write is unknown.
   */
  readonly outcome?: z.ZodType<Outcome>
  /**
   * The outcome of a command that would change nothing, neither on this state nor on any later one; undefined: it may
   * change something. The leader answers with it and proposes nothing. Most such commands name an ID that does not
   * exist, and only a leader draws IDs. Pure, and equal to what `apply` returns.
   */
  withoutEffect?(tx: ReadTransaction, body: Body): Outcome | undefined
  apply(tx: WriteTransaction, body: Body, whole?: WholeState): Outcome
  /** The part of a possibly large outcome that is stored for a repetition of the same write; absent: all of it. */
  remembered?(outcome: Outcome): Outcome
}

/**
 * Maximum number of characters of refusals that are stored for a repetition of the same write. They may name what the
 * client sent, which has the size of a request, and servers remember thousands of outcomes.
 */
export const rememberedRefusalMax = 4_096
export const forgottenRefusal = 'it was refused, and the reason is no longer known'

/** For `remembered` of commands that may refuse with one line. */
export function withShortRefusal<Outcome extends object>(outcome: Outcome): Outcome {
  const refusal = 'refusal' in outcome ? outcome.refusal : undefined
  const isLong = typeof refusal === 'string' && refusal.length > rememberedRefusalMax
  return isLong ? { ...outcome, refusal: forgottenRefusal } : outcome
}

/** Names one write in one agent's life, so that a retry inside the cluster takes effect once. */
export interface WriteIdentity {
  /** Agent and boot. */
  readonly origin: string
  readonly sequence: number
}
