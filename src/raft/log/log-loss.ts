import { greater, type LogIndex, noIndex, noTerm, type Term } from '../../model/log-position.ts'
import type { Entry } from '../core/types.ts'
import { laterBatches } from './batch.ts'
import type { RaftOpenFailure } from './open-failure.ts'
import type { LogRecord } from './record.ts'
import type { ReplayedLog } from './replay.ts'
import type { SegmentBytes } from './segment-bytes.ts'
import { type LogFormat, readSegmentHeader } from './segment-file.ts'
import type { Mark } from './watermark.ts'

/** What is known about a damaged log: its content before the damage, and facts about the rest. */
export interface LogLoss {
  /** Undefined: not even its beginning can be read. */
  readonly before: ReplayedLog | undefined
  /** It held entries at least up to this index; 0: unknown. */
  readonly heldUpTo: LogIndex
  /** The newest term that it is known to have held. */
  readonly term: Term
  /** Readable configurations after the damage. */
  readonly configurations: readonly Entry[]
  /** It had a configuration at this index; 0: unknown. */
  readonly configurationIndex: LogIndex
}

/** A failure to read the log. With `loss` it is damage, and the rest of the log has been examined. */
export interface LogFailure extends RaftOpenFailure {
  readonly loss?: LogLoss
}

/** The bytes of a segment from which on nothing was used for the log. */
export interface UnreadBytes {
  readonly bytes: SegmentBytes
  readonly from: number
  /** Number that the next batch would have had; undefined: that of the segment's first batch. */
  readonly number: number | undefined
}

/** Scans the bytes after the damage: none of them can be used, but they show what was there. */
export function lossOf(
  before: ReplayedLog | undefined,
  mark: Mark | undefined,
  unread: readonly UnreadBytes[],
  format: LogFormat,
): LogLoss {
  const seen = new Seen(before, mark)
  for (const { bytes, from, number } of unread) {
    const whole = bytes.whole()
    const read = readSegmentHeader(whole, format)
    if (!read.ok) continue
    const { header, end } = read.value
    seen.heldUpTo = greater(seen.heldUpTo, header.lastIndex)
    seen.term = greater(seen.term, header.hardState.term)
    const place = { number: number ?? header.lastBatch + 1, offset: -1, salt: header.salt }
    for (const { records } of laterBatches(whole, Math.max(from, end), place)) {
      for (const record of records) seen.see(record)
    }
  }
  const { heldUpTo, term, configurations, configurationIndex } = seen
  return { before, heldUpTo, term, configurations, configurationIndex }
}

class Seen {
  heldUpTo: LogIndex
  term: Term
  configurationIndex: LogIndex
  readonly configurations: Entry[] = []

  constructor(before: ReplayedLog | undefined, mark: Mark | undefined) {
    this.heldUpTo = greater(before?.lastIndex ?? noIndex, mark?.lastIndex ?? noIndex)
    this.term = greater(before?.hardState.term ?? noTerm, mark?.term ?? noTerm)
    this.configurationIndex = mark?.configurationIndex ?? noIndex
  }

  see(record: LogRecord): void {
    if (record.kind === 'hard-state') this.term = greater(this.term, record.hardState.term)
    if (record.kind === 'reset') this.term = greater(this.term, record.term)
    if (record.kind !== 'entry') return
    const { index, term, kind } = record.entry
    this.heldUpTo = greater(this.heldUpTo, index)
    this.term = greater(this.term, term)
    if (kind === 'configuration') this.configurations.push(record.entry)
  }
}

/** One clause: what is known to be lost beyond a snapshot up to `snapshotIndex`. */
export function lossText({ before, heldUpTo }: LogLoss, snapshotIndex: LogIndex): string {
  const left = greater(before?.lastIndex ?? noIndex, snapshotIndex)
  if (heldUpTo <= left) return `no entry is known to be lost up to ${left}, but it is unknown what came after it`
  return `entries ${left + 1} to ${heldUpTo} are known to be lost, and whatever came after them`
}
