/**
 * What the configuration says of access control, the new keys over the old ones.
 * Reference: configuration.md#access-control-keys.
 */
export interface AccessSettings {
  readonly enabled: boolean
  /** The datacenter whose tokens and policies hold everywhere; empty: the own one. */
  readonly primaryDatacenter: string
  readonly defaultPolicy: AccessPolicy
  readonly downPolicy: DownPolicy
  readonly tokenTtlMs: number
  readonly policyTtlMs: number
  readonly enforceVersion8: boolean
  readonly keyListPolicy: boolean
  readonly tokenReplication: boolean
  /** Nothing is refused: what would be is counted, and told in the log. */
  readonly reportOnly: boolean
  readonly tokens: AccessTokens
}

export type AccessPolicy = 'allow' | 'deny'
export type DownPolicy = AccessPolicy | 'extend-cache' | 'async-cache'

/** Empty: none; of `agent`: that of `default`. */
export interface AccessTokens {
  readonly master: string
  readonly default: string
  readonly agent: string
  readonly agentMaster: string
  readonly replication: string
}

/** What holds where no intention says anything of a connection. Where nothing is refused, no connection is. */
export function unmatchedPolicy({ defaultPolicy, reportOnly }: AccessSettings): AccessPolicy {
  return reportOnly ? 'allow' : defaultPolicy
}

export const defaultAccess: AccessSettings = {
  enabled: false,
  primaryDatacenter: '',
  defaultPolicy: 'allow',
  downPolicy: 'extend-cache',
  tokenTtlMs: 30_000,
  policyTtlMs: 30_000,
  enforceVersion8: true,
  keyListPolicy: false,
  tokenReplication: false,
  reportOnly: false,
  tokens: { master: '', default: '', agent: '', agentMaster: '', replication: '' },
}
