import { itemAt } from '../../../src/base/items.ts'
import { type LogIndex, noIndex, noTerm, plus, type Term } from '../../../src/model/log-position.ts'
import type { Entry } from '../../../src/raft/core/types.ts'
import { chainHash } from './entry-hash.ts'

/** The hash before the first entry of a log. */
const emptyLogHash = 0

/**
 * How far this log was durable, if a boot that finds it ending with this entry has lost a part of it. A log may
 * lawfully become shorter when its end was cut and replaced, in one batch, just before the crash. But then it ends in
 * another entry than it had at that index (log matching).
 */
export function lostBehind(log: ServerLog, index: LogIndex, term: Term): LogIndex | undefined {
  return index < log.lastIndex && log.termAt(index) === term ? log.lastIndex : undefined
}

/**
 * One server's log on its disk, seen from outside: for each entry, the term and the hash of the log up to it. Entries
 * up to `baseIndex` are compacted.
 */
export class ServerLog {
  #baseIndex = noIndex
  #baseTerm = noTerm
  /** `undefined` if the log begins with a snapshot of entries whose commit was not observed. */
  #baseHash: number | undefined = emptyLogHash
  #terms: Term[] = []
  #hashes: (number | undefined)[] = []

  get lastIndex(): LogIndex {
    return plus(this.#baseIndex, this.#terms.length)
  }

  /** Number of remembered entries. */
  get length(): number {
    return this.#terms.length
  }

  /** 0 before the first entry; undefined beyond the log. */
  termAt(index: LogIndex): Term | undefined {
    return index === this.#baseIndex ? this.#baseTerm : this.#terms[index - this.#baseIndex - 1]
  }

  /** Hash of the log up to and including `index`; undefined if unknown. */
  hashAt(index: LogIndex): number | undefined {
    return index === this.#baseIndex ? this.#baseHash : this.#hashes[index - this.#baseIndex - 1]
  }

  /**
   * False if the entry would leave a gap, in which case nothing changes. An entry within the log replaces it and all
   * after it.
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

  /** Removes `from` and all after it. */
  truncate(from: LogIndex): void {
    const keep = Math.max(0, from - this.#baseIndex - 1)
    if (keep >= this.#terms.length) return
    this.#terms.length = keep
    this.#hashes.length = keep
  }

  /** Begins anew after `index`, with no entries after it. */
  reset(index: LogIndex, term: Term, hash: number | undefined): void {
    this.#baseIndex = index
    this.#baseTerm = term
    this.#baseHash = hash
    this.#terms = []
    this.#hashes = []
  }

  /** Forgets entries up to `index`, which must be in the log. */
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
