import type { PlantedBug } from './planted-bug.ts'

const consensus = 'src/raft/core'
const gossip = 'src/gossip/core'

/** What goes wrong where a server or an agent has reached a limit. */
export const limitBugs: readonly PlantedBug[] = [
  {
    row: 446,
    name: 'appends-of-any-size',
    about: 'a leader puts as many bytes of entries into one append as there are, up to its limit of entries',
    patches: [
      {
        file: `${consensus}/log.js`,
        find: 'if (bytes > bytesMax && to >= from)',
        replace: 'if (bytes > bytesMax && to < from)',
      },
    ],
    hunt: 'limits-are-reached',
    foundBy: ['R15'],
  },
  {
    row: 447,
    name: 'slow-disk-makes-deaf',
    about: 'a server whose disk takes nothing more does not hear its leader any more, and stands for election',
    patches: [
      {
        file: `${consensus}/step.js`,
        find: 'return overhear(raft, from, message, nowMs);',
        replace: 'return;',
      },
    ],
    hunt: 'limits-are-reached',
    foundBy: ['R11'],
  },
  {
    row: 448,
    name: 'removed-leader-leads-on',
    about: 'a leader whose removal is committed goes on leading',
    patches: [{ file: `${consensus}/commit.js`, find: 'if (isDismissed(raft))', replace: 'if (raft.commit < 0)' }],
    hunt: 'limits-are-reached',
    foundBy: ['R7'],
  },
  {
    row: 449,
    name: 'part-of-a-state-is-lost',
    about: 'of the members of a state that is merged in parts, only those of the first part are merged',
    patches: [
      {
        file: `${gossip}/merge.js`,
        find: 'of within(nodes, start, end)',
        replace: 'of start > 0 ? [] : within(nodes, start, end)',
      },
    ],
    hunt: 'news-is-old',
    foundBy: ['M1', 'M2'],
  },
  {
    row: 450,
    name: 'forgotten-events-come-again',
    about: 'an event that is too old to be remembered is delivered as new',
    patches: [
      {
        file: `${gossip}/events.js`,
        find: 'const isOld = gossip.eventClock > timesMax && lamport < gossip.eventClock - timesMax',
        replace: 'const isOld = lamport < 0',
      },
    ],
    hunt: 'news-is-old',
    foundBy: ['M12', 'V2'],
  },
  {
    row: 451,
    name: 'proposals-without-limit',
    about: 'a leader accepts proposals however many of them are not committed yet',
    patches: [
      {
        file: `${consensus}/proposals.js`,
        find: 'raft.log.lastIndex - settled >= raft.limits.uncommittedEntriesMax || ',
        replace: 'settled < 0 || ',
      },
    ],
    hunt: 'limits-are-reached',
    foundBy: ['R15'],
  },
]
