import type { ModifyIndex } from '../model/log-position.ts'
import { type RowSum, withoutRow, withRow } from './digest.ts'
import type { Departures, Row, TableDefinition } from './types.ts'
import { indexEntryKey, type TableState, type Tree } from './version.ts'

/** One row that a transaction put, replaced or deleted. */
export interface Change<R extends Row = Row> {
  readonly key: string
  readonly before: R | undefined
  readonly after: R | undefined
}

/**
 * A table that commands are changing: copies of its trees, which share nodes with the version that they came from.
 * Consecutive commands work on the same draft until a version is needed; the changes of the present command can be
 * undone.
 */
export class Draft<R extends Row = Row> {
  readonly definition: TableDefinition<R>
  readonly rows: Tree<R>
  readonly indexes: ReadonlyMap<string, Tree<R>>
  #changes: Change<R>[] = []
  #lastChange: ModifyIndex
  #departures: Departures
  #sum: RowSum | undefined
  /** The key looked up last, and its row: commands read a row and then replace it. */
  #lookedAt: string | undefined
  #found: R | undefined
  /** The state after the previous command. */
  #settled: Pick<TableState, 'lastChange' | 'departures' | 'sum'>

  constructor(from: TableState<R>) {
    this.definition = from.definition
    this.rows = from.rows.clone()
    this.indexes = from.indexes.size === 0 ? from.indexes : clonesOf(from.indexes)
    this.#lastChange = from.lastChange
    this.#departures = from.departures
    this.#sum = from.sum
    this.#settled = from
  }

  /** Changes of the present command, in order; a row changed twice appears twice. */
  get changes(): readonly Change[] {
    return this.#changes
  }

  get lastChange(): ModifyIndex {
    return this.#lastChange
  }

  get departures(): Departures {
    return this.#departures
  }

  get sum(): RowSum | undefined {
    return this.#sum
  }

  /** Records a departure by the present command, at the index at which the table was touched before. */
  depart(name: string): void {
    if (this.#departures.get(name) === this.#lastChange) return
    this.#departures = new Map(this.#departures).set(name, this.#lastChange)
  }

  touch(index: ModifyIndex): void {
    if (index > this.#lastChange) this.#lastChange = index
  }

  get(key: string): R | undefined {
    if (key !== this.#lookedAt) {
      this.#found = this.rows.get(key)
      this.#lookedAt = key
    }
    return this.#found
  }

  put(row: R): void {
    const key = this.definition.key(row)
    const before = this.get(key)
    this.rows.set(key, row)
    this.#found = row
    this.#change({ key, before, after: row })
  }

  delete(key: string): boolean {
    const before = this.get(key)
    if (before === undefined) return false
    this.rows.delete(key)
    this.#found = undefined
    this.#change({ key, before, after: undefined })
    return true
  }

  /** A copy that changes independently from here on. */
  copy(): Draft<R> {
    const copy = new Draft(this.finished())
    copy.#changes = [...this.#changes]
    copy.#settled = this.#settled
    return copy
  }

  /** Ends the present command. */
  settle(): void {
    if (this.#changes.length > 0) this.#changes = []
    if (this.#lastChange === this.#settled.lastChange) return
    this.#settled = { lastChange: this.#lastChange, departures: this.#departures, sum: this.#sum }
  }

  /** Undoes the changes of the present command. */
  undo(): void {
    const changes = this.#changes
    this.#changes = []
    this.#lookedAt = undefined
    this.#found = undefined
    for (const { key, before, after } of changes.reverse()) {
      if (before === undefined) this.rows.delete(key)
      else this.rows.set(key, before)
      this.#reindex({ key, before: after, after: before })
    }
    this.#lastChange = this.#settled.lastChange
    this.#departures = this.#settled.departures
    this.#sum = this.#settled.sum
  }

  /** Adds a row of a snapshot, which wakes no waiting read. */
  restore(key: string, row: R): void {
    this.#lookedAt = undefined
    this.rows.set(key, row)
    this.#reindex({ key, before: undefined, after: row })
  }

  /** The table after the commands. The draft must not be changed any more. */
  finished(): TableState<R> {
    const { definition, rows, indexes } = this
    return { definition, rows, indexes, lastChange: this.#lastChange, departures: this.#departures, sum: this.#sum }
  }

  #change(change: Change<R>): void {
    this.#reindex(change)
    this.#changes.push(change)
    if (change.before !== undefined && this.#departures.size > 0) this.#departed(change.before, change.after)
  }

  #departed(before: R, after: R | undefined): void {
    for (const name of this.#departures.keys()) {
      const departure = this.definition.departures?.[name]
      if (departure?.stays === undefined) continue
      if (after === undefined || !departure.stays(before, after)) this.depart(name)
    }
  }

  #reindex({ key, before, after }: Change<R>): void {
    for (const [name, tree] of this.indexes) {
      const index = this.definition.indexes?.[name]
      const from = before === undefined ? undefined : index?.key(before)
      const to = after === undefined ? undefined : index?.key(after)
      if (from !== undefined && from !== to) tree.delete(indexEntryKey(from, key))
      if (after !== undefined && to !== undefined) tree.set(indexEntryKey(to, key), after)
    }
    if (this.#sum !== undefined && before !== undefined) this.#sum = withoutRow(this.#sum, this.definition, before)
    if (this.#sum !== undefined && after !== undefined) this.#sum = withRow(this.#sum, this.definition, after)
  }
}

function clonesOf<R extends Row>(indexes: ReadonlyMap<string, Tree<R>>): ReadonlyMap<string, Tree<R>> {
  const clones = new Map<string, Tree<R>>()
  for (const [name, tree] of indexes) clones.set(name, tree.clone())
  return clones
}
