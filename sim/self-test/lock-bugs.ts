import type { PlantedBug } from './planted-bug.ts'

/** Bugs of sessions and of the locks that they hold. */
export const lockBugs: readonly PlantedBug[] = [
  {
    row: 17,
    name: 'lock-delay-ignored',
    about: 'a leader considers every lock delay expired',
    patches: [
      {
        file: 'src/features/kv/lock-delays.js',
        find: 'return seen !== undefined && this.#server.env.clock.monoMs() - seen.atMs >= delayMs;',
        replace: 'return seen !== undefined;',
      },
    ],
    hunt: 'holders-sleep',
    foundBy: ['S1'],
  },
  {
    row: 17,
    name: 'sessions-not-rearmed',
    about: 'a new leader tracks only sessions that it sees created or renewed',
    patches: [
      {
        file: 'src/features/session/duty.js',
        find: 'for (const session of allSessions(server.read()))\n            this.extend(session);',
        replace: '',
      },
    ],
    hunt: 'holders-sleep',
    foundBy: ['S2'],
  },
  {
    row: 26,
    name: 'plain-write-resets-lock',
    about: 'a plain write resets LockIndex to 0, as in the system of the field',
    patches: [
      {
        file: 'src/features/kv/writes.js',
        find: 'lockIndex: before?.lockIndex ?? 0 });',
        replace: 'lockIndex: 0 });',
      },
    ],
    hunt: 'holders-sleep',
    foundBy: ['S3'],
  },
  {
    row: 27,
    name: 'renewals-forgotten',
    about: 'a renewal is answered, and the session still expires as if there had been none',
    patches: [
      {
        file: 'src/features/session/duty.js',
        find: 'this.#deadlines.set(id, atMs);\n        if (isNew)',
        replace: 'if (isNew)\n            this.#deadlines.set(id, atMs);\n        if (isNew)',
      },
    ],
    hunt: 'holders-sleep',
    foundBy: ['S2'],
  },
  {
    row: 28,
    name: 'found-delays-over',
    about: 'a new leader considers the lock delays that it finds expired',
    patches: [
      {
        file: 'src/features/kv/lock-delays.js',
        find: 'this.#server = server;\n',
        replace: 'this.#server = server;\n        this.#overThrough = server.read().index;\n',
      },
    ],
    hunt: 'holders-sleep',
    foundBy: ['S1'],
  },
  {
    row: 330,
    name: 'deleted-key-stays-held',
    about: 'a key that is deleted while a session holds it is still listed among the locks of the session',
    patches: [
      {
        file: 'src/features/kv/writes.js',
        find: "if (session !== '')\n        tx.delete(holdsTable, holdKey(session, key));\n    return",
        replace: 'void session;\n    return',
      },
    ],
    hunt: 'own-keys',
    foundBy: ['S1'],
  },
  {
    row: 331,
    name: 'passed-lock-is-not-counted',
    about: 'a lock that a transaction takes after it has written the key is not counted in LockIndex',
    patches: [
      {
        file: 'src/features/kv/writes.js',
        find: "(before?.lockIndex ?? 0) + (holder === '' ? 1 : 0)",
        replace: "(before?.lockIndex ?? 0) + (holder === '' && before?.modifyIndex !== tx.index ? 1 : 0)",
      },
    ],
    hunt: 'own-keys',
    foundBy: ['S3'],
  },
  {
    row: 332,
    name: 'transaction-seizes-a-lock',
    about: 'a transaction that has written a key may lock it although another session holds it',
    patches: [
      {
        file: 'src/features/kv/writes.js',
        find: "if (holder !== '' && holder !== session)",
        replace: "if (holder !== '' && holder !== session && before?.modifyIndex !== tx.index)",
      },
    ],
    hunt: 'own-keys',
    foundBy: ['S1', 'K4'],
  },
  {
    row: 390,
    name: 'locks-without-a-delay',
    about: 'the command for a lock on a key without a lock delay lacks the number that says which delay is over',
    patches: [
      {
        file: 'src/features/kv/lock-delays.js',
        find: '=== true ? delay.index : 0;',
        replace: '=== true ? delay.index : delay && 0;',
      },
    ],
    hunt: 'holders-sleep',
    foundBy: ['P2'],
  },
]
