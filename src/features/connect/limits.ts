/** Times and limits of the authority. */

/** Time settings of the authority, in milliseconds. */
export interface MeshTimes {
  /** Maximum difference between clocks. */
  readonly skewMs: number
  /** The minimum lifetime of a leaf. */
  readonly leafTtlMinMs: number
}

/** Default for the maximum difference between clocks. Reference: mesh.md#profile-notbefore. */
export const defaultSkewMs = 60_000

/** Default for the number of leaves that the leader signs per second. */
export const defaultLeavesPerSecond = 50

/**
 * Maximum number of listed roots, and of roots that one chain of crossings connects: a further rotation waits until the
 * oldest root is removed. Each root makes the chain of a leaf longer (pki, chainMax).
 */
export const rootsMax = 8

/** Default for the minimum lifetime of a leaf. Reference: mesh.md#option-leafcertttl. */
export const defaultLeafTtlMinMs = 3_600_000

/** A leaf that would expire sooner than this is refused, with a reason. */
export function leafLeftMinMs({ leafTtlMinMs }: Pick<MeshTimes, 'leafTtlMinMs'>): number {
  return leafTtlMinMs / 12
}

/**
 * How long a root stays after its last leaf has expired. Clocks may differ by one skew on each side, hence twice the
 * skew.
 */
export function pruneMarginMs(skewMs: number): number {
  return 2 * skewMs
}

/** Lifetime of another datacenter's authority, as a multiple of a leaf's, unless its chain ends before. */
export const livesOfLeaf = 3

/** Timeouts of a provider for a root or a crossing, and for a leaf. */
export const rootWithinMs = 60_000
export const leafWithinMs = 15_000

/** The first and the longest pause before a failed task is retried; it doubles in between. */
export const retryFirstMs = 1_000
export const retryMaxMs = 60_000

/** Interval at which the leader looks for due tasks without any other reason. */
export const lookEveryMs = 3_600_000

/**
 * How long a change of the configuration waits for its rotation before it answers. Shorter than the timeout of an
 * attempt at a leader (agent/call-target).
 */
export const updateWithinMs = 8_000

/** Maximum number of waiting leaf requests; further ones are refused, and may be retried. */
export const requestsWaitingMax = 512

/** Maximum number of leaves that are recorded together. */
export const leavesAtOnce = 32

/**
 * Minimum time that a replaced root stays, even if its last leaf expires sooner: some verifiers may know no other root
 * yet.
 */
export function staysMinMs({ leafTtlMinMs }: Pick<MeshTimes, 'leafTtlMinMs'>): number {
  return leafTtlMinMs
}
