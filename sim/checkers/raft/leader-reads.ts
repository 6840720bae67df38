import type { LogIndex, Term } from '../../../src/model/log-position.ts'
import type { RaftMessage } from '../../../src/raft/core/messages.ts'
import { type CheckedRun, checker, type Judge } from '../checker.ts'
import type { ServerTiming } from '../process-facts.ts'
import { type ConfigurationChanges, configurationChanges } from './configuration-changes.ts'
import { isMajority } from './own-quorum.ts'
import { serverLogs } from './server-logs.ts'

interface Process {
  /** Its Raft server ID. */
  readonly id: string
  readonly timing: ServerTiming | undefined
}

/** What one leader has sent and received since it leads. */
interface Leading {
  readonly term: Term
  /** The newest round of which a message was sent. */
  sentRound: number
  /** By round, when its first message was sent, by the leader's clock in milliseconds. */
  readonly sentMs: number[]
  /** By follower, as configurations name it: the newest round that it has answered in this term. */
  readonly answered: Map<string, number>
  /** It has asked another server to stand for election, so voters may no longer be loyal to it. */
  hasHandedOver: boolean
  /** An entry of this term is committed, so the leader knows what was committed before it. */
  hasCommitted: boolean
  /**
   * When it first answered a read before that. The turn that commits the entry may tell of its reads first, but at the
   * same time.
   */
  earlyUs: number | undefined
  isChanging: boolean
}

type ReadExcuses = { readonly R10: 'change under way' }
type Run = Pick<CheckedRun, 'nowUs'> & Judge<ReadExcuses>

/**
 * R10. Thesis 6.4: a leader answers a read when a majority of the voters in its log have answered, in its term,
 * messages that were sent after the read arrived; or, by its lease, messages that were sent within the lease, by its
 * own clock. In both cases an entry of its term must be committed: until then, it may not know what its predecessor
 * committed. Only messages that were really sent and received count, not the leader's own notes.
 *
 * A round counts from its first message. The leader may have begun it before, so the lease that is computed here ends
 * no earlier than the leader's. A message sent before a read arrived belongs to a round that the read must not join.
 */
export class LeaderReads {
  readonly #run: Run
  readonly #configurations: Pick<ConfigurationChanges, 'votersOf'>
  readonly #termAt: (node: string, index: LogIndex) => Term | undefined
  readonly #processes = new Map<string, Process>()
  readonly #leading = new Map<string, Leading>()
  /** By node and request, the first round that the read may use. */
  readonly #asked = new Map<string, Map<number, number>>()

  /** `termAt`: of an entry in the log of a node, as far as it is known. */
  constructor(
    run: Run,
    configurations: Pick<ConfigurationChanges, 'votersOf'>,
    termAt: (node: string, index: LogIndex) => Term | undefined,
  ) {
    this.#run = run
    this.#configurations = configurations
    this.#termAt = termAt
  }

  began(node: string, id: string, timing: ServerTiming | undefined): void {
    this.#processes.set(node, { id, timing })
    this.#asked.set(node, new Map())
  }

  becameLeader(node: string, term: Term): void {
    this.#leading.set(node, {
      term,
      sentRound: 0,
      sentMs: [],
      answered: new Map(),
      hasHandedOver: false,
      hasCommitted: false,
      earlyUs: undefined,
      isChanging: false,
    })
  }

  noLongerLeads(node: string): void {
    const leading = this.#leading.get(node)
    if (leading !== undefined) this.#lookEarly(node, leading)
    this.#leading.delete(node)
    this.#asked.get(node)?.clear()
  }

  committed(node: string, index: LogIndex): void {
    const leading = this.#leading.get(node)
    if (leading === undefined || leading.hasCommitted) return
    // An entry that is not on its own disk yet is one that this leader has just written.
    if ((this.#termAt(node, index) ?? leading.term) !== leading.term) return
    this.#lookEarly(node, leading)
    leading.hasCommitted = true
  }

  /** Reports a read that was answered in an earlier turn than this one. */
  #lookEarly(node: string, leading: Leading): void {
    const { earlyUs } = leading
    leading.earlyUs = undefined
    if (earlyUs === undefined || earlyUs === this.#run.nowUs()) return
    this.#run.report(
      'R10',
      `${node}, leader of term ${leading.term}, answers a read before it has committed in its term`,
    )
  }

  changing(node: string, isChanging: boolean): void {
    const leading = this.#leading.get(node)
    if (leading !== undefined) leading.isChanging = isChanging
  }

  sent(node: string, message: RaftMessage): void {
    const leading = this.#leading.get(node)
    if (leading === undefined) return
    if (message.kind === 'timeout-now') leading.hasHandedOver = true
    if (message.kind !== 'append-request' && message.kind !== 'snapshot-chunk') return
    if (message.term !== leading.term || message.round <= leading.sentRound) return
    leading.sentRound = message.round
    leading.sentMs[message.round] = this.#nowMs(node)
  }

  received(node: string, from: string, message: RaftMessage): void {
    if (message.kind !== 'append-response' && message.kind !== 'snapshot-response') return
    const leading = this.#leading.get(node)
    if (leading === undefined || message.term !== leading.term || message.round > leading.sentRound) return
    if (message.round > (leading.answered.get(from) ?? 0)) leading.answered.set(from, message.round)
  }

  asked(node: string, requestId: number): void {
    const sent = this.#leading.get(node)?.sentRound ?? 0
    this.#asked.get(node)?.set(requestId, sent + 1)
  }

  /**
   * The server answers a read of this number as the leader. `requestId` undefined: the read arrived at this moment, and
   * the lease alone answers it.
   */
  confirmed(node: string, requestId: number | undefined): void {
    const leading = this.#leading.get(node)
    const voters = this.#configurations.votersOf(node)
    const process = this.#processes.get(node)
    if (voters === undefined || process === undefined) return
    this.#run.judged('R10')
    if (leading === undefined) return this.#run.report('R10', `${node} answers a read although it does not lead`)
    if (!leading.hasCommitted) leading.earlyUs ??= this.#run.nowUs()
    const asked = this.#asked.get(node)
    const from = requestId === undefined ? Number.POSITIVE_INFINITY : (asked?.get(requestId) ?? 1)
    if (requestId !== undefined) asked?.delete(requestId)
    const counts = (voter: string): boolean => {
      if (voter === process.id) return true
      const round = leading.answered.get(voter) ?? 0
      return round >= from || this.#isWithinLease(leading, round, process.timing)
    }
    const given = voters.filter(counts).length
    if (isMajority(given, voters)) return
    if (leading.isChanging && isMajority(given, voters.slice(1))) {
      return this.#run.excused('R10', 'change under way')
    }
    const heard = `${given} of ${voters.length} voters have answered a message sent since then, or within the lease`
    this.#run.report('R10', `${node}, leader of term ${leading.term}, answers a read, and ${heard}`)
  }

  #isWithinLease({ sentMs, hasHandedOver }: Leading, round: number, timing: ServerTiming | undefined): boolean {
    const sinceMs = sentMs[round]
    if (timing === undefined || sinceMs === undefined || hasHandedOver) return false
    return timing.monoMs() - sinceMs < timing.leaderLeaseMs
  }

  #nowMs(node: string): number {
    return this.#processes.get(node)?.timing?.monoMs() ?? 0
  }
}

export const leaderReads = checker({
  codes: {
    R10: {
      text: 'reads: before a leader answers a read, it has committed in its term, and a majority of voters has answered a message sent since the read arrived or within the lease',
      sources: ['Raft thesis, section 6.4'],
      evidence: ['elections', 'commits', 'heartbeats', 'forwards', 'requests'],
      judges: ['read confirmed', 'reads confirmed'],
      excuses: {
        'change under way':
          'A leader that was asked for a change of members may count one voter less than its log has; until the change is in its log.',
      },
    },
  },
  make: (run: CheckedRun & Judge<ReadExcuses>) => {
    const logs = run.of(serverLogs)
    return new LeaderReads(run, run.of(configurationChanges), (node, index) => logs.of(node).termAt(index))
  },
  takes: {
    'process died': (it, { node }) => it.noLongerLeads(node),
    'process began': (it, { node, id, timing }) => it.began(node, id, timing),
    'leader began': (it, { node, term }) => it.becameLeader(node, term),
    'leader ended': (it, { node }) => it.noLongerLeads(node),
    'index committed': (it, { node, index }) => it.committed(node, index),
    'change asked': (it, { node }) => it.changing(node, true),
    'change written': (it, { node }) => it.changing(node, false),
    'message sent': (it, { node, message }) => it.sent(node, message),
    'message received': (it, { node, from, message }) => it.received(node, from, message),
    'read asked': (it, { node, requestId }) => it.asked(node, requestId),
    'read confirmed': (it, { node, requestId }) => it.confirmed(node, requestId),
  },
})
