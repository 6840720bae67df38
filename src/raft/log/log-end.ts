import { greater, indexBefore, type LogIndex, lesser, noIndex } from '../../model/log-position.ts'
import type { HardState } from '../core/types.ts'
import type { LogRecord } from './record.ts'

/** The state at the end of the log, which the header of the next segment and the watermark repeat. */
export interface LogEnd {
  readonly hardState: HardState
  readonly lastIndex: LogIndex
  /** Index of the newest configuration in the log's entries as far as this process wrote or read them; 0: none. */
  readonly configurationIndex: LogIndex
}

/** The end of the log after these records were appended. */
export function endAfter(end: LogEnd, records: readonly LogRecord[]): LogEnd {
  let { hardState, lastIndex, configurationIndex } = end
  for (const record of records) {
    if (record.kind === 'hard-state') hardState = record.hardState
    else if (record.kind === 'reset') {
      lastIndex = record.index
      configurationIndex = noIndex
    } else if (record.kind === 'truncate') lastIndex = lesser(lastIndex, indexBefore(record.from))
    else if (record.kind === 'entry') {
      lastIndex = record.entry.index
      if (record.entry.kind === 'configuration') configurationIndex = lastIndex
    }
  }
  return { hardState, lastIndex, configurationIndex }
}

/** The highest index of an entry among these records, or `least` if that is higher. */
export function highestIndex(records: readonly LogRecord[], least: LogIndex): LogIndex {
  let highest = least
  for (const record of records) if (record.kind === 'entry') highest = greater(highest, record.entry.index)
  return highest
}
