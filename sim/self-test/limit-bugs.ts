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
    about: 'of a state that is merged in parts, the join times are merged only where they begin with a part',
    patches: [
      {
        file: `${gossip}/merge.js`,
        find: 'within(statusTimes, start - joinsFrom, end - joinsFrom)',
        replace: 'within(start > joinsFrom ? [] : statusTimes, start - joinsFrom, end - joinsFrom)',
      },
    ],
    hunt: 'news-is-old',
    foundBy: ['M2', 'M1'],
  },
  {
    row: 450,
    name: 'forgotten-events-come-again',
    about: 'an event that is too old to be remembered is delivered as new',
    patches: [
      {
        file: `${gossip}/events.js`,
        find: 'if (gossip.eventClock > timesMax && lamport < gossip.eventClock - timesMax)',
        replace: 'if (lamport < 0)',
      },
    ],
    hunt: 'news-is-old',
    foundBy: ['M12', 'V2'],
  },
  {
    row: 451,
    name: 'full-queue-loses-the-newest',
    about: 'where too much news waits to be passed on, what was sent least is displaced',
    patches: [
      {
        file: `${gossip}/broadcast-queue.js`,
        find: 'for (let sent = this.#rows.length - 1; sent >= 0; sent--) {\n            const row = itemAt(this.#rows, sent);\n            const oldest',
        replace: 'for (let sent = 0; sent < this.#rows.length; sent++) {\n            const row = itemAt(this.#rows, sent);\n            const oldest',
      },
    ],
    hunt: 'news-is-old',
    foundBy: ['M12'],
  },
]
