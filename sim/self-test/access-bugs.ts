import type { PlantedBug } from './planted-bug.ts'

const support = 'src/agent/access/mode.js'
const modeCommands = 'src/features/acl/system/mode-commands.js'
/** Without this, no leader would write a command that a voter does not know, whatever it thinks of the mode. */
const gateOpen = {
  file: 'src/agent/servers/command-gate.js',
  find: 'if (server === undefined ||',
  replace: 'if (server !== undefined ||',
}
const migrated = 'tokens-are-migrated'
const revoked = 'tokens-are-revoked'

/** Bugs of access control. The first of them are rows 24 and 25 of the list of famous bugs. */
export const accessBugs: readonly PlantedBug[] = [
  {
    row: 24,
    name: 'mode-ends-too-early',
    about: 'the legacy mode ends although a server of an old release is among the members',
    patches: [
      gateOpen,
      {
        file: support,
        find: 'if (supportsPolicies(acls))',
        replace: 'if (supportsPolicies(acls) || acls === undefined)',
      },
    ],
    hunt: migrated,
    foundBy: ['A2'],
  },
  {
    row: 25,
    name: 'accessor-lost',
    about: 'a legacy token that is written again loses the accessor from the migration, and gets another',
    patches: [
      {
        file: 'src/features/acl/legacy/legacy-commands.js',
        find: "const accessor = before?.accessor ?? '';",
        replace: "const accessor = '';",
      },
    ],
    hunt: migrated,
    foundBy: ['A4'],
  },
  {
    row: 80,
    name: 'the-failed-do-not-count',
    about: 'the legacy mode ends while a server of an old release is down, which comes back as it was',
    patches: [
      { file: support, find: 'const unseen = configuration.servers.filter(', replace: 'const unseen = [].filter(' },
      gateOpen,
      { file: support, find: "member.status === 'left'", replace: "member.status !== 'alive'" },
    ],
    hunt: migrated,
    foundBy: ['A2'],
  },
  {
    row: 81,
    name: 'mode-goes-back',
    about: 'restoring an earlier snapshot brings the legacy mode back',
    patches: [{ file: 'src/features/acl/tables.js', find: 'ofCluster: true,', replace: '' }],
    hunt: migrated,
    foundBy: ['A3'],
  },
  {
    row: 82,
    name: 'batches-too-large',
    about: 'the migration gives 200 tokens their accessors in one batch',
    patches: [{ file: modeCommands, find: 'migratedAtOnce = 128;', replace: 'migratedAtOnce = 200;' }],
    hunt: migrated,
    foundBy: ['A4'],
  },
  {
    row: 83,
    name: 'batches-too-fast',
    about: 'the migration starts its next batch after a fifth of a second',
    patches: [
      { file: 'src/features/acl/system/migration.js', find: 'const pauseMs = 1_000;', replace: 'const pauseMs = 200;' },
    ],
    hunt: migrated,
    foundBy: ['A4'],
  },
  {
    row: 84,
    name: 'revoked-and-still-good',
    about: 'the cached rights of a token from another datacenter never expire',
    patches: [
      {
        file: 'src/agent/access/asked-tokens.js',
        find: 'if (this.#nowMs() < kept.untilMs)',
        replace: 'if (this.#nowMs() < kept.untilMs || kept.rights !== undefined)',
      },
    ],
    hunt: revoked,
    foundBy: ['A1'],
  },
  {
    row: 85,
    name: 'default-inverted',
    about: 'an action without a matching rule is allowed, although the default policy is deny',
    patches: [
      {
        file: 'src/access/policy-authorizer.js',
        find: "return this.#options.defaultPolicy === 'allow' && resource",
        replace: "return this.#options.defaultPolicy === 'deny' && resource",
      },
    ],
    hunt: revoked,
    foundBy: ['A1'],
  },
  {
    row: 86,
    name: 'readers-write',
    about: 'the right to read implies the right to write',
    patches: [
      {
        file: 'src/access/rules.js',
        find: 'return ranks[level] >= ranks[right];',
        replace: 'return ranks[level] > 0 || ranks[right] === 0;',
      },
    ],
    hunt: revoked,
    foundBy: ['A1'],
  },
  {
    row: 87,
    name: 'nobody-asks',
    about: 'servers resolve a token but do not check its rights',
    patches: [
      {
        file: 'src/agent/access/gate.js',
        find: 'if (authorizer.unrestricted)',
        replace: "if (authorizer.unrestricted || authorizer.accessor !== 'nobody')",
      },
    ],
    hunt: revoked,
    foundBy: ['A1'],
  },
  {
    row: 126,
    name: 'index-falls-for-one-caller',
    about: 'the index for one caller ignores tombstones, and falls when its newest key is deleted',
    patches: [
      {
        file: 'src/features/kv/endpoint.js',
        find: 'if (index > newest && readsKey(authorizer, name))',
        replace: "if (index > newest && name === '')",
      },
    ],
    hunt: 'keys-are-followed-by-few',
    foundBy: ['W1', 'W2'],
  },
]
