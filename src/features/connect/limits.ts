/** Times and counts that hold for the authority. */

/** What times of the authority go by, in milliseconds. */
export interface MeshTimes {
  /** How far clocks may be apart. */
  readonly skewMs: number
  /** The least that a leaf may live. */
  readonly leafTtlMinMs: number
}

/** How far clocks may be apart unless the settings say otherwise. Reference: mesh.md#profile-notbefore. */
export const defaultSkewMs = 60_000

/** Leaves that the leader signs in a second unless the settings say otherwise. */
export const defaultLeavesPerSecond = 50

/**
 * Roots that may be listed, and roots between which the chain of crossings leads: with as many a rotation waits until the oldest root
 * has gone. What goes out with a leaf grows with each (pki, chainMax).
 */
export const rootsMax = 8

/** The least that a leaf may live unless the settings say otherwise. Reference: mesh.md#option-leafcertttl. */
export const defaultLeafTtlMinMs = 3_600_000

/** With less than this until it would expire a leaf is not worth having: it is refused, with a reason. */
export function leafLeftMinMs({ leafTtlMinMs }: Pick<MeshTimes, 'leafTtlMinMs'>): number {
  return leafTtlMinMs / 12
}

/**
 * How long after its last leaf a root stays. The leader that decides may be ahead of true time by the skew, and so may whoever
 * signed have been behind who verifies.
 */
export function pruneMarginMs(skewMs: number): number {
  return 2 * skewMs
}

/** The authority of another datacenter lives for so many lives of a leaf, unless what it stands below ends before. */
export const livesOfLeaf = 3

/** How long a provider may take over a root or a crossing, and over a leaf. */
export const rootWithinMs = 60_000
export const leafWithinMs = 15_000

/** Pauses before what failed is tried again: the first, and the longest that doubling it comes to. */
export const retryFirstMs = 1_000
export const retryMaxMs = 60_000

/** Without any other reason the leader looks this often at what is due. */
export const lookEveryMs = 3_600_000

/** How long a change of the configuration waits for its rotation before it answers. Less than an attempt at a leader takes (agent/call-target). */
export const updateWithinMs = 8_000

/** Requests for leaves that wait for their turn; further ones are refused, and may come again. */
export const requestsWaitingMax = 512

/** Leaves that are recorded together. */
export const leavesAtOnce = 32

/** A root whose last leaf expires soon stays for this long all the same: some verifiers may know no other root yet. */
export function staysMinMs({ leafTtlMinMs }: Pick<MeshTimes, 'leafTtlMinMs'>): number {
  return leafTtlMinMs
}
