import { invariant } from '../../base/invariant.ts'
import { indexAfter, indexBefore, type LogIndex, lesser, plus, type Term } from '../../model/log-position.ts'
import type { Entry } from './types.ts'

/**
 * The log in memory: the entries after a base, whose index and term are known although its entry is gone (0 and 0 for a
 * log that was never cut). The base is at or below the snapshot; entries between them are kept for followers that lag a
 * little. It runs ahead of the disk; `Durability` knows how far it is durable.
 */
export class RaftLog {
  #baseIndex: LogIndex
  #baseTerm: Term
  /** Invariant: `#entries[i].index === #baseIndex + 1 + i`, terms never fall. Grows until a snapshot allows a cut. */
  #entries: Entry[] = []
  #bytes = 0

  constructor(baseIndex: LogIndex, baseTerm: Term) {
    this.#baseIndex = baseIndex
    this.#baseTerm = baseTerm
  }

  get baseIndex(): LogIndex {
    return this.#baseIndex
  }

  get lastIndex(): LogIndex {
    return plus(this.#baseIndex, this.#entries.length)
  }

  get lastTerm(): Term {
    const last = this.#entries.at(-1)
    return last === undefined ? this.#baseTerm : last.term
  }

  /** Size of the payloads in it. */
  get bytes(): number {
    return this.#bytes
  }

  /** The first index of the longest suffix of the log whose payloads have at most `bytesMax` bytes. */
  tailWithin(bytesMax: number): LogIndex {
    let from = this.#entries.length
    let bytes = 0
    while (from > 0) {
      bytes += this.#entries[from - 1]?.payload.length ?? 0
      if (bytes > bytesMax) break
      from--
    }
    return plus(this.#baseIndex, 1 + from)
  }

  /** `undefined` below the base, where it is forgotten, and beyond the end. */
  termAt(index: LogIndex): Term | undefined {
    return index === this.#baseIndex ? this.#baseTerm : this.#entries[index - this.#baseIndex - 1]?.term
  }

  append(entry: Entry): void {
    const lastIndex = this.lastIndex
    invariant(entry.index === lastIndex + 1, 'log entries follow each other', { index: entry.index, lastIndex })
    invariant(entry.term >= this.lastTerm, 'terms in the log never fall', { term: entry.term, lastTerm: this.lastTerm })
    this.#entries.push(entry)
    this.#bytes += entry.payload.length
  }

  /** Removes the entries from `index` on. */
  truncateFrom(index: LogIndex): void {
    invariant(index > this.#baseIndex, 'the log is not cut below its base', { index, baseIndex: this.#baseIndex })
    this.#bytes -= payloadBytes(this.#entries, Math.max(0, index - this.#baseIndex - 1), this.#entries.length)
    this.#entries.length = Math.min(this.#entries.length, index - this.#baseIndex - 1)
  }

  /** Removes the entries up to `index`, keeping its term as the new base. */
  compactTo(index: LogIndex): void {
    if (index <= this.#baseIndex) return
    const term = this.termAt(index)
    invariant(term !== undefined, 'the log is cut at an entry it holds', { index, lastIndex: this.lastIndex })
    this.#bytes -= payloadBytes(this.#entries, 0, index - this.#baseIndex)
    this.#entries = this.#entries.slice(index - this.#baseIndex)
    this.#baseIndex = index
    this.#baseTerm = term
  }

  /** Removes every entry: the log continues after a snapshot. */
  resetTo(index: LogIndex, term: Term): void {
    this.#entries = []
    this.#bytes = 0
    this.#baseIndex = index
    this.#baseTerm = term
  }

  /** The entries in [from, to]. */
  range(from: LogIndex, to: LogIndex): Entry[] {
    invariant(from > this.#baseIndex, 'only entries after the base can be read', { from, baseIndex: this.#baseIndex })
    return this.#entries.slice(from - this.#baseIndex - 1, to - this.#baseIndex)
  }

  /**
   * Entries from `from` on for one append: at most `entriesMax`, and `bytesMax` of payload unless the first is larger.
   */
  batch(from: LogIndex, entriesMax: number, bytesMax: number): Entry[] {
    let to = indexBefore(from)
    let bytes = 0
    while (to < this.lastIndex && to - from + 1 < entriesMax) {
      bytes += this.#entries[to - this.#baseIndex]?.payload.length ?? 0
      if (bytes > bytesMax && to >= from) break
      to = indexAfter(to)
    }
    return this.range(from, to)
  }

  /**
   * The last index at or below `limit` whose term is at most `term`; `undefined` if even the base's term is greater.
   * Terms never fall along the log, so a binary search finds it. Two logs cannot agree beyond this index if the other's
   * entry at `limit` has `term` (paper 5.3, end): one request skips a whole run of terms.
   */
  lastAtMost(limit: LogIndex, term: Term): LogIndex | undefined {
    let low = this.#baseIndex
    let high = lesser(limit, this.lastIndex)
    if (high < low || this.#baseTerm > term) return undefined
    while (low < high) {
      const middle = plus(low, Math.ceil((high - low) / 2))
      const termThere = this.termAt(middle)
      invariant(termThere !== undefined, 'the log has a term at each place between its ends', { middle, low, high })
      if (termThere <= term) low = middle
      else high = indexBefore(middle)
    }
    return low
  }

  /** Whether a log that ends with this entry has at least what this one has (paper 5.4.1: term first, then length). */
  isCoveredBy(lastIndex: LogIndex, lastTerm: Term): boolean {
    return lastTerm > this.lastTerm || (lastTerm === this.lastTerm && lastIndex >= this.lastIndex)
  }
}

function payloadBytes(entries: readonly Entry[], from: number, to: number): number {
  let bytes = 0
  for (let at = from; at < to; at++) bytes += entries[at]?.payload.length ?? 0
  return bytes
}
