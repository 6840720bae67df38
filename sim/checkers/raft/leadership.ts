import type { Term } from '../../../src/model/log-position.ts'
import { type CheckedRun, checker, type Tell } from '../checker.ts'
import { type Reach, rareStates } from '../rare-states.ts'
import { type ElectionSafety, electionSafety } from './election-safety.ts'

export const leadershipMarks = rareStates({
  'two leaders alive': 'two servers believed that they lead, at the same moment',
  'election lost': 'a server was a candidate in a term that another one won',
})

/** The present leaders, the servers that have been candidates, and the number of elections won. */
class Leadership {
  /** Servers that believe they lead, and in which term. */
  readonly leading = new Map<string, number>()
  #electionCount = 0
  readonly #tell: Tell
  readonly #reach: Reach<keyof typeof leadershipMarks.marks>
  readonly #elections: ElectionSafety
  /** Servers that have been candidates, by term. */
  readonly #stood = new Map<number, Set<string>>()

  constructor({ tell, of }: CheckedRun) {
    this.#tell = tell
    this.#reach = of(leadershipMarks)
    this.#elections = of(electionSafety)
  }

  /** Leaders elected so far. */
  get electionCount(): number {
    return this.#electionCount
  }

  began(node: string, term: Term): void {
    this.#electionCount++
    this.leading.set(node, term)
    if (this.leading.size > 1) this.#reach('two leaders alive')
    for (const other of this.#stood.get(term) ?? []) if (other !== node) this.#reach('election lost')
  }

  ended(node: string): void {
    this.leading.delete(node)
  }

  stood(node: string, term: Term): void {
    const leader = this.#elections.leaderOf(term)
    if (leader !== undefined && leader !== node) this.#reach('election lost')
    const others = this.#stood.get(term)
    if (others === undefined) this.#stood.set(term, new Set([node]))
    else others.add(node)
  }

  died(node: string): void {
    this.#tell('leader ended', { node, crashed: this.leading.has(node) })
  }
}

export const leadership = checker({
  codes: {},
  make: (run) => new Leadership(run),
  takes: {
    'leader began': (it, { node, term }) => it.began(node, term),
    'leader ended': (it, { node }) => it.ended(node),
    'term written': (it, { node, term, stands }) => {
      if (stands) it.stood(node, term)
    },
    'process died': (it, { node }) => it.died(node),
  },
})
