import { type Judge, law } from '../checker.ts'

/** How a member can stand; `present`: it is alive or leaving. */
export type Standing = 'present' | 'failed' | 'left' | 'unknown'

/** A change of one member in the view of one observer. */
interface Told {
  readonly before: Standing
  readonly now: Standing
  /** The last that the agent was told about it since `before`. */
  readonly told: Standing | undefined
}

/**
 * M14. The agent above the pool acts on what it is told: it registers members, runs handlers and asks servers. So it is
 * told when a member begins to be present, failed, left or unknown, and told nothing else. Of several changes in one
 * step the last one counts.
 */
export class ToldChanges {
  readonly #judge: Judge<{ M14: never }>

  constructor(judge: Judge<{ M14: never }>) {
    this.#judge = judge
  }

  changed(observer: string, name: string, { before, now, told }: Told): void {
    this.#judge.judged('M14')
    if (told === now) return
    const what = told === undefined ? 'nothing' : `that it is ${told}`
    this.#judge.report(
      'M14',
      `${observer} knew ${name} as ${before}, and knows it as ${now}: its agent is told ${what}`,
    )
  }
}

export const toldChanges = law(
  {
    M14: {
      text: 'told changes: an agent is told at once which member joins, fails, leaves or is forgotten, and nothing else',
      sources: ['docs/reference/agent.md#member-status'],
      evidence: ['members'],
      judges: ['change', 'changes'],
    },
  },
  (judge) => new ToldChanges(judge),
)
