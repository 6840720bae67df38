import { err, ok, type Result } from '../../base/result.ts'
import type { Deferred } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import { type LogIndex, noIndex, type Term } from '../../model/log-position.ts'
import type { Entry, RequestRefusal } from '../core/types.ts'

/** The result of `apply` for the entry, and its index. */
export interface Committed {
  readonly index: LogIndex
  readonly value: unknown
}

export type Outcome = Result<Committed, RequestRefusal>

/** In the leader's log, with its outcome open. */
interface Accepted {
  readonly requestId: number
  readonly term: Term
  readonly atMs: number
}

interface Waiting {
  readonly deferred: Deferred<Outcome>
  readonly bytes: number
}

interface ReadyRead {
  readonly index: LogIndex
  readonly requestId: number
}

/**
 * Calls that wait for their outcome. For a proposal, the entry applied at its index decides: an entry of the same term
 * is the very entry (log matching), one of another term replaced it.
 */
export class Requests {
  readonly #env: Pick<Env, 'deferred' | 'clock'>
  #lastId = 0
  /** Limited by the core, which refuses further requests. */
  readonly #waiting = new Map<number, Waiting>()
  #waitingBytes = 0
  readonly #accepted = new Map<LogIndex, Accepted>()
  /** Confirmed reads that wait until the state machine has applied enough. */
  #reads: ReadyRead[] = []

  constructor(env: Pick<Env, 'deferred' | 'clock'>) {
    this.#env = env
  }

  /** Proposals and changes in the log whose outcome is open. */
  get acceptedCount(): number {
    return this.#accepted.size
  }

  /** Payload bytes of the proposals whose outcome is open. */
  get waitingBytes(): number {
    return this.#waitingBytes
  }

  /** `bytes`: the size of a proposal's payload. */
  begin(bytes = 0): { readonly id: number; readonly outcome: Promise<Outcome> } {
    const id = ++this.#lastId
    const deferred = this.#env.deferred<Outcome>()
    this.#waiting.set(id, { deferred, bytes })
    this.#waitingBytes += bytes
    return { id, outcome: deferred.promise }
  }

  accepted(requestId: number, index: LogIndex, term: Term): void {
    const before = this.#accepted.get(index)
    if (before !== undefined) this.refused(before.requestId, { kind: 'leadership-lost' })
    this.#accepted.set(index, { requestId, term, atMs: this.#env.clock.monoMs() })
  }

  refused(requestId: number, refusal: RequestRefusal): void {
    this.#settle(requestId, err(refusal))
  }

  /** No entry has to be applied first. */
  succeeded(requestId: number): void {
    this.#settle(requestId, ok({ index: noIndex, value: undefined }))
  }

  readReady(requestId: number, index: LogIndex, applied: LogIndex): void {
    if (index <= applied) this.#settle(requestId, ok({ index, value: undefined }))
    else this.#reads.push({ index, requestId })
  }

  /** Milliseconds since the entry was accepted here; undefined if it was not. */
  ageOf(entry: Entry): number | undefined {
    const accepted = this.#accepted.get(entry.index)
    return accepted === undefined ? undefined : this.#env.clock.monoMs() - accepted.atMs
  }

  applied(entry: Entry, value: unknown): void {
    const accepted = this.#accepted.get(entry.index)
    if (accepted === undefined) return
    this.#accepted.delete(entry.index)
    const isSame = accepted.term === entry.term
    this.#settle(accepted.requestId, isSame ? ok({ index: entry.index, value }) : err({ kind: 'leadership-lost' }))
  }

  /** The state machine has applied everything up to `index`. */
  appliedUpTo(index: LogIndex): void {
    if (this.#reads.length === 0) return
    const waiting = this.#reads
    this.#reads = []
    for (const read of waiting) this.readReady(read.requestId, read.index, index)
  }

  /**
   * This server no longer leads: whether entries beyond `index`, up to which entries will be applied here, are ever
   * committed is unknown.
   */
  leadershipLost(index: LogIndex): void {
    for (const [at, { requestId }] of [...this.#accepted]) {
      if (at <= index) continue
      this.#accepted.delete(at)
      this.refused(requestId, { kind: 'leadership-lost' })
    }
  }

  /** Entries in the log stay there, but no caller waits for them any more. */
  refuseAccepted(refusal: RequestRefusal): void {
    const accepted = [...this.#accepted.values()]
    this.#accepted.clear()
    for (const { requestId } of accepted) this.refused(requestId, refusal)
  }

  refuseAll(refusal: RequestRefusal): void {
    this.#accepted.clear()
    this.#reads = []
    for (const requestId of [...this.#waiting.keys()]) this.refused(requestId, refusal)
  }

  #settle(requestId: number, outcome: Outcome): void {
    const waiting = this.#waiting.get(requestId)
    if (waiting === undefined) return
    this.#waiting.delete(requestId)
    this.#waitingBytes -= waiting.bytes
    waiting.deferred.resolve(outcome)
  }
}
