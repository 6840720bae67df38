import type { ReleaseChange } from './release-change.ts'

/** Changes of what access control asks for, oldest first. See `changes`. */
export const accessChanges = {
  'registrations-need-a-rule': {
    since: { major: 0, minor: 5, patch: 0 },
    reference: 'REL-0.5-1, REL-0.5-2',
    what: 'Everybody may register services. Since then that needs a rule `service` that writes.',
    who: 'agents, where the default policy is deny: their services do not come into the catalog',
    see: { ask: 'PUT /v1/catalog/register, with a token without rules' },
    requirements: [],
  },
  'reads-need-a-rule': {
    since: { major: 0, minor: 6, patch: 0 },
    reference: 'REL-0.6-1',
    what: 'Everybody may look for services. Since then HTTP and DNS tell of those that a rule `service` reads.',
    who: 'clients, where the default policy is deny: lists are empty, and names are unknown',
    see: { ask: 'GET /v1/catalog/services, with a token without rules' },
    requirements: [],
  },
  'events-and-keyring-need-a-rule': {
    since: { major: 0, minor: 6, patch: 0 },
    reference: 'REL-0.6-2',
    what: 'Everybody may fire events and turn the keys of the pool. Since then that needs the rules `event` and `keyring`.',
    who: 'who fires events or turns keys, where the default policy is deny',
    see: { ask: 'PUT /v1/event/fire/x, with a token without rules' },
    requirements: [],
  },
  'queries-need-a-rule': {
    since: { major: 0, minor: 6, patch: 4 },
    reference: 'REL-0.6.4-1, REL-0.6.4-2',
    what: 'Prepared queries are asked no rule of their own. Since then one with a name needs a rule `query`.',
    who: 'who manages named queries, where the default policy is deny',
    see: { ask: 'GET /v1/query, with a token without rules' },
    requirements: [],
  },
  'rules-of-version-8': {
    since: { major: 0, minor: 8, patch: 0 },
    reference: 'REL-0.8.0-4, REL-0.7.2-1; section 0, defaults',
    what: 'Rules for agent, node, operator and session are asked for only where `acl_enforce_version_8` is true, which 0.7.2 brought. Since then it is true if absent.',
    who: 'everybody with a token, where the default policy is deny: nodes and members are left out, sessions refused',
    see: { ask: 'GET /v1/agent/members, with a token without rules' },
    requirements: [],
  },
  'tokens-and-policies': {
    since: { major: 1, minor: 4, patch: 0 },
    reference: 'REL-1.4.0-1 to 1.4.0-9',
    what: 'A token carries its rules, and its ID is its secret. Since then tokens have accessors and are bound to policies, once all servers of the datacenter and of the primary one support that; legacy tokens are migrated, and go on.',
    who: 'operators: there is no way back, for older servers stop at the first of the new commands',
    see: { ask: 'GET /v1/acl/tokens' },
    requirements: ['UPG-002', 'UPG-059'],
  },
} as const satisfies Record<string, ReleaseChange>
