import type { PlantedBug } from './planted-bug.ts'

const copying = 'src/features/acl/replication/copying.js'
const comparing = 'src/features/acl/replication/comparing.js'
const copied = 'tokens-are-copied'
const copiedBefore = 'old-tokens-are-copied'

/** Bugs of what a secondary datacenter copies of access control. */
export const copyBugs: readonly PlantedBug[] = [
  {
    row: 160,
    name: 'removals-not-copied',
    about:
      'a replication round copies new and changed entries, but does not remove what the primary datacenter has removed',
    patches: [
      {
        file: comparing,
        find: 'gone: ours.map(idOf).filter((id) => !there.has(id))',
        replace: 'gone: [].filter((id) => !there.has(id))',
      },
    ],
    hunt: copied,
    foundBy: ['A5', 'A1'],
  },
  {
    row: 161,
    name: 'changes-not-copied',
    about: 'a replication round copies new entries, but not changed ones',
    patches: [{ file: comparing, find: 'own !== undefined && isSame(entry, own)', replace: 'own !== undefined' }],
    hunt: copied,
    foundBy: ['A5'],
  },
  {
    row: 162,
    name: 'a-failed-round-empties',
    about: 'a replication round that the primary datacenter did not answer counts as one that found no tokens',
    patches: [
      {
        file: copying,
        find: 'const list = await listedTokens(round, round.after);',
        replace:
          'const asked = await listedTokens(round, round.after); const list = asked.ok ? asked : ok({ found: { entries: [], hasUnnamed: false }, index: noChange });',
      },
    ],
    hunt: copied,
    foundBy: ['A5'],
  },
  {
    row: 163,
    name: 'removed-before-it-is-copied-again',
    about: 'the copy of a token that has changed is removed, and the changed token copied by another command',
    patches: [
      {
        file: copying,
        find: `for (const remove of inBatches(gone, replicatedAtOnce)) {
        const removed = await server.propose(replicateTokens,`,
        replace: `for (const remove of inBatches([...gone, ...changed], replicatedAtOnce)) {
        const removed = await server.propose(replicateTokens,`,
      },
    ],
    hunt: copied,
    foundBy: ['A5'],
  },
  {
    row: 189,
    name: 'edited-rules-count-as-copied',
    about: 'in the legacy mode a token whose rules were replaced counts as already copied',
    patches: [
      {
        file: copying,
        find: 'own.type === token.type && own.rules === token.rules;',
        replace: 'own.type === token.type;',
      },
    ],
    hunt: copiedBefore,
    foundBy: ['A5'],
  },
  {
    row: 190,
    name: 'old-copies-stay',
    about: 'in the legacy mode a token that the primary datacenter has removed stays in the copy',
    patches: [{ file: copying, find: 'if (theirs.has(id))', replace: 'if (theirs.has(id) || ours.has(id))' }],
    hunt: copiedBefore,
    foundBy: ['A5', 'A1'],
  },
  {
    row: 476,
    name: 'types-are-not-copied',
    about: 'in the legacy mode a token whose type was changed counts as already copied',
    patches: [{ file: copying, find: ' && own.type === token.type', replace: '' }],
    hunt: copiedBefore,
    foundBy: ['A5'],
  },
  {
    row: 478,
    name: 'new-tokens-come-first',
    about: 'a new token is copied although its policy is not yet',
    patches: [{ file: copying, find: 'lacks(link) && there.has(link.id)', replace: 'false' }],
    hunt: copied,
    foundBy: ['A5'],
  },
]
