import { itemAt } from '../../../src/base/items.ts'
import { type LogIndex, noIndex, noTerm, plus, type Term } from '../../../src/model/log-position.ts'
import type { Entry } from '../../../src/raft/core/types.ts'
import { chainHash } from './entry-hash.ts'

/** Stands for the hash before the first entry of a log. */
const emptyLogHash = 0

/**
 * How far this log was durable, if a boot that finds it ending with this entry has lost some of it. A log may be
 * shorter than before when its end was cut and something else put there, in one batch, just before the crash: but then
 * it ends in another entry than it had at that index (log matching).
 */
export function lostBehind(log: ServerLog, index: LogIndex, term: Term): LogIndex | undefined {
  return index < log.lastIndex && log.termAt(index) === term ? log.lastIndex : undefined
}

/**
 * One server's log as it is on its disk, seen from outside: of each entry the term and the hash of the log up to it.
 * What lies at or below `baseIndex` has been compacted away.
 */
export class ServerLog {
  #baseIndex = noIndex
  #baseTerm = noTerm
  /** `undefined` when the log begins with a snapshot of entries that nobody was seen to commit. */
  #baseHash: number | undefined = emptyLogHash
  #terms: Term[] = []
  #hashes: (number | undefined)[] = []

  get lastIndex(): LogIndex {
    return plus(this.#baseIndex, this.#terms.length)
  }

  /** Entries remembered. */
  get length(): number {
    return this.#terms.length
  }

  /** 0 before the first entry; undefined where the log does not reach. */
  termAt(index: LogIndex): Term | undefined {
    return index === this.#baseIndex ? this.#baseTerm : this.#terms[index - this.#baseIndex - 1]
  }

  /** Hash of the log up to and with `index`; undefined where it is not known. */
  hashAt(index: LogIndex): number | undefined {
    return index === this.#baseIndex ? this.#baseHash : this.#hashes[index - this.#baseIndex - 1]
  }

  /**
   * False when the entry would leave a gap: then nothing is done. An entry within the log replaces it and all after it.
   */
  append(entry: Entry): boolean {
    const at = entry.index - this.#baseIndex - 1
    if (at < 0 || at > this.#terms.length) return false
    if (at < this.#terms.length) this.truncate(entry.index)
    const before = at === 0 ? this.#baseHash : this.#hashes[at - 1]
    this.#terms.push(entry.term)
    this.#hashes.push(before === undefined ? undefined : chainHash(before, entry))
    return true
  }

  /** Drops `from` and all after it. */
  truncate(from: LogIndex): void {
    const keep = Math.max(0, from - this.#baseIndex - 1)
    if (keep >= this.#terms.length) return
    this.#terms.length = keep
    this.#hashes.length = keep
  }

  /** Begins again after `index`, with nothing behind it. */
  reset(index: LogIndex, term: Term, hash: number | undefined): void {
    this.#baseIndex = index
    this.#baseTerm = term
    this.#baseHash = hash
    this.#terms = []
    this.#hashes = []
  }

  /** Forgets what lies at or below `index`, which must be in the log. */
  forget(index: LogIndex): void {
    const count = index - this.#baseIndex
    if (count <= 0 || count > this.#terms.length) return
    this.#baseTerm = itemAt(this.#terms, count - 1)
    this.#baseHash = this.#hashes[count - 1]
    this.#terms = this.#terms.slice(count)
    this.#hashes = this.#hashes.slice(count)
    this.#baseIndex = index
  }
}
