/**
 * The leader's judgement of one server of the Raft configuration. Reference: operator.md#autopilot-health,
 * operator.md#when-a-server-is-healthy.
 */
export interface ServerHealth {
  readonly id: string
  /** Empty if the gossip pool does not contain the server; then `release` is empty, too. */
  readonly name: string
  readonly address: string
  readonly poolStatus: 'alive' | 'leaving' | 'left' | 'failed' | 'none'
  readonly release: string
  readonly leader: boolean
  readonly voter: boolean
  /**
   * Time since the server last heard from the leader, as the server reports it; undefined: it never did, or does not
   * answer.
   */
  readonly lastContactMs: number | undefined
  readonly lastTerm: number
  readonly lastIndex: number
  readonly healthy: boolean
  /** Wall clock of the leader when `healthy` last changed. */
  readonly stableSinceMs: number
}

export interface ClusterHealth {
  readonly healthy: boolean
  /** Number of voters that may still fail without loss of service. */
  readonly failureTolerance: number
  /** In order of ID. */
  readonly servers: readonly ServerHealth[]
}
