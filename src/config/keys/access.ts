import { block, type KeyFacts, keysOf } from './key.ts'
import { bool, duration, text } from './types.ts'

/** Keys of access control. Reference: configuration.md#access-control-keys. */

const key = keysOf('access control')
const old = (instead: string, more: KeyFacts = {}): KeyFacts => ({ deprecated: instead, ...more })

/** A reload takes them over. */
const taken = { since: '1.4.0', reload: true } as const

const tokens = block('Tokens that the agent goes by.', {
  agent: key(text, 'Of the agent’s own requests. Default: that of acl.tokens.default.', taken),
  agent_master: key(text, 'Opens this agent’s own endpoints while no server can be asked.', taken),
  default: key(text, 'Of requests without a token, and of DNS.', taken),
  master: key(text, 'Created by the leader of the primary datacenter; it may do everything.', { since: '1.4.0' }),
  replication: key(text, 'Of servers that copy from the primary datacenter.', taken),
})

export const accessKeys = {
  acl: block('Access control.', {
    default_policy: key(text, 'allow or deny: what is not ruled.', { default: 'allow', since: '1.4.0' }),
    disabled_ttl: key(duration, 'Accepted; always 120s.', {
      since: '1.4.0',
      waits: { for: 'the value is fixed', never: true },
    }),
    down_policy: key(text, 'allow, deny, extend-cache or async-cache: while the primary datacenter cannot be asked.', {
      default: 'extend-cache',
      since: '1.4.0',
    }),
    enable_key_list_policy: key(bool, 'Listing keys needs a rule of its own.', { default: false, since: '1.4.0' }),
    enable_token_replication: key(bool, 'Tokens are copied from the primary datacenter.', {
      default: false,
      since: '1.4.0',
    }),
    enabled: key(bool, 'Requests need a token. Default: as acl_datacenter is set.', { default: false, since: '1.4.0' }),
    policy_ttl: key(duration, 'How long a policy is kept.', { default: '30s', since: '1.4.0' }),
    report_only: key(
      bool,
      'Nothing is refused but what concerns tokens and policies: what would be is counted, and told in the log.',
      { default: false, since: '1.4.0' },
    ),
    token_ttl: key(duration, 'How long a token is kept.', { default: '30s', since: '1.4.0' }),
    tokens,
  }),
  acl_agent_master_token: key(text, 'As acl.tokens.agent_master.', old('acl.tokens.agent_master', { reload: true })),
  acl_agent_token: key(text, 'As acl.tokens.agent.', old('acl.tokens.agent', { reload: true })),
  acl_datacenter: key(
    text,
    'As primary_datacenter, and turns access control on.',
    old('primary_datacenter and acl.enabled'),
  ),
  acl_default_policy: key(text, 'As acl.default_policy.', old('acl.default_policy', { default: 'allow' })),
  acl_down_policy: key(text, 'As acl.down_policy.', old('acl.down_policy', { default: 'extend-cache' })),
  acl_enable_key_list_policy: key(
    bool,
    'As acl.enable_key_list_policy.',
    old('acl.enable_key_list_policy', { default: false }),
  ),
  acl_enforce_version_8: key(bool, 'Off only while a cluster with access control is upgraded to 0.8.', {
    default: true,
    since: '0.7.2',
    deprecated: 'nothing: leave it out',
  }),
  acl_master_token: key(text, 'As acl.tokens.master.', old('acl.tokens.master')),
  acl_replication_token: key(
    text,
    'As acl.tokens.replication, and turns the copying of tokens on.',
    old('acl.tokens.replication and acl.enable_token_replication', { reload: true }),
  ),
  acl_token: key(text, 'As acl.tokens.default.', old('acl.tokens.default', { reload: true })),
  acl_ttl: key(duration, 'As acl.token_ttl.', old('acl.token_ttl', { default: '30s' })),
  enable_acl_replication: key(
    bool,
    'As acl.enable_token_replication.',
    old('acl.enable_token_replication', { default: false }),
  ),
  primary_datacenter: key(text, 'The datacenter whose tokens and policies hold everywhere.', { since: '1.4.0' }),
}
