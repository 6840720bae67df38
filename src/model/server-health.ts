/**
 * The leader's judgement of one server of the Raft configuration. Reference: operator.md#autopilot-health,
 * operator.md#when-a-server-is-healthy.
 */
export interface ServerHealth {
  readonly id: string
  /** Empty if the gossip pool does not know the server; then `release` is empty, too. */
  readonly name: string
  readonly address: string
  readonly poolStatus: 'alive' | 'leaving' | 'left' | 'failed' | 'none'
  readonly release: string
  readonly leader: boolean
  readonly voter: boolean
  /** Since it heard from the leader, as it said itself; undefined: it never did, or does not answer. */
  readonly lastContactMs: number | undefined
  readonly lastTerm: number
  readonly lastIndex: number
  readonly healthy: boolean
  /** Wall clock of the leader: since when `healthy` is what it is. */
  readonly stableSinceMs: number
}

export interface ClusterHealth {
  readonly healthy: boolean
  /** Voters that can still be lost without loss of service. */
  readonly failureTolerance: number
  /** In order of ID. */
  readonly servers: readonly ServerHealth[]
}
