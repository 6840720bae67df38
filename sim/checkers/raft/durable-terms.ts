import type { LogIndex, Term } from '../../../src/model/log-position.ts'
import { checker, eventIn, type Judge } from '../checker.ts'

interface Durable {
  readonly term: Term
  readonly votedFor: string | undefined
  readonly event: number
}

/**
 * R6. Paper 5.1, 5.2: each server's term and vote never change unlawfully on its disk, and no part of its log is lost
 * silently.
 */
export class DurableTerms {
  readonly #durable = new Map<string, Durable>()
  /** By server, the event of the last write to its log. */
  readonly #writtenIn = new Map<string, number>()
  /** The node of each Raft server ID: votes name such IDs. */
  readonly #nodes = new Map<string, string>()
  readonly #judge: Judge<{ R6: never }>

  constructor(judge: Judge<{ R6: never }>) {
    this.#judge = judge
  }

  named(node: string, id: string): void {
    this.#nodes.set(id, node)
  }

  /** The term and vote became durable on a running server. */
  hardState(node: string, term: Term, votedFor: string | undefined): void {
    this.#compare(node, { term, votedFor, event: eventIn(this.#judge) }, 'wrote')
  }

  /** A new boot found the term and vote on the disk. */
  recovered(node: string, term: Term, votedFor: string | undefined): void {
    this.#compare(node, { term, votedFor, event: eventIn(this.#judge) }, 'came back with')
  }

  /** The server that this one has voted for in this term, by its disk; undefined: none. */
  voteOf(node: string, term: Term): string | undefined {
    const durable = this.#durable.get(node)
    return durable?.term === term ? durable.votedFor : undefined
  }

  logWritten(node: string): void {
    const event = eventIn(this.#judge)
    if (event > 0) this.#writtenIn.set(node, event)
  }

  /** A boot found its log ending after `index`, although more was durable, with nothing else in its place. */
  lostLog(node: string, index: LogIndex, durable: LogIndex): void {
    this.#judge.judged('R6')
    this.#judge.report(
      'R6',
      `${node} came back with a log that ends at ${index}, after one that was durable up to ${durable}`,
      [this.#writtenIn.get(node) ?? 0],
    )
  }

  /** The server has another disk. */
  replaced(node: string): void {
    this.#durable.delete(node)
  }

  #compare(node: string, next: Durable, how: string): void {
    const before = this.#durable.get(node)
    this.#durable.set(node, next)
    if (before === undefined) return
    this.#judge.judged('R6')
    if (next.term < before.term) {
      this.#judge.report('R6', `${node} ${how} term ${next.term} after term ${before.term}`, [before.event])
    } else if (next.term === before.term && before.votedFor !== undefined && next.votedFor !== before.votedFor) {
      const votes = `a vote for ${this.#nameOf(next.votedFor)} in term ${next.term}`
      const earlier = this.#nameOf(before.votedFor)
      this.#judge.report('R6', `${node} ${how} ${votes} after one for ${earlier}`, [before.event])
    }
  }

  /** An ID that no process has used is shown as it is. */
  #nameOf(votedFor: string | undefined): string {
    return votedFor === undefined ? 'nobody' : (this.#nodes.get(votedFor) ?? votedFor)
  }
}

export const durableTerms = checker({
  codes: {
    R6: {
      text: 'durable monotonicity: term, vote and log never go back, across restarts too; one vote per term',
      sources: ['Raft paper, sections 5.1 and 5.2'],
      evidence: ['votes', 'terms', 'entries'],
      judges: ['term written or found', 'terms written or found'],
    },
  },
  make: (judge) => new DurableTerms(judge),
  takes: {
    'process began': (it, { node, id }) => it.named(node, id),
    'term found': (it, { node, term, votedFor }) => it.recovered(node, term, votedFor),
    'term written': (it, { node, term, votedFor }) => it.hardState(node, term, votedFor),
    'log written': (it, { node }) => it.logWritten(node),
    'log lost': (it, { node, index, durable }) => it.lostLog(node, index, durable),
    'machine replaced': (it, { node }) => it.replaced(node),
  },
})
