import { type LogIndex, noIndex, noTerm, type Term } from '../../../src/model/log-position.ts'
import type { RaftEffect } from '../../../src/raft/core/effects.ts'
import type { RaftCore } from '../../../src/raft/core/state.ts'
import type { Entry, ServerId } from '../../../src/raft/core/types.ts'
import type { Laws } from './laws.ts'

interface LogPlace {
  readonly index: LogIndex
  readonly term: Term
}

/** The log of a model server as its core told the driver to write it. */
export class WrittenLog {
  #entries: Entry[] = []
  /** The place before the first entry. */
  #base: LogPlace = { index: noIndex, term: noTerm }

  get base(): LogPlace {
    return this.#base
  }

  recovered(raft: RaftCore, entries: readonly Entry[]): void {
    const { baseIndex, lastIndex } = raft.log
    this.#base = { index: baseIndex, term: raft.log.termAt(baseIndex) as Term }
    this.#entries = lastIndex === baseIndex ? [] : entries.filter((entry) => entry.index > baseIndex)
  }

  append(id: ServerId, { truncateFrom, entries }: Extract<RaftEffect, { kind: 'persist' }>, laws: Laws): void {
    if (truncateFrom !== undefined) this.#entries = this.#entries.filter((entry) => entry.index < truncateFrom)
    for (const entry of entries) {
      const before = this.#entries.at(-1) ?? this.#base
      laws.holds(entry.index === before.index + 1, 'R3: no gap in the log', {
        id,
        index: entry.index,
        before: before.index,
      })
      laws.appended(id, entry, before.term)
      this.#entries.push(entry)
    }
  }

  check(id: ServerId, { log }: RaftCore, laws: Laws): void {
    const last = this.#entries.at(-1) ?? this.#base
    const law = 'R3: the log is what was written'
    laws.holds(log.lastIndex === last.index && log.lastTerm === last.term, law, {
      id,
      core: [log.lastIndex, log.lastTerm],
      written: [last.index, last.term],
    })
    for (const { index, term: written } of this.#entries) {
      const term = log.termAt(index)
      laws.holds(term === written, law, { id, index, term })
    }
  }

  compact(keepFrom: LogIndex): void {
    this.#entries = this.#entries.filter((entry) => {
      if (entry.index < keepFrom) this.#base = entry
      return entry.index >= keepFrom
    })
  }

  /** A snapshot takes the place of the whole log. */
  replaced(meta: LogPlace): void {
    this.#entries = []
    this.#base = meta
  }
}
