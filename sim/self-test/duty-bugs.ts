import type { PlantedBug } from './planted-bug.ts'

const core = 'src/raft/core'

/** Bugs in what a leader owes to its followers, and in what they need not tell each other. */
export const dutyBugs: readonly PlantedBug[] = [
  {
    row: 402,
    name: 'address-known-when-committed',
    about:
      'a server learns addresses from a configuration only when that is committed, and cannot reach a new server before',
    patches: [
      {
        file: `${core}/appending.js`,
        find: "emit(raft, {\n        kind: 'configuration-changed',\n        configuration: configuration.value,",
        replace: "void ({\n        kind: 'configuration-changed',\n        configuration: configuration.value,",
      },
    ],
    hunt: 'servers-are-replaced',
    foundBy: ['R12'],
  },
  {
    row: 403,
    name: 'heartbeats-for-voters-alone',
    about: 'a leader sends no heartbeats to servers that have no vote yet',
    patches: [
      {
        file: `${core}/heartbeat.js`,
        find: 'if (!progress.sentSinceTick || silent || readsWait)',
        replace: 'if (isVoter(configurationOf(raft), progress.id) && (!progress.sentSinceTick || silent || readsWait))',
      },
    ],
    hunt: 'servers-are-replaced',
    foundBy: ['R12'],
  },
  {
    row: 404,
    name: 'heartbeats-beside-entries',
    about: 'a leader sends heartbeats to followers that it has just sent entries, as if reads waited',
    patches: [
      {
        file: `${core}/heartbeat.js`,
        find: 'const readsWait = role.reads.length > 0;',
        replace: 'const readsWait = role.reads.length >= 0;',
      },
    ],
    hunt: 'tails-and-snapshots',
    foundBy: ['R13'],
  },
  {
    row: 405,
    name: 'answers-wait-for-nothing',
    about:
      'an answer that needs nothing of the disk counts as one that waits for it, so each heartbeat is answered twice',
    patches: [
      {
        file: `${core}/outbox.js`,
        find: 'turn.truncateFrom !== undefined || turn.entries.length > 0;',
        replace: 'turn.truncateFrom !== undefined || turn.entries.length >= 0;',
      },
    ],
    hunt: 'leaders-are-asked',
    foundBy: ['R13'],
  },
  {
    row: 406,
    name: 'commit-told-again',
    about: 'a leader tells a follower after each answer how much is committed, although it knows',
    patches: [
      {
        file: `${core}/sending.js`,
        find: 'if (progress.commitTold >= raft.commit || progress.next',
        replace: 'if (progress.next',
      },
    ],
    hunt: 'leaders-are-asked',
    foundBy: ['R13'],
  },
  {
    row: 407,
    name: 'transfer-fails-by-success',
    about: 'a transfer of leadership fails if the chosen server wins, and succeeds if another one does',
    patches: [
      { file: `${core}/transfer.js`, find: 'if (leader !== transfer.to)', replace: 'if (leader === transfer.to)' },
    ],
    hunt: 'leaders-are-asked',
    foundBy: ['R14'],
  },
  {
    row: 409,
    name: 'leads-on-for-two-leases',
    about: 'a leader that no majority answers leads on for twice its lease',
    patches: [
      {
        file: `${core}/heartbeat.js`,
        find: 'if (silentMs < timing.leaderLeaseMs)',
        replace: 'if (silentMs < 2 * timing.leaderLeaseMs)',
      },
    ],
    hunt: 'two-and-two',
    foundBy: ['R12'],
  },
]
