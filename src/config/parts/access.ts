import {
  type AccessPolicy,
  type AccessSettings,
  type AccessTokens,
  type DownPolicy,
  defaultAccess,
} from '../../agent/settings/access-settings.ts'
import { formatDuration } from '../../base/duration.ts'
import type { FileConfig } from '../schema.ts'
import { milliseconds, type Report, type Shown } from './values.ts'

const policies: readonly AccessPolicy[] = ['allow', 'deny']
const downPolicies: readonly DownPolicy[] = ['allow', 'deny', 'extend-cache', 'async-cache']

/**
 * The new key takes precedence over the old one. Texts and rules are the field's. Reference:
 * configuration.md#access-control-keys.
 */
export function accessOf(file: FileConfig, defaults: AccessSettings, problem: Report): AccessSettings {
  const { acl = {} } = file
  const down = acl.down_policy ?? file.acl_down_policy
  const otherwise = acl.default_policy ?? file.acl_default_policy
  return {
    enabled: acl.enabled ?? (file.acl_datacenter ?? '') !== '',
    primaryDatacenter: primaryOf(file, problem),
    defaultPolicy: oneOf(policies, otherwise, 'default', keyOf(acl.default_policy, 'default_policy'), problem),
    downPolicy: oneOf(downPolicies, down, 'down', keyOf(acl.down_policy, 'down_policy'), problem),
    tokenTtlMs: milliseconds(acl.token_ttl ?? file.acl_ttl, defaults.tokenTtlMs),
    policyTtlMs: milliseconds(acl.policy_ttl, defaults.policyTtlMs),
    enforceVersion8: file.acl_enforce_version_8 ?? defaults.enforceVersion8,
    keyListPolicy: acl.enable_key_list_policy ?? file.acl_enable_key_list_policy ?? defaults.keyListPolicy,
    tokenReplication:
      acl.enable_token_replication ?? file.enable_acl_replication ?? (file.acl_replication_token ?? '') !== '',
    reportOnly: acl.report_only ?? defaults.reportOnly,
    tokens: tokensOf(file),
  }
}

function tokensOf({ acl, ...file }: FileConfig): AccessTokens {
  const given = acl?.tokens ?? {}
  return {
    master: given.master ?? file.acl_master_token ?? '',
    default: given.default ?? file.acl_token ?? '',
    agent: given.agent ?? file.acl_agent_token ?? '',
    agentMaster: given.agent_master ?? file.acl_agent_master_token ?? '',
    replication: given.replication ?? file.acl_replication_token ?? '',
  }
}

function keyOf(given: string | undefined, name: 'default_policy' | 'down_policy'): string {
  return given === undefined ? `acl_${name}` : `acl.${name}`
}

function oneOf<T extends string>(
  known: readonly [T, ...T[]] | readonly T[],
  given: string | undefined,
  what: 'default' | 'down',
  key: string,
  problem: Report,
): T {
  const fallback = (what === 'default' ? defaultAccess.defaultPolicy : defaultAccess.downPolicy) as T
  if (given === undefined) return fallback
  const found = known.find((each) => each === given)
  if (found === undefined) problem(`Unsupported ${what} ACL policy: ${given || '""'}`, `write ${known.join(', ')}`, key)
  return found ?? fallback
}

function primaryOf(file: FileConfig, problem: Report): string {
  // An empty name counts as not given. If it hid the old key, a secondary datacenter would consider itself the primary.
  const name = (file.primary_datacenter || file.acl_datacenter || '').toLowerCase()
  if (name !== '' && !/^[a-z0-9_-]+$/.test(name)) {
    const key = file.primary_datacenter ? 'primary_datacenter' : 'acl_datacenter'
    problem(`${key} cannot be "${name}"`, 'please use only [a-z0-9-_]', key)
  }
  return name
}

export function accessWarnings({ acl_datacenter }: FileConfig): readonly string[] {
  if ((acl_datacenter ?? '') === '') return []
  return ["The 'acl_datacenter' field is deprecated. Use the 'primary_datacenter' field instead."]
}

/** As `/v1/agent/self` shows it. */
export function shownAccess(access: AccessSettings): Shown {
  const hidden = (token: string): string => (token === '' ? '' : 'hidden')
  return {
    ACLAgentMasterToken: hidden(access.tokens.agentMaster),
    ACLAgentToken: hidden(access.tokens.agent),
    ACLDatacenter: access.primaryDatacenter,
    ACLDefaultPolicy: access.defaultPolicy,
    ACLDownPolicy: access.downPolicy,
    ACLEnableKeyListPolicy: access.keyListPolicy,
    ACLEnforceVersion8: access.enforceVersion8,
    ACLMasterToken: hidden(access.tokens.master),
    ACLPolicyTTL: formatDuration(access.policyTtlMs),
    ACLReportOnly: access.reportOnly,
    ACLReplicationToken: hidden(access.tokens.replication),
    ACLToken: hidden(access.tokens.default),
    ACLTokenReplication: access.tokenReplication,
    ACLTokenTTL: formatDuration(access.tokenTtlMs),
    ACLsEnabled: access.enabled,
    PrimaryDatacenter: access.primaryDatacenter,
  }
}
