import { block, type KeyFacts, keysOf } from './key.ts'
import { bool, duration, text } from './types.ts'

/** Keys of access control. Reference: configuration.md#access-control-keys. */

const key = keysOf('access control')
const old = (instead: string, more: KeyFacts = {}): KeyFacts => ({ deprecated: instead, ...more })

/** A reload applies them. */
const taken = { since: '1.4.0', reload: true } as const

const tokens = block('Tokens that the agent itself uses.', {
  agent: key(text, 'Token of the requests that the agent makes for itself. Default: acl.tokens.default.', taken),
  agent_master: key(
    text,
    'Secret that gives access to the endpoints of this agent while no server can be reached.',
    taken,
  ),
  default: key(text, 'Token of DNS questions, and of HTTP requests that carry none.', taken),
  master: key(text, 'Secret of a token with all rights, which the leader of the primary datacenter creates.', {
    since: '1.4.0',
  }),
  replication: key(text, 'Token with which servers copy policies and tokens from the primary datacenter.', taken),
})

export const accessKeys = {
  acl: block('Access control.', {
    default_policy: key(text, 'allow or deny: what happens to a request that no rule covers.', {
      default: 'allow',
      since: '1.4.0',
    }),
    disabled_ttl: key(duration, 'Accepted, without effect: it is always 120s.', {
      since: '1.4.0',
      waits: { for: 'the value is fixed', never: true },
    }),
    down_policy: key(
      text,
      'allow, deny, extend-cache or async-cache: what is done with tokens while the primary datacenter cannot be reached.',
      {
        default: 'extend-cache',
        since: '1.4.0',
      },
    ),
    enable_key_list_policy: key(bool, 'Listing keys needs the permission `list`, which reading alone does not give.', {
      default: false,
      since: '1.4.0',
    }),
    enable_token_replication: key(bool, 'Servers copy tokens, and not policies alone, from the primary datacenter.', {
      default: false,
      since: '1.4.0',
    }),
    enabled: key(bool, 'Turns access control on. Default: true where acl_datacenter is set.', {
      default: false,
      since: '1.4.0',
    }),
    policy_ttl: key(duration, 'How long an agent keeps a policy before it asks a server again.', {
      default: '30s',
      since: '1.4.0',
    }),
    report_only: key(
      bool,
      'A rehearsal: requests that would be refused are counted and logged, and allowed all the same. Requests about tokens and policies are refused as usual.',
      { default: false, since: '1.4.0' },
    ),
    token_ttl: key(duration, 'How long an agent keeps a token before it asks a server again.', {
      default: '30s',
      since: '1.4.0',
    }),
    tokens,
  }),
  acl_agent_master_token: key(
    text,
    'The old name of acl.tokens.agent_master.',
    old('acl.tokens.agent_master', { reload: true }),
  ),
  acl_agent_token: key(text, 'The old name of acl.tokens.agent.', old('acl.tokens.agent', { reload: true })),
  acl_datacenter: key(
    text,
    'The old name of primary_datacenter; it turns access control on as well.',
    old('primary_datacenter and acl.enabled'),
  ),
  acl_default_policy: key(text, 'The old name of acl.default_policy.', old('acl.default_policy', { default: 'allow' })),
  acl_down_policy: key(text, 'The old name of acl.down_policy.', old('acl.down_policy', { default: 'extend-cache' })),
  acl_enable_key_list_policy: key(
    bool,
    'The old name of acl.enable_key_list_policy.',
    old('acl.enable_key_list_policy', { default: false }),
  ),
  acl_enforce_version_8: key(bool, 'false while a cluster with access control is upgraded to 0.8, and only then.', {
    default: true,
    since: '0.7.2',
    deprecated: 'nothing: leave it out',
  }),
  acl_master_token: key(text, 'The old name of acl.tokens.master.', old('acl.tokens.master')),
  acl_replication_token: key(
    text,
    'The old name of acl.tokens.replication; it turns the copying of tokens on as well.',
    old('acl.tokens.replication and acl.enable_token_replication', { reload: true }),
  ),
  acl_token: key(text, 'The old name of acl.tokens.default.', old('acl.tokens.default', { reload: true })),
  acl_ttl: key(duration, 'The old name of acl.token_ttl.', old('acl.token_ttl', { default: '30s' })),
  enable_acl_replication: key(
    bool,
    'The old name of acl.enable_token_replication.',
    old('acl.enable_token_replication', { default: false }),
  ),
  primary_datacenter: key(text, 'The datacenter whose tokens and policies all others use.', { since: '1.4.0' }),
}
