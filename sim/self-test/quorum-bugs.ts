import type { PlantedBug } from './planted-bug.ts'

/** Bugs of what a leader counts by. */
export const quorumBugs: readonly PlantedBug[] = [
  {
    row: 164,
    name: 'servers-without-a-vote-count',
    about: 'a leader commits what a majority of all servers has, those without a vote included',
    patches: [{ file: 'src/raft/core/commit.js', find: "if (suffrage !== 'voter')", replace: "if (suffrage === '')" }],
    hunt: 'members-change',
    foundBy: ['R8'],
  },
  {
    row: 165,
    name: 'one-acknowledgement-too-few',
    about: 'in a group of four or more a leader commits what one server less than a majority has',
    patches: [
      {
        file: 'src/raft/core/commit.js',
        find: 'return reachedByQuorum(tally);',
        replace: 'if (tally.length > 3) tally.pop(); return reachedByQuorum(tally);',
      },
    ],
    hunt: 'two-and-two',
    foundBy: ['R8', 'R4', 'P1'],
  },
]
