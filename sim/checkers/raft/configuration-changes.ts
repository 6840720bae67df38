import { type LogIndex, noIndex, type Term } from '../../../src/model/log-position.ts'
import type { RaftMessage } from '../../../src/raft/core/messages.ts'
import type { Configuration } from '../../../src/raft/core/types.ts'
import { isForcedTerm } from '../../../src/raft/opening/forced-configuration.ts'
import { checker, eventIn, type Judge } from '../checker.ts'

interface Known {
  readonly index: LogIndex
  readonly configuration: Configuration
  readonly voters: readonly string[]
  /** Trace event; 0: no trace is recorded. */
  readonly event: number
}

/**
 * R7. Thesis 4.1 and its erratum of 2015: a leader begins a change only when an entry of its own term and the previous
 * change are committed, by its own commit index. Two successive configurations differ by one voter, so that their
 * quorums overlap. A configuration that an operator forces by `peers.json` may differ arbitrarily, because no leader
 * wrote it. A leader that is no voter any more leads until it has committed that, and not longer (thesis 4.2.2).
 */
export class ConfigurationChanges {
  readonly #logs = new Map<string, Known[]>()
  readonly #leading = new Map<string, Term>()
  /** The event of each leader's election. */
  readonly #electedIn = new Map<string, number>()
  readonly #committed = new Map<string, LogIndex>()
  /** The term in which a server last learned what is committed, and what it knew before that term. */
  readonly #heardIn = new Map<string, { readonly term: Term; readonly before: LogIndex }>()
  /** The Raft server ID of each node. */
  readonly #ids = new Map<string, string>()
  /**
   * Leaders that have committed an entry since they won: the first that a leader commits by counting is an entry of its
   * own term.
   */
  readonly #settled = new Set<string>()
  /** By leader that was asked for a change which it has not written yet, its commit index at that time. */
  readonly #asked = new Map<string, LogIndex>()
  readonly #judge: Judge<{ R7: 'forced by an operator' }>

  constructor(judge: Judge<{ R7: 'forced by an operator' }>) {
    this.#judge = judge
  }

  named(node: string, id: string): void {
    this.#ids.set(node, id)
  }

  /** A message that asks for an answer shows that its sender leads on. The last words of a removed leader do not. */
  sent(node: string, message: RaftMessage): void {
    const newest = this.#logs.get(node)?.at(-1)
    if (message.kind !== 'append-request' || message.round === 0 || newest === undefined) return
    if (message.term !== this.#leading.get(node) || newest.voters.includes(this.#ids.get(node) ?? '')) return
    this.#judge.judged('R7')
    if (newest.index > (this.#committed.get(node) ?? 0)) return
    const removal = `it has committed the change at ${newest.index}, after which it has no vote`
    this.#judge.report('R7', `${node}, leader of term ${message.term}, leads on, and ${removal}`, [newest.event])
  }

  becameLeader(node: string, term: Term): void {
    this.#leading.set(node, term)
    this.#settled.delete(node)
    this.#electedIn.set(node, eventIn(this.#judge))
  }

  noLongerLeads(node: string): void {
    this.#leading.delete(node)
    this.#asked.delete(node)
  }

  /** A leader is asked for a change. It makes none before the last one is committed, by other disks perhaps. */
  asked(node: string): void {
    this.#asked.set(node, this.#committed.get(node) ?? noIndex)
  }

  /**
   * Whether the configuration that the leader has written to its own disk at this index is the change that it was asked
   * for last, and not an earlier one, which had been committed by then.
   */
  hasWritten(node: string, index: LogIndex): boolean {
    return index > (this.#asked.get(node) ?? index) && this.#asked.delete(node)
  }

  committed(node: string, index: LogIndex, term: Term): void {
    if (this.#heardIn.get(node)?.term !== term)
      this.#heardIn.set(node, { term, before: this.#committed.get(node) ?? noIndex })
    this.#committed.set(node, index)
    if (this.#leading.has(node)) this.#settled.add(node)
  }

  /** The voters of the newest configuration in the server's own log; undefined: it has none. */
  votersOf(node: string): readonly string[] | undefined {
    return this.#logs.get(node)?.at(-1)?.voters
  }

  /** The newest configuration in the server's own log; undefined: it has none. */
  newestOf(node: string): Configuration | undefined {
    return this.#logs.get(node)?.at(-1)?.configuration
  }

  /** Number of changes that were removed with the end of the log. */
  truncated(node: string, from: LogIndex): number {
    const known = this.#logs.get(node) ?? []
    const before = known.length
    while (known.length > 0 && (known.at(-1) as Known).index >= from) known.pop()
    return before - known.length
  }

  /** After a boot or a snapshot, the entries of the log are reported anew. `configuration` is the snapshot's. */
  reset(node: string, index: LogIndex, configuration: Configuration | undefined): void {
    this.#logs.set(
      node,
      configuration === undefined
        ? []
        : [{ index, configuration, voters: votersOf(configuration), event: eventIn(this.#judge) }],
    )
    this.#committed.set(node, index)
    this.#heardIn.delete(node)
    this.#leading.delete(node)
  }

  /** The server has another disk. */
  replaced(node: string): void {
    this.#logs.delete(node)
    this.#committed.delete(node)
    this.#heardIn.delete(node)
    this.#leading.delete(node)
  }

  /**
   * The voters of every configuration that some server may still follow: for each log, the last committed one and all
   * after it.
   */
  standing(): readonly (readonly string[])[] {
    const standing: (readonly string[])[] = []
    for (const node of this.#logs.keys()) standing.push(...this.standingAt(node))
    return standing
  }

  /**
   * The voters of the last configuration that the server knows to be committed, and of all after it in its log. For a
   * candidate of a term, that it knew before that term: it may hear from the winner while its vote for itself is written.
   */
  standingAt(node: string, candidateIn?: Term): readonly (readonly string[])[] {
    const known = this.#logs.get(node) ?? []
    const heard = this.#heardIn.get(node)
    const committed =
      heard !== undefined && heard.term === candidateIn ? heard.before : (this.#committed.get(node) ?? noIndex)
    const from = known.findLastIndex(({ index }) => index <= committed)
    return known.slice(Math.max(0, from)).map(({ voters }) => voters)
  }

  /** Returns the voters of the previous configuration; undefined: the log had none. */
  appended(node: string, index: LogIndex, term: Term, configuration: Configuration): readonly string[] | undefined {
    let known = this.#logs.get(node)
    if (known === undefined) {
      known = []
      this.#logs.set(node, known)
    }
    this.truncated(node, index)
    const before = known.at(-1)
    const next: Known = { index, configuration, voters: votersOf(configuration), event: eventIn(this.#judge) }
    known.push(next)
    if (before === undefined) return undefined
    this.#judge.judged('R7')
    const changed = difference(before.voters, next.voters)
    if (changed > 1 && isForcedTerm(term)) this.#judge.excused('R7', 'forced by an operator')
    else if (changed > 1) {
      this.#judge.report('R7', `entry ${index} at ${node} changes ${changed} voters at once`, [before.event])
    }
    if (this.#leading.get(node) === term && !this.#settled.has(node)) {
      const early = 'before it had committed an entry of its term'
      this.#judge.report('R7', `${node}, leader of term ${term}, changed the configuration at ${index} ${early}`, [
        this.#electedIn.get(node) ?? 0,
      ])
    }
    const committed = this.#committed.get(node) ?? 0
    if (this.#leading.get(node) === term && before.index > committed) {
      const last = `the change at ${before.index} is not committed (commit index ${committed})`
      this.#judge.report('R7', `${node}, leader of term ${term}, changed the configuration at ${index} while ${last}`, [
        before.event,
      ])
    }
    return before.voters
  }
}

function votersOf(configuration: Configuration): readonly string[] {
  return configuration.servers.filter((server) => server.suffrage === 'voter').map((server) => server.id)
}

function difference(a: readonly string[], b: readonly string[]): number {
  return a.filter((id) => !b.includes(id)).length + b.filter((id) => !a.includes(id)).length
}

export const configurationChanges = checker({
  codes: {
    R7: {
      text: 'configuration: one change at a time, each after the last is committed; successive ones share a quorum; a leader that is removed leads until that is committed',
      sources: ['Raft thesis, section 4.1, and its erratum of 2015'],
      evidence: ['elections', 'configurations', 'commits'],
      judges: ['configuration kept to', 'configurations kept to'],
      excuses: {
        'forced by an operator':
          'A configuration from peers.json, which no leader wrote, may differ at will; that one alone.',
      },
    },
  },
  make: (judge) => new ConfigurationChanges(judge),
  takes: {
    'process began': (it, { node, id }) => it.named(node, id),
    'message sent': (it, { node, message }) => it.sent(node, message),
    'leader began': (it, { node, term }) => it.becameLeader(node, term),
    'leader ended': (it, { node }) => it.noLongerLeads(node),
    'change asked': (it, { node }) => it.asked(node),
    'log reset': (it, { node, index, configuration }) => it.reset(node, index, configuration),
    'index committed': (it, { node, index, term }) => it.committed(node, index, term),
    'machine replaced': (it, { node }) => it.replaced(node),
  },
})
