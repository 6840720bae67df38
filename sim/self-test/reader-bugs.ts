import type { PlantedBug } from './planted-bug.ts'

const waits = 'src/agent/requests/asking/shared-waits.js'
const hunt = 'indexes-are-followed'

/** Bugs of blocking reads, between the wake-up at a server and the client that waits. */
export const readerBugs: readonly PlantedBug[] = [
  {
    row: 150,
    name: 'no-news-is-news',
    about: 'a blocking query is answered at once with the index that the client already has',
    patches: [
      {
        file: 'src/agent/requests/serving/seen-results.js',
        find: 'if (found.index <= minIndex)',
        replace: 'if (found.index < minIndex)',
      },
    ],
    hunt,
    foundBy: ['W4'],
  },
  {
    row: 151,
    name: 'time-over-at-a-follower',
    about:
      'when its wait time is over, a shared blocking query is answered from the state of the asked server, however stale',
    patches: [
      {
        file: waits,
        find: "return news === 'time-over' ? ask({ ...read, minIndex: noChange, waitMs: 0 }, options) : news;",
        replace:
          "return news === 'time-over' ? ask({ ...read, consistency: 'stale', minIndex: noChange, waitMs: 0 }, options) : news;",
      },
    ],
    hunt,
    foundBy: ['W1', 'W4'],
  },
  {
    row: 152,
    name: 'one-of-a-group-is-told',
    about: 'only one of the callers that share a blocking query learns of a change; the others wait on',
    patches: [
      {
        file: waits,
        find: 'for (const member of [...group.members])',
        replace: 'for (const member of [...group.members].slice(0, 1))',
      },
    ],
    hunt,
    foundBy: ['W4'],
  },
  {
    row: 153,
    name: 'waits-for-twice-the-time',
    about: 'the random part of a wait time is as long as the wait time itself',
    patches: [
      { file: 'src/model/limits.js', find: 'blockingJitterFraction = 16', replace: 'blockingJitterFraction = 1' },
    ],
    hunt,
    foundBy: ['W4'],
  },
  {
    row: 424,
    name: 'changes-of-hidden-nodes-are-told',
    about: 'the index of a node that the token may not see is that of its last change',
    patches: [
      {
        file: 'src/features/catalog/sight.js',
        find: 'node === undefined || !seesNode(authorizer, node.node)',
        replace: 'node === undefined',
      },
    ],
    hunt: 'hidden-things-change',
    foundBy: ['W6'],
  },
  {
    row: 425,
    name: 'checks-leave-a-list-unseen',
    about:
      'the index of the checks in one state, for a token of few rights, does not rise when one of them changes its state',
    patches: [
      {
        file: 'src/features/health/endpoint.js',
        find: "state === 'any' ? departuresIndex(tx) : statusDeparturesIndex(tx)",
        replace: 'departuresIndex(tx)',
      },
    ],
    hunt: 'seen-things-change',
    foundBy: ['W2'],
  },
  {
    row: 481,
    name: 'bare-nodes-go-unseen',
    about: 'the index of a node does not rise when the node goes without a service or a check on it',
    patches: [{ file: 'src/features/catalog/changes.js', find: 'tx.delete(nodeChangesTable, name)', replace: 'false' }],
    hunt: 'seen-things-change',
    foundBy: ['W2'],
  },
  {
    row: 482,
    name: 'hidden-names-are-taken-unseen',
    about: 'an instance that changes its service to one that a token may not see does not count as gone for that token',
    patches: [
      {
        file: 'src/features/catalog/tables.js',
        find: 'before.service === after.service && meshDestination(before)',
        replace: 'meshDestination(before)',
      },
    ],
    hunt: 'seen-things-change',
    foundBy: ['W2'],
  },
]
