import type { TraceRecord } from '../report/trace-record.ts'
import { EventTable, type Names } from './event-table.ts'

/** Maximum number of remembered names of agents, by ID. */
const namesMax = 1_000

/** A run while it is read: its events as numbers, and the names of its agents. */
export class RunReading {
  readonly table: EventTable
  /** Names of agents by their IDs, which messages contain. */
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

  /** The text with names of agents in place of their IDs. */
  named(text: string): string {
    return text.replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => this.agents.get(id) ?? id)
  }
}
