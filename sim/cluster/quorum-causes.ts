import type { AgentObserver } from '../../src/agent/boot/observer.ts'
import { type LogIndex, noIndex, type Term } from '../../src/model/log-position.ts'
import type { RaftMessage } from '../../src/raft/core/messages.ts'
import type { ConfigurationChange, Entry, RequestRefusal, SnapshotMeta } from '../../src/raft/core/types.ts'
import type { RaftObserver } from '../../src/raft/raft.ts'
import type { Trace } from '../report/trace.ts'

/** Maximum number of acknowledgements of one server that are remembered until their entries are committed. */
const acknowledgedMax = 1024

interface Acknowledged {
  readonly index: LogIndex
  readonly event: number
}

/**
 * Shows readers of the trace which messages and which disk make a quorum; returns the observer itself without a reader.
 */
export function withQuorumCauses(observer: AgentObserver, trace: Trace, node: number): AgentObserver {
  if (trace.teller === undefined || observer.raft === undefined) return observer
  return { ...observer, raft: new QuorumCauses(observer.raft, trace, node) }
}

/**
 * A leader commits, and a candidate wins, in the turn that completes a quorum. The events of its other parts are
 * causes, too: for each server the acknowledgement that first reached the entry, or its vote, and the server's own
 * write.
 */
class QuorumCauses implements RaftObserver {
  readonly #next: RaftObserver
  readonly #trace: Trace
  readonly #node: number
  readonly #acknowledged = new Map<string, Acknowledged[]>()
  readonly #votes = new Map<string, { readonly term: Term; readonly event: number }>()
  #own: Acknowledged[] = []
  #leads = false
  #commit = noIndex

  constructor(next: RaftObserver, trace: Trace, node: number) {
    this.#next = next
    this.#trace = trace
    this.#node = node
  }

  received(from: string, message: RaftMessage): void {
    const event = this.#trace.eventNow
    if (message.kind === 'append-response' && message.success && message.index > this.#commit) {
      const known = this.#acknowledged.get(from) ?? []
      known.push({ index: message.index, event })
      if (known.length > acknowledgedMax) known.shift()
      this.#acknowledged.set(from, known)
    }
    if (message.kind === 'vote-response' && message.granted && !message.pre) {
      this.#votes.set(from, { term: message.term, event })
    }
    this.#next.received(from, message)
  }

  appended(entries: readonly Entry[]): void {
    const last = entries.at(-1)
    if (last !== undefined) this.#own.push({ index: last.index, event: this.#trace.eventNow })
    if (this.#own.length > acknowledgedMax) this.#own.shift()
    this.#next.appended(entries)
  }

  hardState(term: Term, votedFor: string | undefined): void {
    this.#votes.set('', { term, event: this.#trace.eventNow })
    this.#next.hardState(term, votedFor)
  }

  becameLeader(term: Term, lastIndex: LogIndex): void {
    const votes = [...this.#votes.values()].filter((vote) => vote.term === term)
    this.#tell(`has the votes of a majority in term ${term}`, votes)
    this.#leads = true
    this.#acknowledged.clear()
    this.#next.becameLeader(term, lastIndex)
  }

  steppedDown(term: Term): void {
    this.#leads = false
    this.#next.steppedDown(term)
  }

  committed(index: LogIndex, term: Term): void {
    const all = [this.#own, ...this.#acknowledged.values()]
    if (this.#leads) {
      const parts = all.flatMap((known) => known.find((each) => each.index >= index) ?? [])
      this.#tell(`commits up to entry ${index} in term ${term}`, parts)
    }
    this.#commit = index
    this.#own = this.#own.filter((each) => each.index > index)
    for (const [from, known] of this.#acknowledged) {
      const left = known.filter((each) => each.index > index)
      this.#acknowledged.set(from, left)
    }
    this.#next.committed(index, term)
  }

  sent(to: string, address: string, message: RaftMessage): void {
    this.#next.sent(to, address, message)
  }

  readAsked(requestId: number): void {
    this.#next.readAsked(requestId)
  }

  readConfirmed(requestId: number): void {
    this.#next.readConfirmed(requestId)
  }

  refused(requestId: number, refusal: RequestRefusal): void {
    this.#next.refused(requestId, refusal)
  }

  readByLease(): void {
    this.#next.readByLease()
  }

  changeAsked(change: ConfigurationChange): void {
    this.#next.changeAsked(change)
  }

  truncated(from: LogIndex): void {
    this.#own = this.#own.filter((each) => each.index < from)
    this.#next.truncated(from)
  }

  applied(entry: Entry): void {
    this.#next.applied(entry)
  }

  restored(meta: SnapshotMeta): void {
    this.#next.restored(meta)
  }

  recovered(...found: Parameters<RaftObserver['recovered']>): void {
    this.#next.recovered(...found)
  }

  /** These events are causes of the turn's later actions. */
  #tell(text: string, parts: readonly { readonly event: number }[]): void {
    const { teller } = this.#trace
    if (teller === undefined) return
    const causes = [...teller.now, ...parts.map(({ event }) => event)]
    teller.comesTo(this.#trace.tell('note', this.#node, { text }, causes))
  }
}
