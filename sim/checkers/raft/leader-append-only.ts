import type { LogIndex, Term } from '../../../src/model/log-position.ts'
import { checker, eventIn, type Judge } from '../checker.ts'

/** R2. Paper 5.3: while a server leads, its log only grows. */
export class LeaderAppendOnly {
  readonly #leading = new Map<string, { readonly term: Term; readonly event: number }>()
  readonly #judge: Judge<{ R2: never }>

  constructor(judge: Judge<{ R2: never }>) {
    this.#judge = judge
  }

  becameLeader(node: string, term: Term): void {
    this.#leading.set(node, { term, event: eventIn(this.#judge) })
  }

  noLongerLeads(node: string): void {
    this.#leading.delete(node)
  }

  truncated(node: string, from: LogIndex): void {
    const leading = this.#leading.get(node)
    if (leading === undefined) return
    this.#judge.judged('R2')
    this.#judge.report('R2', `${node}, leader of term ${leading.term}, cut its own log from entry ${from}`, [
      leading.event,
    ])
  }

  /** `lastIndex`: where the log ended before. */
  appended(node: string, index: LogIndex, lastIndex: LogIndex): void {
    const leading = this.#leading.get(node)
    if (leading === undefined) return
    this.#judge.judged('R2')
    if (index > lastIndex) return
    this.#judge.report(
      'R2',
      `${node}, leader of term ${leading.term}, wrote entry ${index} again: its log ended at ${lastIndex}`,
      [leading.event],
    )
  }
}

export const leaderAppendOnly = checker({
  codes: {
    R2: {
      text: 'leader append-only: a leader never changes or drops its own log',
      sources: ['Raft paper, section 5.3'],
      evidence: ['elections', 'entries'],
      judges: ['write of a leader', 'writes of leaders'],
    },
  },
  make: (judge) => new LeaderAppendOnly(judge),
  takes: {
    'leader began': (it, { node, term }) => it.becameLeader(node, term),
    'leader ended': (it, { node }) => it.noLongerLeads(node),
    'log cut': (it, { node, from }) => it.truncated(node, from),
    'log written': (it, { node, from, lastIndex }) => it.appended(node, from, lastIndex),
  },
})
