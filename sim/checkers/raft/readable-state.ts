import { features } from '../../../src/agent/assembly/features.ts'
import { forgottenOrigins, forwardedWrites } from '../../../src/agent/replication/forwarded-writes.ts'
import { equalBytes } from '../../../src/base/bytes.ts'
import { unpack } from '../../../src/base/msgpack.ts'
import { replacedTable } from '../../../src/features/snapshot/tables.ts'
import { storedBytes } from '../../../src/store/row-codec.ts'
import type { Row, TableDefinition } from '../../../src/store/types.ts'
import { checker, type Judge } from '../checker.ts'
import { tablesOf } from './state-difference.ts'

/**
 * D5. What a server would write as a snapshot can be read again: its tables are known, and each row is read by its
 * table, is written again as the same bytes, and stands behind the row before it. A server reads its own snapshot only
 * after a restart, and a follower one of its leader when it is far behind, so a row that cannot be read, or loses a
 * member, may go unnoticed for months.
 */
export class ReadableState {
  readonly #judge: Judge<{ D5: never }>
  readonly #tables: ReadonlyMap<string, TableDefinition<Row>>
  /** For each running process, a function that takes a snapshot of its state. */
  readonly #snapshots = new Map<string, () => Uint8Array | undefined>()

  constructor(judge: Judge<{ D5: never }>, tables: readonly TableDefinition<Row>[]) {
    this.#judge = judge
    this.#tables = new Map(tables.map((table) => [table.name, table]))
  }

  began(node: string, snapshot: (() => Uint8Array | undefined) | undefined): void {
    if (snapshot !== undefined) this.#snapshots.set(node, snapshot)
  }

  died(node: string): void {
    this.#snapshots.delete(node)
  }

  /** The run is over: judges the state of each process that runs. */
  ended(): void {
    for (const [node, snapshot] of this.#snapshots) {
      const state = snapshot()
      if (state !== undefined) this.#look(node, state)
    }
  }

  #look(node: string, state: Uint8Array): void {
    for (const { name, rows } of tablesOf(state)) {
      const table = this.#tables.get(name)
      this.#judge.judged('D5', rows.length)
      const problem = table === undefined ? 'no release here knows the table' : problemOf(table, rows)
      if (problem === undefined) continue
      this.#judge.judged('D5')
      this.#judge.report('D5', `a snapshot of ${node} cannot be read again: table ${name}, ${problem}`)
    }
  }
}

/** What is wrong with the first row that is not as it was once it is read. */
function problemOf(table: TableDefinition<Row>, rows: readonly Uint8Array[]): string | undefined {
  let lastKey: string | undefined
  for (const [place, bytes] of rows.entries()) {
    const row = readBack(table, bytes)
    if (typeof row === 'string') return `row ${place + 1} ${row}`
    if (!equalBytes(storedBytes(table, row), bytes)) return `row ${place + 1} is written otherwise once it is read`
    const key = table.key(row)
    if (lastKey !== undefined && key <= lastKey) return `row ${place + 1} does not stand behind the row before it`
    lastKey = key
  }
  return undefined
}

function readBack(table: TableDefinition<Row>, bytes: Uint8Array): Row | string {
  const value = unpack(bytes)
  if (!value.ok) return `is not MessagePack: ${value.error}`
  try {
    return table.decode(value.value)
  } catch (cause) {
    return `is refused: ${cause instanceof Error ? cause.message.replaceAll(/\s+/g, ' ') : 'without a reason'}`
  }
}

/** Every table of the newest release, which has those of all earlier ones. */
export const stateTables: readonly TableDefinition<Row>[] = [
  ...features.flatMap((feature) => feature.tables ?? []),
  forwardedWrites,
  forgottenOrigins,
  replacedTable,
]

export const readableState = checker({
  codes: {
    D5: {
      text: 'readable state: at the end of a run each row of each table of a server is read from a snapshot as it was',
      sources: ['docs/architecture/formats.md#snapshots'],
      evidence: ['commands', 'snapshots'],
      judges: ['row read back', 'rows read back'],
    },
  },
  make: (judge) => new ReadableState(judge, stateTables),
  takes: {
    'process began': (it, { node, snapshot }) => it.began(node, snapshot),
    'process died': (it, { node }) => it.died(node),
  },
  ends: (it) => it.ended(),
})
