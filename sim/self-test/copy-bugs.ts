import type { PlantedBug } from './planted-bug.ts'

const copying = 'src/features/acl/replication/copying.js'
const copied = 'tokens-are-copied'

/** Bugs of what a secondary datacenter copies of access control. */
export const copyBugs: readonly PlantedBug[] = [
  {
    row: 160,
    name: 'removals-not-copied',
    about: 'a round takes over what is new and changed, and leaves what the primary datacenter has removed',
    patches: [
      {
        file: copying,
        find: 'gone: ours.filter(({ id }) => !there.has(id))',
        replace: 'gone: [].filter(({ id }) => !there.has(id))',
      },
    ],
    hunt: copied,
    foundBy: ['A5', 'A1'],
  },
  {
    row: 161,
    name: 'changes-not-copied',
    about: 'a round takes over what is new, and not what has changed',
    patches: [{ file: copying, find: 'here.get(id) !== hash', replace: '!here.has(id)' }],
    hunt: copied,
    foundBy: ['A5'],
  },
  {
    row: 162,
    name: 'a-failed-round-empties',
    about: 'a round that the primary datacenter did not answer counts as one that found no tokens there',
    patches: [
      {
        file: copying,
        find: "const list = await askNewPrimary(round, tokenListEndpoint, { policy: '' }, round.after);",
        replace:
          "const asked = await askNewPrimary(round, tokenListEndpoint, { policy: '' }, round.after); const list = asked.ok ? asked : ok({ found: [], index: noChange });",
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
]
