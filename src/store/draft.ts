import { type RowSum, withoutRow, withRow } from './digest.ts'
import { indexEntryKey, type Tree } from './tree.ts'
import type { Row, TableDefinition } from './types.ts'
import type { TableState } from './version.ts'

/** One row that a transaction put, replaced or deleted. */
export interface Change {
  readonly key: string
  readonly before: Row | undefined
  readonly after: Row | undefined
}

/** A table in the hands of a transaction: copies of its trees, which share nodes with the version they came from. */
export class Draft {
  readonly definition: TableDefinition<Row>
  readonly rows: Tree<Row>
  readonly indexes: ReadonlyMap<string, Tree<Row>>
  /** In the order made; a row changed twice is there twice. */
  readonly changes: Change[] = []
  #lastChange: number
  #sum: RowSum | undefined

  constructor(from: TableState) {
    this.definition = from.definition
    this.rows = from.rows.clone()
    this.indexes = from.indexes.size === 0 ? from.indexes : clonesOf(from.indexes)
    this.#lastChange = from.lastChange
    this.#sum = from.sum
  }

  get lastChange(): number {
    return this.#lastChange
  }

  touch(index: number): void {
    if (index > this.#lastChange) this.#lastChange = index
  }

  put(row: Row): void {
    const key = this.definition.key(row)
    const before = this.rows.get(key)
    this.rows.set(key, row)
    this.#change({ key, before, after: row })
  }

  delete(key: string): boolean {
    const before = this.rows.get(key)
    if (before === undefined) return false
    this.rows.delete(key)
    this.#change({ key, before, after: undefined })
    return true
  }

  /** Goes its own way from here on. */
  copy(): Draft {
    const copy = new Draft(this.finished())
    copy.changes.push(...this.changes)
    return copy
  }

  /** Takes in a new row of a snapshot, which is no change that anybody waits for. */
  restore(key: string, row: Row): void {
    this.rows.set(key, row)
    this.#reindex({ key, before: undefined, after: row })
  }

  /** The table as the transaction leaves it. The draft must not be changed any more. */
  finished(): TableState {
    const { definition, rows, indexes } = this
    return { definition, rows, indexes, lastChange: this.#lastChange, sum: this.#sum }
  }

  #change(change: Change): void {
    this.#reindex(change)
    this.changes.push(change)
  }

  #reindex({ key, before, after }: Change): void {
    for (const [name, tree] of this.indexes) {
      const index = this.definition.indexes?.[name]
      const from = before === undefined ? undefined : index?.key(before)
      const to = after === undefined ? undefined : index?.key(after)
      if (from !== undefined && from !== to) tree.delete(indexEntryKey(from, key))
      if (to !== undefined) tree.set(indexEntryKey(to, key), after as Row)
    }
    if (this.#sum !== undefined && before !== undefined) this.#sum = withoutRow(this.#sum, this.definition, before)
    if (this.#sum !== undefined && after !== undefined) this.#sum = withRow(this.#sum, this.definition, after)
  }
}

function clonesOf(indexes: ReadonlyMap<string, Tree<Row>>): ReadonlyMap<string, Tree<Row>> {
  const clones = new Map<string, Tree<Row>>()
  for (const [name, tree] of indexes) clones.set(name, tree.clone())
  return clones
}
