import type { LogIndex, Term } from '../../../src/model/log-position.ts'
import type { RaftMessage } from '../../../src/raft/core/messages.ts'
import type { RaftLimits } from '../../../src/raft/core/options.ts'
import type { RequestRefusal } from '../../../src/raft/core/types.ts'
import { defaultLimits } from '../../../src/raft/driver/open-raft.ts'
import { checker, type Judge } from '../checker.ts'

/** Appends with entries that a follower was sent and has not acknowledged, oldest first. */
type UnderWay = { readonly last: LogIndex; readonly bytes: number }[]

interface Leading {
  readonly term: Term
  /** Index of its first own entry, which no limit applies to; undefined until it is sent. */
  ownFirst: LogIndex | undefined
  readonly underWay: Map<string, UnderWay>
  /** Reads that wait, by request. */
  readonly reads: Set<number>
}

type Append = Extract<RaftMessage, { readonly kind: 'append-request' }>
type Exceeds = (what: string) => void

/**
 * R15. What a leader sends and accepts is bounded, so that a slow follower or a slow quorum does not fill its memory or
 * the network:
 * 1. An append has no more entries and bytes than its limits, except for one entry that alone is larger.
 * 2. A follower is sent no further entries while as many appends, or as many of their bytes, are unanswered as the
 *    limits allow. The append that reaches the limit of bytes is the last.
 * 3. The newest entry of its own term is at most so many entries beyond the commit index as the limit for proposals.
 *    Entries of earlier terms, and the first of its own, no client has proposed to it.
 * 4. A piece of a snapshot has no more bytes than its limit.
 * 5. A leader refuses a read for want of room only while as many others wait as its limit.
 */
export class BoundedSending {
  readonly #judge: Judge<{ R15: never }>
  readonly #limits = new Map<string, RaftLimits>()
  readonly #leading = new Map<string, Leading>()

  constructor(judge: Judge<{ R15: never }>) {
    this.#judge = judge
  }

  settings(node: string, limits: Partial<RaftLimits> | undefined): void {
    this.#limits.set(node, { ...defaultLimits, ...limits })
  }

  becameLeader(node: string, term: Term): void {
    this.#leading.set(node, { term, ownFirst: undefined, underWay: new Map(), reads: new Set() })
  }

  noLongerLeads(node: string): void {
    this.#leading.delete(node)
  }

  /** A server that left and was added again is sent everything anew. */
  changed(node: string): void {
    this.#leading.get(node)?.underWay.clear()
  }

  sent(node: string, to: string, message: RaftMessage): void {
    const leading = this.#leading.get(node)
    const limits = this.#limits.get(node)
    if (leading === undefined || limits === undefined || message.term !== leading.term) return
    const exceeds: Exceeds = (what) => this.#judge.report('R15', `${node}, leader of term ${leading.term}, ${what}`)
    if (message.kind === 'snapshot-chunk') {
      this.#judge.judged('R15')
      leading.underWay.delete(to)
      const { length } = message.bytes
      if (length > limits.snapshotChunkBytes) exceeds(`sends ${to} ${length} bytes of a snapshot in one message`)
    }
    if (message.kind !== 'append-request' || message.entries.length === 0) return
    this.#judge.judged('R15')
    const bytes = payloadBytes(message)
    if (message.entries.length > limits.appendEntriesMax)
      exceeds(`sends ${to} ${message.entries.length} entries in one append`)
    if (bytes > limits.appendBytesMax && message.entries.length > 1)
      exceeds(`sends ${to} ${bytes} bytes of entries in one append`)
    overtaken(leading, to, message, bytes, limits, exceeds)
    unsettled(leading, message, limits, exceeds)
  }

  asked(node: string, requestId: number): void {
    this.#leading.get(node)?.reads.add(requestId)
  }

  confirmed(node: string, requestId: number | undefined): void {
    if (requestId !== undefined) this.#leading.get(node)?.reads.delete(requestId)
  }

  refused(node: string, requestId: number, kind: RequestRefusal['kind']): void {
    const reads = this.#leading.get(node)?.reads
    const limit = this.#limits.get(node)?.pendingReadsMax
    if (reads?.delete(requestId) !== true || limit === undefined || kind !== 'overloaded') return
    this.#judge.judged('R15')
    if (reads.size < limit) this.#judge.report('R15', `${node} refuses a read while ${reads.size} others wait`)
  }

  received(node: string, from: string, message: RaftMessage): void {
    const leading = this.#leading.get(node)
    if (leading === undefined || message.term !== leading.term) return
    if (message.kind === 'snapshot-response') leading.underWay.delete(from)
    if (message.kind !== 'append-response') return
    const { index, success } = message
    if (!success) leading.underWay.delete(from)
    const underWay = leading.underWay.get(from)
    if (underWay !== undefined)
      leading.underWay.set(
        from,
        underWay.filter(({ last }) => last > index),
      )
  }
}

/** Rule 2. A leader that goes back in its log has given up what it sent beyond. */
function overtaken(
  { underWay: all }: Leading,
  to: string,
  { previousIndex, entries }: Append,
  bytes: number,
  limits: RaftLimits,
  exceeds: Exceeds,
): void {
  const underWay = (all.get(to) ?? []).filter(({ last }) => last <= previousIndex)
  const bytesUnderWay = underWay.reduce((sum, each) => sum + each.bytes, 0)
  if (underWay.length >= limits.appendsInFlightMax)
    exceeds(`sends ${to} entries while ${underWay.length} appends are unanswered`)
  if (bytesUnderWay >= limits.appendBytesInFlightMax)
    exceeds(`sends ${to} entries while ${bytesUnderWay} bytes of entries are unanswered`)
  const last = entries.at(-1)
  if (last !== undefined) underWay.push({ last: last.index, bytes })
  all.set(to, underWay)
}

/** Rule 3. */
function unsettled(leading: Leading, { entries, commit }: Append, limits: RaftLimits, exceeds: Exceeds): void {
  const own = entries.filter(({ term }) => term === leading.term)
  const [first, last] = [own[0]?.index, own.at(-1)?.index]
  if (first === undefined || last === undefined) return
  if (leading.ownFirst === undefined || first < leading.ownFirst) leading.ownFirst = first
  if (last === leading.ownFirst || last - commit <= limits.uncommittedEntriesMax) return
  exceeds(`has ${last - commit} entries that are not committed, and accepts more`)
}

function payloadBytes({ entries }: Append): number {
  return entries.reduce((sum, { payload }) => sum + payload.length, 0)
}

export const boundedSending = checker({
  codes: {
    R15: {
      text: 'bounded consensus: appends, appends under way, pieces of snapshots and uncommitted proposals keep within their limits',
      sources: ['Raft thesis, section 10.2.1'],
      evidence: ['entries', 'acknowledgements', 'snapshots'],
      judges: ['bounded message', 'bounded messages'],
    },
  },
  make: (run) => new BoundedSending(run),
  takes: {
    'settings read': (it, { config: { nodeName, raft } }) => it.settings(nodeName, raft.limits),
    'process died': (it, { node }) => it.noLongerLeads(node),
    'leader began': (it, { node, term }) => it.becameLeader(node, term),
    'leader ended': (it, { node }) => it.noLongerLeads(node),
    'members changed': (it, { node }) => it.changed(node),
    'read asked': (it, { node, requestId }) => it.asked(node, requestId),
    'read confirmed': (it, { node, requestId }) => it.confirmed(node, requestId),
    'request refused': (it, { node, requestId, kind }) => it.refused(node, requestId, kind),
    'message sent': (it, { node, to, message }) => it.sent(node, to, message),
    'message received': (it, { node, from, message }) => it.received(node, from, message),
  },
})
