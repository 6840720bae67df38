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
]
