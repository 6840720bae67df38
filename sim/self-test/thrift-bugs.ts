import type { PlantedBug } from './planted-bug.ts'

const members = 'src/gossip/core'

/** Bugs that cost, or that only another fault shows: found because a law judges each step. */
export const thriftBugs: readonly PlantedBug[] = [
  {
    row: 365,
    name: 'answer-with-the-own-number',
    about: 'a member hands the answer to a ping on with the number of its own ping, and not of that of the asker',
    patches: [
      {
        file: `${members}/relay.js`,
        find: "{ kind: 'ack', sequence: relay.askerSequence, payload: noPayload }",
        replace: "{ kind: 'ack', sequence, payload: noPayload }",
      },
    ],
    hunt: 'late-words',
    foundBy: ['M8'],
  },
  {
    row: 366,
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
    row: 367,
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
    foundBy: ['M11', 'M12'],
  },
  {
    row: 368,
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
    row: 369,
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
