import { type LogIndex, noTerm, type Term } from '../../../src/model/log-position.ts'
import type { RaftMessage, VoteRequest } from '../../../src/raft/core/messages.ts'
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

/** The questions of one server at another about one term. */
interface Asked {
  readonly term: Term
  /** Why none of them may be granted; undefined: one may. */
  fault: string | undefined
}

/**
 * R9. Paper 5.2, 5.4.1: what a server says about its vote is on its disk, including its vote for itself; and it votes
 * only for a candidate of that term whose log ends no earlier than its own. With R8, the logs of a majority end no later
 * than a winner's. Thesis 9.6: it encourages only a server for which it could vote, in a later term than its own.
 *
 * Both logs are compared as of the moment at which each server decided. A server writes term and vote after everything
 * that its log had by then, and before everything that came later: at the moment at which the vote is durable, so is
 * exactly that log. A question is judged by what the disk has when the question comes, which the server has in its memory
 * as well, unless it is just cutting its log: then the cut is on its disk before the answer leaves.
 */
export class HonestVotes {
  readonly #judge: Judge<{ R9: never }>
  readonly #votes: GivenVotes
  readonly #logOf: (node: string) => ServerLog
  readonly #standing = new Map<Machine, Standing>()
  /** By node, the term on its disk. */
  readonly #terms = new Map<string, Term>()
  /** By node and the Raft server ID that asks. */
  readonly #asked = new Map<string, Map<string, Asked>>()

  constructor(judge: Judge<{ R9: never }>, votes: GivenVotes, logOf: (node: string) => ServerLog) {
    this.#judge = judge
    this.#votes = votes
    this.#logOf = logOf
  }

  /** A process has found this term on its disk. */
  found(node: string, term: Term): void {
    this.#terms.set(node, term)
    this.#asked.delete(node)
  }

  /** The vote became durable on a running server. `stands`: it is for itself. */
  written(node: string, term: Term, votedFor: string | undefined, stands: boolean): void {
    this.#terms.set(node, term)
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
    if (candidate === undefined) return
    this.#judge.judged('R9')
    if (!this.#votes.candidatesOf(votedFor, term).includes(candidate)) {
      return this.#judge.report('R9', `${node} votes in term ${term} for ${candidate.node}, which does not stand there`)
    }
    const theirs = this.#standing.get(candidate)
    if (theirs?.term !== term) return
    if (isCovered(theirs, lastIndex, lastTerm)) return
    const ends = endsEarlier(theirs, lastIndex, lastTerm)
    this.#judge.report('R9', `${node} votes in term ${term} for ${candidate.node}, whose log ${ends}`, [theirs.event])
  }

  /** A cut or a snapshot that was under way in memory may have made the log end earlier. */
  cut(node: string): void {
    for (const asked of this.#asked.get(node)?.values() ?? []) asked.fault = undefined
  }

  sent(node: string, to: string, message: RaftMessage): void {
    if (message.kind !== 'vote-response' || !message.pre || !message.granted) return
    const asked = this.#asked.get(node)?.get(to)
    if (asked?.term !== message.term) return
    this.#judge.judged('R9')
    if (asked.fault === undefined) return
    const name = this.#votes.machineOf(to)?.node ?? to
    this.#judge.report('R9', `${node} encourages ${name} to stand in term ${message.term}, ${asked.fault}`)
  }

  /** `from`: the Raft server ID of the sender. */
  received(node: string, from: string, message: RaftMessage): void {
    if (message.kind === 'vote-request')
      return message.pre ? this.#wonders(node, from, message) : this.#asks(from, message.term)
    if (message.kind === 'vote-response' && !message.pre && message.granted) this.#gives(from, node, message.term)
  }

  #wonders(node: string, from: string, question: VoteRequest): void {
    const { term } = question
    const asked = this.#asked.get(node) ?? new Map<string, Asked>()
    this.#asked.set(node, asked)
    const fault = this.#faultOf(node, question)
    const before = asked.get(from)
    if (before?.term === term && fault !== undefined) return
    asked.set(from, { term, fault })
  }

  /** Why this server could not vote for the one that asks. */
  #faultOf(node: string, question: VoteRequest): string | undefined {
    const own = this.#terms.get(node) ?? noTerm
    if (question.term <= own) return `and its disk has term ${own}`
    const log = this.#logOf(node)
    const { lastIndex } = log
    const lastTerm = log.termAt(lastIndex)
    if (lastTerm === undefined || isCovered(question, lastIndex, lastTerm)) return undefined
    return `whose log ${endsEarlier(question, lastIndex, lastTerm)}`
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

type LogEnd = Pick<Standing, 'lastIndex' | 'lastTerm'>

function isCovered(theirs: LogEnd, lastIndex: LogIndex, lastTerm: Term): boolean {
  return theirs.lastTerm > lastTerm || (theirs.lastTerm === lastTerm && theirs.lastIndex >= lastIndex)
}

function endsEarlier(theirs: LogEnd, lastIndex: LogIndex, lastTerm: Term): string {
  return `ends with entry ${theirs.lastIndex} of term ${theirs.lastTerm}, its own with ${lastIndex} of ${lastTerm}`
}

export const honestVotes = checker({
  codes: {
    R9: {
      text: 'votes: a server sends only the vote that its disk has, and neither votes for nor encourages a server whose log is behind its own',
      sources: ['Raft paper, sections 5.2 and 5.4.1', 'Raft thesis, section 9.6'],
      evidence: ['votes', 'terms', 'entries'],
      judges: ['vote', 'votes'],
    },
  },
  make: (run: CheckedRun & Judge<{ R9: never }>) => {
    const logs = run.of(serverLogs)
    return new HonestVotes(run, run.of(givenVotes), (node) => logs.of(node))
  },
  takes: {
    'term found': (it, { node, term }) => it.found(node, term),
    'term written': (it, { node, term, votedFor, stands }) => it.written(node, term, votedFor, stands),
    'log cut': (it, { node }) => it.cut(node),
    'log reset': (it, { node }) => it.cut(node),
    'message sent': (it, { node, to, message }) => it.sent(node, to, message),
    'message received': (it, { node, from, message }) => it.received(node, from, message),
  },
})
