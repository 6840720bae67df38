import { invariant } from '../../base/invariant.ts'
import { greater, indexBefore, type LogIndex, lesser, type Term } from '../../model/log-position.ts'
import type { RaftLimits } from './options.ts'

type DurabilityLimits = Pick<RaftLimits, 'persistsMax' | 'heldMessagesMax'>

interface Outstanding {
  sequence: number
  lastIndex: LogIndex
  term: Term
  /** Number of messages that wait for it. */
  messages: number
}

/**
 * How much of this server's state has reached the disk. The state in memory runs ahead of it.
 *
 * Why that is safe:
 * 1. Persists finish in the order in which they were requested, so at any instant the disk has the state after some
 *    earlier step.
 * 2. A crash returns the server to that state.
 * 3. A message that promises something about the state (a vote, an acknowledgement) is sent only when the disk has that
 *    state.
 * So, seen from outside, the server took each step only when it became durable, and the messages in between were merely
 * slow.
 */
export class Durability {
  readonly #limits: DurabilityLimits
  #sequence = 0
  #outstanding: Outstanding[] = []
  #heldMessages = 0
  #index: LogIndex
  #term: Term

  constructor(index: LogIndex, term: Term, limits: DurabilityLimits) {
    this.#limits = limits
    this.#index = index
    this.#term = term
  }

  /** The present log is on disk up to here, which a leader may count as its own copy. */
  get index(): LogIndex {
    return this.#index
  }

  /** The newest term, with the vote cast in it, that is on disk. */
  get term(): Term {
    return this.#term
  }

  /** Whether the disk lags so far that no further message may wait for it. */
  get isOverwhelmed(): boolean {
    return this.#heldMessages >= this.#limits.heldMessagesMax
  }

  /** Whether log or hard state still wait for the disk. */
  get isBehind(): boolean {
    return this.#outstanding.length > 0
  }

  /** Returns the number of a persist after which the disk will have the log up to `lastIndex` and `term`. */
  ask(lastIndex: LogIndex, term: Term, messages: number): number {
    this.#sequence++
    this.#heldMessages += messages
    const newest = this.#outstanding.at(-1)
    if (newest !== undefined && this.#outstanding.length >= this.#limits.persistsMax) {
      newest.sequence = this.#sequence
      newest.lastIndex = lastIndex
      newest.term = term
      newest.messages += messages
    } else {
      this.#outstanding.push({ sequence: this.#sequence, lastIndex, term, messages })
    }
    return this.#sequence
  }

  /** Returns the number of a persist that only delays messages until earlier persists are done. */
  askNothing(messages: number): number {
    const newest = this.#outstanding.at(-1)
    if (newest !== undefined) {
      newest.messages += messages
      this.#heldMessages += messages
    }
    return ++this.#sequence
  }

  /**
   * The log in memory was cut from `index` on. Entries from there on that are on disk, or on their way, are not those
   * in memory any more: a persist that finishes later vouches only for the remaining ones (the entries that replaced
   * them have persists of their own).
   */
  truncatedFrom(index: LogIndex): void {
    const left = indexBefore(index)
    this.#index = lesser(this.#index, left)
    for (const persist of this.#outstanding) persist.lastIndex = lesser(persist.lastIndex, left)
  }

  /** The whole log was replaced by a durable snapshot. */
  replacedUpTo(index: LogIndex): void {
    this.#index = index
    for (const persist of this.#outstanding) persist.lastIndex = index
  }

  /** The persist with this number, and all before it, are durable. */
  finished(sequence: number): void {
    invariant(sequence <= this.#sequence, 'only what was asked for is persisted', { sequence, asked: this.#sequence })
    let done = 0
    for (const persist of this.#outstanding) {
      if (persist.sequence > sequence) break
      this.#index = greater(this.#index, persist.lastIndex)
      this.#term = persist.term
      this.#heldMessages -= persist.messages
      done++
    }
    if (done > 0) this.#outstanding = this.#outstanding.slice(done)
  }
}
