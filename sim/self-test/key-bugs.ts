import { patchesOf } from './patch.ts'
import type { PlantedBug } from './planted-bug.ts'

const hunt = 'own-keys'
const inKv = patchesOf('src/features/kv')

/** Bugs of single operations on keys, each of one that few clients use. */
export const keyBugs: readonly PlantedBug[] = [
  {
    row: 280,
    name: 'created-anew',
    about: 'writing an existing key changes its CreateIndex',
    patches: [inKv('writes.js', 'createIndex: before?.createIndex ?? tx.index,', 'createIndex: tx.index,')],
    hunt,
    foundBy: ['K4', 'S3'],
  },
  {
    row: 281,
    name: 'names-cut-too-early',
    about: 'a list of key names is cut at a separator that is part of the prefix itself',
    patches: [inKv('endpoint.js', 'whole.indexOf(separator, prefix.length)', 'whole.indexOf(separator)')],
    hunt,
    foundBy: ['K4'],
  },
  {
    row: 282,
    name: 'verb-without-index',
    about: 'delete-cas in a transaction deletes a key whatever its index is',
    patches: [
      inKv(
        'operations.js',
        'return deleteKeyAt(tx, key, index) ?',
        'return deleteKeyAt(tx, key, BigInt(tx.get(kvTable, key)?.modifyIndex ?? 0)) ?',
      ),
    ],
    hunt,
    foundBy: ['K4'],
  },
  {
    row: 283,
    name: 'deleted-at-any-index',
    about: 'delete-cas deletes a key whatever index the client gives',
    patches: [
      inKv(
        'writes.js',
        'if (before !== undefined && BigInt(before.modifyIndex) !== index)',
        'if (before !== undefined && index === 0n)',
      ),
    ],
    hunt,
    foundBy: ['K2', 'K4'],
  },
  {
    row: 284,
    name: 'tree-keeps-its-root',
    about: 'deleting a tree leaves the key whose name is the prefix itself',
    patches: [
      inKv(
        'writes.js',
        'any = dropRow(tx, row.key) || any;',
        'any = (row.key !== prefix && dropRow(tx, row.key)) || any;',
      ),
    ],
    hunt,
    foundBy: ['K2', 'K4'],
  },
  {
    row: 285,
    name: 'flags-in-doubles',
    about: 'an agent rejects an entry as malformed when its flags do not fit into a double',
    patches: [
      inKv('replies.js', "typeof value === 'number' || typeof value === 'bigint';", "typeof value === 'number';"),
    ],
    hunt,
    foundBy: ['P3'],
  },
  {
    row: 286,
    name: 'sessions-of-one-kind',
    about: 'an agent rejects a session without a TTL as malformed',
    patches: [
      patchesOf('src/features/session')(
        'tables.js',
        'sessionRow = z.object({ ...sessionFields,',
        'sessionRow = z.object({ ...sessionFields, ttlMs: z.number().positive(),',
      ),
    ],
    hunt,
    foundBy: ['P3', 'P1'],
  },
  {
    row: 287,
    name: 'delays-forgotten-once',
    about: 'a leader removes expired lock delays once, and never again',
    patches: [inKv('lock-delays.js', 'this.#timer = undefined;\n        this.#schedule();', 'this.#schedule();')],
    hunt,
    foundBy: ['K5'],
  },
  {
    row: 288,
    name: 'reaper-stops',
    about: 'a leader that has reaped tombstones once does not reap again',
    patches: [
      inKv(
        'duty.js',
        'if (!this.#closed)\n            this.start();',
        'if (!this.#closed && due < 0)\n            this.start();',
      ),
    ],
    hunt,
    foundBy: ['K5'],
  },
  {
    row: 289,
    name: 'reaped-at-sight',
    about: 'tombstones are reaped at the first step after the leader saw them',
    patches: [inKv('duty.js', 'this.#steps - step >= this.#keptSteps', 'this.#steps - step >= 1')],
    hunt,
    foundBy: ['K5', 'W1'],
  },
  {
    row: 430,
    name: 'young-delays-are-forgotten',
    about: 'the command that forgets lock delays forgets one beyond its limit, and also those that are not over',
    patches: [inKv('commands.js', 'if (index > through || forgotten === limit)', 'if (forgotten > limit)')],
    hunt,
    foundBy: ['K5', 'S1'],
  },
  {
    row: 431,
    name: 'tombstones-are-sighted-anew',
    about: 'a leader that has reaped tombstones counts the age of all others anew',
    patches: [inKv('duty.js', 'this.#sightings.splice(0, due + 1);', 'this.#sightings.splice(0);')],
    hunt,
    foundBy: ['K5'],
  },
  {
    row: 432,
    name: 'sessions-of-every-node',
    about: 'the list of the sessions of a node has those of all nodes',
    patches: [
      patchesOf('src/features/session')(
        'endpoint.js',
        'value: [...sessionsOfNode(tx, node)]',
        'value: [...allSessions(tx)]',
      ),
    ],
    hunt,
    foundBy: ['K4'],
  },
]
