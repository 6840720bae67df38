import type { TraceRecord } from '../report/trace-record.ts'
import { EventTable, type Names } from './event-table.ts'

/** Names of agents by their IDs that are remembered. */
const namesMax = 1_000

/** A run as it is read: its events as numbers, and what its agents are called. */
export class RunReading {
  readonly table: EventTable
  /** Names of agents by their IDs: messages have these. */
  readonly agents = new Map<string, string>()
  endUs = 0

  constructor(names: Names) {
    this.table = new EventTable(names)
  }

  take(record: TraceRecord): void {
    this.table.add(record)
    this.endUs = record.t
    if (!('means' in record)) return
    for (const meaning of record.means ?? []) {
      if (meaning.layer === 'rpc' && meaning.name === 'hello' && this.agents.size < namesMax) {
        this.agents.set(meaning.id, meaning.node)
      }
    }
  }

  /** A text in which agents are called by their names. */
  named(text: string): string {
    return text.replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => this.agents.get(id) ?? id)
  }
}
