/** Times and counts that hold for the authority. */

/** How far clocks may be apart unless the settings say otherwise. Reference: connect 5. */
export const defaultSkewMs = 60_000

/** Leaves that the leader signs in a second unless the settings say otherwise. */
export const defaultLeavesPerSecond = 50

/** Roots that may be listed: with one more no rotation begins. What goes out with a leaf grows with each. */
export const rootsMax = 16

/** With less than this until it would expire a leaf is not worth having: it is refused, with a reason. */
export const leafLeftMinMs = 5 * 60_000

/**
 * How long after its last leaf a root stays. The leader that decides may be ahead of true time by the skew, and so may whoever
 * signed have been behind who verifies.
 */
export function pruneMarginMs(skewMs: number): number {
  return 2 * skewMs
}
