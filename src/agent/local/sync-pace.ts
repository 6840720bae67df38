/** Everything is compared this often, and less often in large clusters. Reference: agent.md#sync-to-the-catalog. */
export const fullIntervalMs = 60_000
/** A sync that failed is made up for after a random part of this, and at least the pause below. */
export const retryMs = 15_000
export const retryPauseMs = 1_000
/** So many syncs in a row that are refused for want of a token are made up for sooner: after the pause, twice that, and so on. */
export const soonRefusalsMax = 4
/** So much later at most, for each agent of the pool, a server that came within reach is asked: not all at one instant. */
export const triggerSpreadMs = 25
export const triggerSpreadMaxMs = 3_000
/** Up to so many agents sync at the full rate. */
const fullRateNodes = 128

/** How much less often an agent of a cluster of this size syncs: log2(nodes / 128) + 1, rounded up. */
export function syncScale(nodes: number): number {
  if (nodes <= fullRateNodes) return 1
  // The whole part of the logarithm, rounded up, without a function that engines may round each in their own way.
  const log2 = 32 - Math.clz32(nodes - 1)
  return log2 - 7 + 1
}
