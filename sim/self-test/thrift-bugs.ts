import type { PlantedBug } from './planted-bug.ts'

const members = 'src/gossip/core'
const election = 'src/raft/core/election.js'

/** Bugs that cost, or that only another fault shows: found because a law judges each step. */
export const thriftBugs: readonly PlantedBug[] = [
  {
    row: 365,
    name: 'non-voters-stand',
    about: 'a server stands for election although it has no vote',
    patches: [
      {
        file: election,
        find: 'return (isNeeded || isVoter(latest.configuration, raft.id)) && raft',
        replace: 'return raft',
      },
    ],
    hunt: 'members-change',
    foundBy: ['R8'],
  },
  {
    row: 366,
    name: 'former-voters-stand',
    about: 'a server that lost its vote in the last change stands for election even when that change is committed',
    patches: [
      {
        file: election,
        find: 'latest.index > raft.commit && isVoter(',
        replace: 'isVoter(',
      },
    ],
    hunt: 'members-change',
    foundBy: ['R8'],
  },
  {
    row: 367,
    name: 'no-answer-after-silence',
    about: 'a member that has reported silence to the prober keeps a later answer from it',
    patches: [
      {
        file: `${members}/relay.js`,
        find: 'relay.nackMs = Number.POSITIVE_INFINITY;',
        replace: 'gossip.relays.delete(sequence);',
      },
    ],
    hunt: 'late-words',
    foundBy: ['M8'],
  },
  {
    row: 368,
    name: 'relays-end-at-once',
    about: 'a member that was asked to ping another does not wait for the answer',
    patches: [
      {
        file: `${members}/relay.js`,
        find: 'const dueMs = nowMs + probeTimeoutMs;',
        replace: 'const dueMs = nowMs;',
      },
    ],
    hunt: 'late-words',
    foundBy: ['M8'],
  },
  {
    row: 369,
    name: 'broadcast-stays-in-its-row',
    about: 'a broadcast that was sent stays in the queue among those that were not, and is sent without an end',
    patches: [
      {
        file: `${members}/broadcast-queue.js`,
        find: 'row.splice(at, 1);\n                bytes += cost;',
        replace: 'bytes += cost;',
      },
    ],
    hunt: 'late-words',
    foundBy: ['M11'],
  },
  {
    row: 370,
    name: 'exchange-twice-an-interval',
    about: 'members exchange full states twice as often as the settings say',
    patches: [
      {
        file: `${members}/rounds.js`,
        find: 'pushPullMs(pushPullIntervalMs, gossip.roster.length)',
        replace: 'pushPullMs(pushPullIntervalMs / 2, gossip.roster.length)',
      },
    ],
    hunt: 'late-words',
    foundBy: ['M11'],
  },
  {
    row: 371,
    name: 'error-of-a-coordinate-stays',
    about: 'an agent adds the error of each measurement to that of its coordinate, which therefore never falls',
    patches: [
      {
        file: `${members}/vivaldi.js`,
        find: 'own.error * (1 - errorGain * weight)',
        replace: 'own.error',
      },
    ],
    hunt: 'deaths-in-calm',
    foundBy: ['M7'],
  },
]
