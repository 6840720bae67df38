import type { Term } from '../../../src/model/log-position.ts'
import { checker, type Judge } from '../checker.ts'

/** R1. Paper 5.2. */
export class ElectionSafety {
  readonly #leaders = new Map<Term, string>()
  readonly #judge: Judge<{ R1: never }>

  constructor(judge: Judge<{ R1: never }>) {
    this.#judge = judge
  }

  leaderOf(term: Term): string | undefined {
    return this.#leaders.get(term)
  }

  becameLeader(node: string, term: Term): void {
    this.#judge.judged('R1')
    const before = this.#leaders.get(term)
    if (before === undefined) this.#leaders.set(term, node)
    else if (before !== node) this.#judge.report('R1', `${node} leads term ${term}, which ${before} has led already`)
  }
}

export const electionSafety = checker({
  codes: {
    R1: {
      text: 'election safety: a term has at most one leader',
      sources: ['Raft paper, section 5.2'],
      judges: ['election', 'elections'],
    },
  },
  make: (judge) => new ElectionSafety(judge),
  takes: {
    'leader began': (it, { node, term }) => it.becameLeader(node, term),
  },
})
