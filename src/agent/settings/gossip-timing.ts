import type { GossipTiming } from '../../gossip/pool.ts'

/**
 * Gossip among agents of one datacenter. Reference: configuration.md#gossip-timing,
 * configuration.md#fixed-gossip-values.
 */
export const lanGossip: GossipTiming = {
  gossipIntervalMs: 200,
  gossipNodes: 3,
  probeIntervalMs: 1_000,
  probeTimeoutMs: 500,
  suspicionMult: 4,
  retransmitMult: 4,
  pushPullIntervalMs: 30_000,
  streamTimeoutMs: 10_000,
  gossipToDeadMs: 30_000,
  reconnectIntervalMs: 30_000,
  reapIntervalMs: 15_000,
  reconnectTimeoutMs: 72 * 3_600_000,
  tombstoneTimeoutMs: 24 * 3_600_000,
  leavePropagateDelayMs: 3_000,
}

/**
 * Gossip among servers of all datacenters. Reference: configuration.md#gossip-timing,
 * configuration.md#fixed-gossip-values.
 */
export const wanGossip: GossipTiming = {
  ...lanGossip,
  gossipIntervalMs: 500,
  probeIntervalMs: 5_000,
  probeTimeoutMs: 3_000,
  suspicionMult: 6,
  pushPullIntervalMs: 60_000,
  streamTimeoutMs: 30_000,
  gossipToDeadMs: 60_000,
}

/** Gossip of `-dev`. */
export const devGossip: GossipTiming = {
  ...lanGossip,
  gossipIntervalMs: 100,
  probeIntervalMs: 100,
  probeTimeoutMs: 100,
  suspicionMult: 3,
}

export const devWanGossip: GossipTiming = {
  ...wanGossip,
  gossipIntervalMs: 100,
  probeIntervalMs: 100,
  probeTimeoutMs: 100,
  suspicionMult: 3,
}
