import { checker } from './checker.ts'

/**
 * H4. Rare states that a campaign of many seeds should have reached: what never happens in a simulation is not tested by it.
 */
export const marks = {
  'two leaders alive': 'two servers believed that they lead, at the same moment',
  'snapshot under partition': "a server took a leader's snapshot while some link was cut",
  'tail cut': 'a server dropped entries that its log had and its leader had not',
  'election lost': 'a server stood in a term that another one won',
  'write repeated': 'a forwarded write came a second time, and was not carried out again',
  'configuration changed under fire': 'the members of the consensus group changed while something was broken',
  'configuration cut': 'a change of members was dropped with the end of a log',
  'leader removed': 'a leader left the consensus group',
  'machine replaced': 'a machine that was lost came back empty, and was given a vote',
  'rot found': 'a server did not start because what it keeps has rotted',
  'stopped by its disk': 'a server stopped itself because of its disk',
  'three roots listed': 'three roots or more were trusted at once',
  'leader lost in a rotation': 'a leader crashed while the root of the mesh was being rotated',
  'met over a crossing': 'a proxy that did not know the root of a leaf accepted it for the crossing that came with it',
  'core without the leader': 'the core that was healed first had lost its leader',
} as const

export type Mark = keyof typeof marks

/** Which marks one run has reached. */
export class Marks {
  readonly #reached = new Set<Mark>()

  reach(mark: Mark): void {
    this.#reached.add(mark)
  }

  /** In the order of the table. */
  get reached(): readonly Mark[] {
    return (Object.keys(marks) as Mark[]).filter((mark) => this.#reached.has(mark))
  }
}

/** Of what a campaign must have reached, what no run of it did. */
export function neverReached(wanted: readonly Mark[], runs: readonly (readonly Mark[])[]): readonly Mark[] {
  return wanted.filter((mark) => !runs.some((reached) => reached.includes(mark)))
}

export const reachedMarks = checker({ codes: {}, make: () => new Marks() })
