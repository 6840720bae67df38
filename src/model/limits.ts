import type { Failure } from './failure.ts'

/**
 * Figures that clients rely on. Spec: LIM-013. Reference: keys.md#size-of-values, http-reads.md#wait-limits,
 * http-reads.md#wait-jitter, configuration.md#tombstone-ttl.
 */

/** A key's value, bytes. */
export const kvValueBytesMax = 512 * 1024
/** Longest wait of a blocking query, and the one used when the caller gives none. */
export const blockingWaitMaxMs = 600_000
export const blockingWaitDefaultMs = 300_000
/** A blocking query waits up to this fraction longer, at random, so that watchers do not return all at once. */
export const blockingJitterFraction = 16
/** How long a deleted key's tombstone is kept, so that prefix watchers see the deletion. */
const tombstoneTtlMs = 15 * 60_000
/** Tombstones are reaped in steps of this. */
const tombstoneGranularityMs = 30_000

/**
 * Limits and intervals of the leader's work on deleted keys and ended sessions. Only simulated servers have other
 * values.
 */
export interface KeyCare {
  readonly tombstoneTtlMs: number
  readonly tombstoneGranularityMs: number
  /**
   * Maximum number of tombstones that one command reaps, and of lock delays that one forgets: a few milliseconds of
   * work.
   */
  readonly batchMax: number
  /** Interval at which lock delays that are over are forgotten. */
  readonly forgetEveryMs: number
  /** Maximum lock delay. */
  readonly lockDelayMaxMs: number
}

/** Metadata of a node or a service. Reference: catalog.md#metadata-limits. */
export const metadataPairsMax = 64
export const metadataKeyMax = 128
export const metadataValueMax = 512

/** A session's time to live. Reference: keys.md#session-ttl, keys.md#session-lockdelay. */
export const sessionTtlMinMs = 10_000
export const sessionTtlMaxMs = 86_400_000
/**
 * How long keys of an ended session cannot be locked. A longer value is stored as given, and its effect limited to
 * this.
 */
export const lockDelayDefaultMs = 15_000
export const lockDelayMaxMs = 60_000
export const keyCare: KeyCare = {
  tombstoneTtlMs,
  tombstoneGranularityMs,
  batchMax: 1024,
  forgetEveryMs: 30_000,
  lockDelayMaxMs,
}
/**
 * Reference: keys.md#txn-too-many, keys.md#txn-sum-too-big. The values of all operations together have the limit of one
 * value.
 */
export const transactionOperationsMax = 64

/** Maximum number of offers in one registration request of an agent: all of them are one entry of the log. */
export const registerOffersMax = 64

/**
 * Rules of access control: characters of one text, rules in it, and characters of a label. The field has no such
 * bounds.
 */
export const accessRulesTextMax = 512 * 1024
export const accessRulesMax = 8_192
/** Values and labels in the text: a rule has a block, a label, and one or two levels. */
export const accessRulesItemsMax = 6 * accessRulesMax
export const accessLabelMax = 2_048

/**
 * Values of a body in JSON, of any kind and at any depth, and members of one object or items of one list in it. A value
 * costs up to 6 µs from its byte to its row, so that a body of 1 MiB, which holds 350,000 of them, stopped the agent
 * for 0.6 s; within these bounds none takes 50 ms. A node of 500 checks with all that can be said of each has room, and
 * no list of the interface that people have come near 1,000. The field has no such bounds.
 */
export const bodyValuesMax = 8_192
export const bodyMembersMax = 1_024

/**
 * Checks in one registration over HTTP: of a service with its agent, those of its sidecar included, or of a node in the
 * catalog. Each costs an agent 75 µs (it runs it, keeps it on its disk and tells the catalog), a server 30 µs, and each
 * server again as it applies it: 512 take 40 ms. Files have no such bound, for they are read at the start and at a
 * reload, by the operator's will.
 */
export const registeredChecksMax = 512

export function tooManyChecks(count: number): Failure {
  const message = `Request decode failed: 'Checks' has ${count} items, and one registration at most ${registeredChecksMax}`
  return { kind: 'too-large', message }
}
