import type { Term } from '../../../src/model/log-position.ts'
import { checker, eventIn, type Judge } from '../checker.ts'

/** R1. Paper 5.2. */
export class ElectionSafety {
  readonly #leaders = new Map<Term, { readonly node: string; readonly event: number }>()
  readonly #judge: Judge<{ R1: never }>

  constructor(judge: Judge<{ R1: never }>) {
    this.#judge = judge
  }

  leaderOf(term: Term): string | undefined {
    return this.#leaders.get(term)?.node
  }

  becameLeader(node: string, term: Term): void {
    this.#judge.judged('R1')
    const before = this.#leaders.get(term)
    if (before === undefined) this.#leaders.set(term, { node, event: eventIn(this.#judge) })
    else if (before.node !== node) {
      this.#judge.report('R1', `${node} leads term ${term}, which ${before.node} has led already`, [before.event])
    }
  }
}

export const electionSafety = checker({
  codes: {
    R1: {
      text: 'election safety: a term has at most one leader',
      sources: ['Raft paper, section 5.2'],
      evidence: ['votes', 'terms', 'elections'],
      judges: ['election', 'elections'],
    },
  },
  make: (judge) => new ElectionSafety(judge),
  takes: {
    'leader began': (it, { node, term }) => it.becameLeader(node, term),
  },
})
