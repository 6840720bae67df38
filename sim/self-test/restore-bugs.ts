import type { PlantedBug } from './planted-bug.ts'

const store = 'src/store/store.js'

/** Bugs of restoring a snapshot. */
export const restoreBugs: readonly PlantedBug[] = [
  {
    row: 50,
    name: 'restore-wakes-nobody',
    about: 'a restore replaces the state and does not wake blocking queries',
    patches: [
      {
        file: store,
        find: 'this.#floor = index;\n        this.#watches.changedAll();',
        replace: 'this.#floor = index;',
      },
    ],
    hunt: 'state-put-back',
    foundBy: ['W2'],
  },
  {
    row: 51,
    name: 'restored-index-falls',
    about:
      'after a restore, results have the indexes of the restored rows, which may be below those that callers have seen',
    patches: [{ file: store, find: 'this.#floor = index;', replace: 'this.#floor = 0;' }],
    hunt: 'state-put-back',
    foundBy: ['W1', 'W2'],
  },
  {
    row: 113,
    name: 'restore-rewinds-serials',
    about: 'serial numbers continue from the snapshot, although later ones have been used since',
    patches: [
      {
        file: 'src/features/connect/views.js',
        find: 'if (isOfSnapshot)\n        return { first: BigInt(restored.serial), since: restored.index };',
        replace: '',
      },
    ],
    hunt: 'mesh-put-back',
    foundBy: ['C3'],
  },
  {
    row: 114,
    name: 'restore-forgets-leaves',
    about: 'an old root is removed when the last leaf that the snapshot knows has expired',
    patches: [
      {
        file: 'src/features/connect/views.js',
        find: 'return Math.min(restored.leavesUntilMs, root.notAfterMs);',
        replace: 'return undefined;',
      },
    ],
    hunt: 'mesh-put-back',
    foundBy: ['C1', 'C3'],
  },
  {
    row: 176,
    name: 'restore-moves-departures',
    about: 'after a snapshot is restored, the last change of a table counts as its last deletion',
    patches: [{ file: 'src/store/restore.js', find: 'departures[name] ?? lastChange', replace: 'lastChange' }],
    hunt: 'tails-and-snapshots',
    foundBy: ['R5'],
  },
  {
    row: 177,
    name: 'restore-ages-tables',
    about: 'after a snapshot is restored, the index of each table is one lower than it was',
    patches: [
      {
        file: 'src/store/restore.js',
        find: 'lastChange, departures: departed }',
        replace: 'lastChange: Math.max(lastChange - 1, 0), departures: departed }',
      },
    ],
    hunt: 'tails-and-snapshots',
    foundBy: ['R5'],
  },
  {
    row: 178,
    name: 'install-wakes-nobody',
    about: 'a follower installs a snapshot of its leader and does not wake its blocking queries',
    patches: [
      {
        file: store,
        find: 'this.#replace(version.value);\n                this.#watches.changedAll();',
        replace: 'this.#replace(version.value);',
      },
    ],
    hunt: 'tails-and-snapshots',
    foundBy: ['W2', 'W3'],
  },
  {
    row: 333,
    name: 'restore-loses-a-lock',
    about: 'a restore leaves out the first of the locks that sessions hold',
    patches: [
      {
        file: 'src/store/restore.js',
        find: 'draft.restore(key, ',
        replace: "if (announced.name !== 'kv-holds' || filling.rows > 0)\n            draft.restore(key, ",
      },
    ],
    hunt: 'locks-are-put-back',
    foundBy: ['S5'],
  },
  {
    row: 334,
    name: 'sessions-survive-a-restore',
    about: 'a restore leaves sessions as they are at present',
    patches: [
      {
        file: store,
        find: 'if (!this.#isReplaced(name))',
        replace: "if (!this.#isReplaced(name) || name === 'sessions')",
      },
    ],
    hunt: 'locks-are-put-back',
    foundBy: ['S5'],
  },
]
