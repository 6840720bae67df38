/**
 * Settings of access control; new keys take precedence over old ones. Reference: configuration.md#access-control-keys.
 */
export interface AccessSettings {
  readonly enabled: boolean
  /** The datacenter whose tokens and policies are valid everywhere; empty: this one. */
  readonly primaryDatacenter: string
  readonly defaultPolicy: AccessPolicy
  readonly downPolicy: DownPolicy
  readonly tokenTtlMs: number
  readonly policyTtlMs: number
  readonly enforceVersion8: boolean
  readonly keyListPolicy: boolean
  readonly tokenReplication: boolean
  /** Nothing is refused: refusals are only counted and logged. */
  readonly reportOnly: boolean
  readonly tokens: AccessTokens
}

export type AccessPolicy = 'allow' | 'deny'
export type DownPolicy = AccessPolicy | 'extend-cache' | 'async-cache'

/** Empty: none; an empty `agent` uses `default`. */
export interface AccessTokens {
  readonly master: string
  readonly default: string
  readonly agent: string
  readonly agentMaster: string
  readonly replication: string
}

/** The policy for a connection without a matching intention. With `report_only`, no connection is refused. */
export function unmatchedPolicy({ defaultPolicy, reportOnly }: AccessSettings): AccessPolicy {
  return reportOnly ? 'allow' : defaultPolicy
}

/** Whether a caller without a token may register services and checks. Before version 8 their rules are not enforced. */
export function registersWithoutToken(access: AccessSettings): boolean {
  return !access.enabled || !access.enforceVersion8 || unmatchedPolicy(access) === 'allow'
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
