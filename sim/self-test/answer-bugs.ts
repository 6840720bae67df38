import type { PlantedBug } from './planted-bug.ts'

/** Bugs of what clients are answered: writes that are repeated, reads that are parked or shared, keys that are gone. */
export const answerBugs: readonly PlantedBug[] = [
  {
    row: 16,
    name: 'repeated-writes',
    about: 'a write that an agent sends again after a lost answer takes effect again',
    patches: [
      {
        file: 'src/agent/replication/forwarded-writes.js',
        find: 'if (before !== undefined)\n',
        replace: 'if (before === null)\n',
      },
    ],
    hunt: 'lost-answers',
    foundBy: ['K3', 'K1'],
  },
  {
    row: 20,
    name: 'no-tombstone',
    about: 'a deleted key leaves no tombstone, so that the index of its prefix falls',
    patches: [
      {
        file: 'src/features/kv/writes.js',
        find: 'if (dropRow(tx, key))\n        tx.put(tombstoneTable, { key, index: tx.index });',
        replace: 'dropRow(tx, key);',
      },
    ],
    hunt: 'keys-are-followed',
    foundBy: ['W1', 'W2'],
  },
  {
    row: 21,
    name: 'parked-too-late',
    about:
      'a blocking query registers its watch a moment after its evaluation, and a change in between does not wake it',
    patches: [
      {
        file: 'src/agent/requests/serving/dispatch.js',
        find: 'if (observed === undefined || observed.found.at',
        replace:
          'const { promise, resolve } = this.#context.env.deferred();\n' +
          '            this.#context.env.timers.after(1, resolve);\n' +
          '            await promise;\n' +
          '            if (observed === undefined || observed.found.at',
      },
      {
        file: 'src/store/store.js',
        find: 'invariant(touched.at === this.#state.index, ',
        replace: 'invariant(touched.at >= 0, ',
      },
    ],
    hunt: 'keys-are-followed',
    foundBy: ['W2', 'W3'],
  },
  {
    row: 127,
    name: 'an-answer-loses-its-value',
    about:
      'an agent that became the leader gives callers of a shared read a copy of the cached answer without its value',
    patches: [
      {
        file: 'src/agent/requests/asking/shared-waits.js',
        find: 'ok(shareable(told.value))',
        replace: 'ok({ ...told.value, forms: new SharedForms() })',
      },
    ],
    hunt: 'power-cuts',
    foundBy: ['P2'],
  },
]
