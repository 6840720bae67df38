import type { LogIndex, Term } from '../../../src/model/log-position.ts'
import type { RaftMessage } from '../../../src/raft/core/messages.ts'
import { type CheckedRun, checker, eventIn, type Judge } from '../checker.ts'
import { type GivenVotes, givenVotes, type Machine } from './given-votes.ts'
import type { ServerLog } from './server-log.ts'
import { serverLogs } from './server-logs.ts'

/** Where a log ended when its server wrote its vote for itself. */
interface Standing {
  readonly term: Term
  readonly lastIndex: LogIndex
  readonly lastTerm: Term
  readonly event: number
}

/**
 * R9. Paper 5.2, 5.4.1: what a server says about its vote is on its disk, including its vote for itself; and it votes
 * only for a candidate whose log ends no earlier than its own. With R8, the logs of a majority end no later than a
 * winner's.
 *
 * Both logs are compared as of the moment at which each server decided. A server writes term and vote after everything
 * that its log had by then, and before everything that came later: at the moment at which the vote is durable, so is
 * exactly that log.
 */
export class HonestVotes {
  readonly #judge: Judge<{ R9: never }>
  readonly #votes: GivenVotes
  readonly #logOf: (node: string) => ServerLog
  readonly #standing = new Map<Machine, Standing>()

  constructor(judge: Judge<{ R9: never }>, votes: GivenVotes, logOf: (node: string) => ServerLog) {
    this.#judge = judge
    this.#votes = votes
    this.#logOf = logOf
  }

  /** The vote became durable on a running server. `stands`: it is for itself. */
  written(node: string, term: Term, votedFor: string | undefined, stands: boolean): void {
    const log = this.#logOf(node)
    const { lastIndex } = log
    const lastTerm = log.termAt(lastIndex)
    const own = this.#votes.machineOn(node)
    if (own === undefined || votedFor === undefined || lastTerm === undefined) return
    if (stands) {
      this.#standing.set(own, { term, lastIndex, lastTerm, event: eventIn(this.#judge) })
      return
    }
    const candidate = this.#votes.machineOf(votedFor)
    const theirs = candidate === undefined ? undefined : this.#standing.get(candidate)
    if (candidate === undefined || theirs?.term !== term) return
    this.#judge.judged('R9')
    const isCovered = theirs.lastTerm > lastTerm || (theirs.lastTerm === lastTerm && theirs.lastIndex >= lastIndex)
    if (isCovered) return
    const ends = `ends with entry ${theirs.lastIndex} of term ${theirs.lastTerm}, its own with ${lastIndex} of ${lastTerm}`
    this.#judge.report('R9', `${node} votes in term ${term} for ${candidate.node}, whose log ${ends}`, [theirs.event])
  }

  /** `from`: the Raft server ID of the sender. */
  received(node: string, from: string, message: RaftMessage): void {
    if (message.kind === 'vote-request' && !message.pre) return this.#asks(from, message.term)
    if (message.kind === 'vote-response' && !message.pre && message.granted) this.#gives(from, node, message.term)
  }

  #asks(from: string, term: Term): void {
    const machine = this.#votes.machineOf(from)
    if (machine === undefined) return
    this.#judge.judged('R9')
    const choices = this.#votes.candidatesOf(from, term)
    if (choices.includes(machine)) return
    const [choice] = choices
    const has = choice === undefined ? 'none' : `one for ${choice.node}`
    this.#judge.report('R9', `${machine.node} stands in term ${term}, and its disk has ${has} instead of its own vote`)
  }

  #gives(from: string, candidate: string, term: Term): void {
    const machine = this.#votes.machineOf(from)
    if (machine === undefined) return
    this.#judge.judged('R9')
    const choices = this.#votes.candidatesOf(from, term)
    if (choices.some(({ node }) => node === candidate)) return
    const [choice] = choices
    const has = choice === undefined ? 'no vote' : `a vote for ${choice.node}`
    this.#judge.report(
      'R9',
      `${machine.node} gives ${candidate} its vote in term ${term}, and its disk has ${has} there`,
    )
  }
}

export const honestVotes = checker({
  codes: {
    R9: {
      text: 'votes: a server sends only the vote that its disk has, and votes for no candidate whose log is behind its own',
      sources: ['Raft paper, sections 5.2 and 5.4.1'],
      evidence: ['votes', 'terms', 'entries'],
      judges: ['vote', 'votes'],
    },
  },
  make: (run: CheckedRun & Judge<{ R9: never }>) => {
    const logs = run.of(serverLogs)
    return new HonestVotes(run, run.of(givenVotes), (node) => logs.of(node))
  },
  takes: {
    'term written': (it, { node, term, votedFor, stands }) => it.written(node, term, votedFor, stands),
    'message received': (it, { node, from, message }) => it.received(node, from, message),
  },
})
