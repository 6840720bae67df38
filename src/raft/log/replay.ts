import { indexBefore, type LogIndex, plus } from '../../model/log-position.ts'
import type { Entry, HardState, SnapshotMeta } from '../core/types.ts'
import type { LogRecord } from './record.ts'
import type { SegmentHeader } from './segment-file.ts'

/** Whether the log has the snapshot's last entry, or begins right after it. */
export function continues(log: ReplayedLog, { index, term }: Pick<SnapshotMeta, 'index' | 'term'>): boolean {
  if (log.baseIndex === index) return true
  return log.entries[index - log.baseIndex - 1]?.term === term
}

/** The content of the log after all its records so far: the entries after a base, and the newest hard state. */
export class ReplayedLog {
  hardState: HardState
  baseIndex: LogIndex
  /** Invariant: `entries[i].index === baseIndex + 1 + i`. */
  entries: Entry[] = []

  /** The state when the segment with this header began; earlier entries are unknown. */
  constructor({ hardState, lastIndex }: Pick<SegmentHeader, 'hardState' | 'lastIndex'>) {
    this.hardState = hardState
    this.baseIndex = lastIndex
  }

  get lastIndex(): LogIndex {
    return plus(this.baseIndex, this.entries.length)
  }

  /** Why the record cannot follow the earlier ones; `undefined` if it was accepted. */
  take(record: LogRecord): string | undefined {
    switch (record.kind) {
      case 'hard-state':
        if (record.hardState.term < this.hardState.term) return 'the term falls'
        this.hardState = record.hardState
        return undefined
      case 'reset':
        this.#begin(record.index)
        return undefined
      case 'truncate':
        this.#truncate(record.from)
        return undefined
      case 'entry':
        if (record.entry.index !== this.lastIndex + 1) return 'an entry does not follow the one before it'
        this.entries.push(record.entry)
        return undefined
      case 'continued':
        return undefined
    }
  }

  #begin(index: LogIndex): void {
    this.baseIndex = index
    this.entries = []
  }

  /** Also below the base: entries of removed segments were dropped then, and those that replaced them follow. */
  #truncate(from: LogIndex): void {
    if (from > this.baseIndex) this.entries.length = Math.min(this.entries.length, from - this.baseIndex - 1)
    else this.#begin(indexBefore(from))
  }
}
