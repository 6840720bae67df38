import type { Term } from '../../../src/raft/core/types.ts'
import type { Report } from '../violation.ts'

/** R1. Paper 5.2. */
export class ElectionSafety {
  readonly #leaders = new Map<Term, string>()
  readonly #report: Report

  constructor(report: Report) {
    this.#report = report
  }

  leaderOf(term: Term): string | undefined {
    return this.#leaders.get(term)
  }

  becameLeader(node: string, term: Term): void {
    const before = this.#leaders.get(term)
    if (before === undefined) this.#leaders.set(term, node)
    else if (before !== node) this.#report('R1', `${node} leads term ${term}, which ${before} has led already`)
  }
}
