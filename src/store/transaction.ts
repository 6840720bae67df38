import { invariant } from '../base/invariant.ts'
import type { ModifyIndex } from '../model/log-position.ts'
import { Draft } from './draft.ts'
import type { ReadTransaction, Row, StateEvent, StateHook, TableDefinition, WriteTransaction } from './types.ts'
import {
  departureOf,
  indexEntryPrefix,
  indexOf,
  type TableState,
  type Tree,
  tableOf,
  type Version,
  valuesUnder,
} from './version.ts'

/**
 * Maximum depth of hooks raised from within hooks. It is greater than any chain of features: beyond it, two of them
 * raise each other for ever.
 */
const hookDepthMax = 8

export type Hooks = ReadonlyMap<string, readonly StateHook[]>

export function hooksByEvent(hooks: readonly StateHook[]): Hooks {
  const events = new Map<string, StateHook[]>()
  for (const hook of hooks) events.set(hook.event, [...(events.get(hook.event) ?? []), hook])
  return events
}

/** Drafts by table. */
export type Drafts = Map<string, Draft>

/** A cast, for the same reason as in `tableOf`. */
export function draftOf<R extends Row>(drafts: Drafts, table: TableDefinition<R>): Draft<R> | undefined {
  return drafts.get(table.name) as Draft<R> | undefined
}

/**
 * One command at one index. It works on drafts, so that readers of earlier versions see nothing of it: on the given
 * ones, which contain the changes since that version, and on new ones, which it adds to them. `finish` returns the
 * drafts for the next command; after an error, the given ones are undone.
 */
export class Transaction implements WriteTransaction {
  readonly index: ModifyIndex
  readonly #base: Version
  readonly #hooks: Hooks
  #drafts: Drafts
  #depth = 0
  #over = false

  constructor(base: Version, drafts: Drafts, index: ModifyIndex, hooks: Hooks) {
    this.#base = base
    this.#drafts = drafts
    this.index = index
    this.#hooks = hooks
  }

  get<R extends Row>(table: TableDefinition<R>, key: string): R | undefined {
    return this.#rowAt(table, key)
  }

  all<R extends Row>(table: TableDefinition<R>): Iterable<R> {
    return this.prefix(table, '')
  }

  prefix<R extends Row>(table: TableDefinition<R>, prefix: string): Iterable<R> {
    return valuesUnder(
      this.#still(table, (state) => state.rows),
      prefix,
    )
  }

  byIndex<R extends Row>(table: TableDefinition<R>, index: string, key: string): Iterable<R> {
    const tree = this.#still(table, (state) => indexOf(state, index))
    return valuesUnder(tree, indexEntryPrefix(key))
  }

  inIndexOrder<R extends Row>(table: TableDefinition<R>, index: string): Iterable<R> {
    return valuesUnder(
      this.#still(table, (state) => indexOf(state, index)),
      '',
    )
  }

  count<R extends Row>(table: TableDefinition<R>): number {
    return this.#seen(table).rows.size
  }

  lastChange<R extends Row>(table: TableDefinition<R>): ModifyIndex {
    return this.#seen(table).lastChange
  }

  lastDeparture<R extends Row>(table: TableDefinition<R>, departure: string): ModifyIndex {
    return departureOf(this.#seen(table), departure)
  }

  covered<T>(read: (tx: ReadTransaction) => T): T {
    return read(this)
  }

  /** This reader records nothing. */
  watch(): void {}

  put<R extends Row>(table: TableDefinition<R>, row: R): void {
    const draft = this.#draft(table)
    draft.touch(this.index)
    draft.put(Object.freeze(row))
  }

  delete<R extends Row>(table: TableDefinition<R>, key: string): boolean {
    if (this.#rowAt(table, key) === undefined) return false
    const draft = this.#draft(table)
    draft.touch(this.index)
    return draft.delete(key)
  }

  touch<R extends Row>(table: TableDefinition<R>, index = this.index): void {
    invariant(index <= this.index, 'a table touched in the future', { table: table.name, index, at: this.index })
    this.#draft(table).touch(index)
  }

  depart<R extends Row>(table: TableDefinition<R>, departure: string): void {
    const declared = table.departures?.[departure]
    invariant(declared !== undefined && declared.stays === undefined, 'a departure that rows show, or none', {
      departure,
    })
    const draft = this.#draft(table)
    draft.touch(this.index)
    draft.depart(departure)
  }

  attempt(part: () => boolean): boolean {
    const before = this.#drafts
    // Copies share nodes with their originals, so that this costs little, however much has changed already.
    this.#drafts = new Map([...before].map(([name, draft]) => [name, draft.copy()]))
    if (part()) return true
    this.#drafts = before
    return false
  }

  raise<Payload>(event: StateEvent<Payload>, payload: Payload): void {
    invariant(this.#depth < hookDepthMax, 'hooks that raise each other without end', { event: event.name })
    this.#depth++
    for (const hook of this.#hooks.get(event.name) ?? []) hook.run(this, payload)
    this.#depth--
  }

  /** Ends the transaction. */
  finish(): Drafts {
    this.#over = true
    return this.#drafts
  }

  #seen<R extends Row>(table: TableDefinition<R>): Draft<R> | TableState<R> {
    return this.#existing(table) ?? tableOf(this.#base.tables, table)
  }

  #rowAt<R extends Row>(table: TableDefinition<R>, key: string): R | undefined {
    const draft = this.#existing(table)
    return draft === undefined ? tableOf(this.#base.tables, table).rows.get(key) : draft.get(key)
  }

  /**
   * A tree that does not change while the transaction continues: a command may change the rows that it iterates over.
   */
  #still<R extends Row>(table: TableDefinition<R>, of: (state: Draft<R> | TableState<R>) => Tree<R>): Tree<R> {
    const draft = this.#existing(table)
    return draft === undefined ? of(tableOf(this.#base.tables, table)) : of(draft).clone()
  }

  #draft<R extends Row>(table: TableDefinition<R>): Draft<R> {
    invariant(!this.#over, 'a transaction used after its end', { index: this.index, table: table.name })
    const existing = this.#existing(table)
    if (existing !== undefined) return existing
    const made = new Draft(tableOf(this.#base.tables, table))
    this.#drafts.set(table.name, made)
    return made
  }

  #existing<R extends Row>(table: TableDefinition<R>): Draft<R> | undefined {
    return draftOf(this.#drafts, table)
  }
}
