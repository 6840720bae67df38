import { invariant } from '../../base/invariant.ts'
import { greater, indexBefore, type LogIndex, lesser, type Term } from '../../model/log-position.ts'

/** Persists under way that are tracked apart; beyond that the newest two count as one: later, but never wrong. */
const outstandingMax = 1024
/** Limit of messages that wait for the disk; beyond it a server is silent, as if it were cut off. */
const heldMessagesMax = 4096

interface Outstanding {
  sequence: number
  lastIndex: LogIndex
  term: Term
  /** Messages that wait for it. */
  messages: number
}

/**
 * What of this server's state has reached the disk. The state in memory runs ahead of it.
 *
 * Why that is safe: 1. persists finish in the order in which they were asked for, so at any instant the disk holds the
 * state as it was after some earlier step; 2. a crash takes the server back there; 3. whatever promises something about
 * the state (a vote, an acknowledgement) leaves only when the disk holds the state that it speaks of. So, seen from
 * outside, the server took each step only when it became durable, and the messages in between were merely slow.
 */
export class Durability {
  #sequence = 0
  #outstanding: Outstanding[] = []
  #heldMessages = 0
  #index: LogIndex
  #term: Term

  constructor(index: LogIndex, term: Term) {
    this.#index = index
    this.#term = term
  }

  /** The log as it stands now is on disk up to here: what a leader may count as its own copy. */
  get index(): LogIndex {
    return this.#index
  }

  /** The newest term, with the vote cast in it, that is on disk. */
  get term(): Term {
    return this.#term
  }

  /** The disk lags so far that no further message may wait for it. */
  get isOverwhelmed(): boolean {
    return this.#heldMessages >= heldMessagesMax
  }

  /** Whether log or hard state still wait for the disk. */
  get isBehind(): boolean {
    return this.#outstanding.length > 0
  }

  /** Numbers a persist after which the disk will hold the log up to `lastIndex` and `term`. */
  ask(lastIndex: LogIndex, term: Term, messages: number): number {
    this.#sequence++
    this.#heldMessages += messages
    const newest = this.#outstanding.at(-1)
    if (newest !== undefined && this.#outstanding.length >= outstandingMax) {
      newest.sequence = this.#sequence
      newest.lastIndex = lastIndex
      newest.term = term
      newest.messages += messages
    } else {
      this.#outstanding.push({ sequence: this.#sequence, lastIndex, term, messages })
    }
    return this.#sequence
  }

  /** Numbers a persist that only delays messages until earlier persists are done. */
  askNothing(messages: number): number {
    const newest = this.#outstanding.at(-1)
    if (newest !== undefined) {
      newest.messages += messages
      this.#heldMessages += messages
    }
    return ++this.#sequence
  }

  /**
   * The log in memory was cut from `index` on. What lies there on disk, or is on its way, is no longer what memory
   * holds: a persist that finishes later vouches only for what was left (the entries that took its place have their
   * own).
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
