import type { PlantedBug } from './planted-bug.ts'

const store = 'src/store/store.js'

/** What may go wrong when a snapshot takes the place of the state. */
export const restoreBugs: readonly PlantedBug[] = [
  {
    row: 50,
    name: 'restore-wakes-nobody',
    about: 'another state takes the place of the one before, and who waits for changes is not told',
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
    about: 'results of a state that was put back have the indexes of its rows, below what callers know',
    patches: [{ file: store, find: 'this.#floor = index;', replace: 'this.#floor = 0;' }],
    hunt: 'state-put-back',
    foundBy: ['W1', 'W2'],
  },
  {
    row: 113,
    name: 'restore-rewinds-serials',
    about: 'serial numbers are counted on from where the snapshot stood, though others have had them since',
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
    about: 'an old root goes when the last leaf that the snapshot knows of has expired',
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
]
