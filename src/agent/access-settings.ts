/**
 * What the configuration says of access control, the new keys over the old ones; nothing reads it until there is access
 * control, and an agent that is told to turn it on does not start. Reference: configuration 5.
 */
export interface AccessSettings {
  /** The datacenter whose tokens and policies hold everywhere; empty: the own one. */
  readonly primaryDatacenter: string
  readonly defaultPolicy: AccessPolicy
  readonly downPolicy: DownPolicy
  readonly tokenTtlMs: number
  readonly policyTtlMs: number
  readonly enforceVersion8: boolean
  readonly keyListPolicy: boolean
  readonly tokenReplication: boolean
  readonly tokens: AccessTokens
}

export type AccessPolicy = 'allow' | 'deny'
export type DownPolicy = AccessPolicy | 'extend-cache' | 'async-cache'

/** Empty: none. */
export interface AccessTokens {
  readonly master: string
  readonly default: string
  readonly agent: string
  readonly agentMaster: string
  readonly replication: string
}

export const defaultAccess: AccessSettings = {
  primaryDatacenter: '',
  defaultPolicy: 'allow',
  downPolicy: 'extend-cache',
  tokenTtlMs: 30_000,
  policyTtlMs: 30_000,
  enforceVersion8: true,
  keyListPolicy: false,
  tokenReplication: false,
  tokens: { master: '', default: '', agent: '', agentMaster: '', replication: '' },
}
