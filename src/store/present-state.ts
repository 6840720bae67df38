import { invariant } from '../base/invariant.ts'
import { type ModifyIndex, noChange } from '../model/log-position.ts'
import type { Draft } from './draft.ts'
import { withChanged } from './tables.ts'
import { type Drafts, draftOf, type Hooks, Transaction } from './transaction.ts'
import type { ReadTransaction, Row, TableDefinition, WriteTransaction } from './types.ts'
import { departureOf, type TableState, type Tables, tableOf, type Version, VersionReader } from './version.ts'

/**
 * The state after the last command: the last version that was requested, and drafts of the tables that commands have
 * changed since. Commands keep changing the same drafts until a version is requested: the cost of a version, copies of
 * the nodes that change next, is then paid once for all commands in between.
 */
export class PresentState {
  readonly #hooks: Hooks
  readonly #changed: (draft: Draft) => void
  #version: Version
  #drafts: Drafts = new Map()
  #index = noChange
  #applying = false

  /** `changed`: called for each draft that a command has changed, before the command is over. */
  constructor(tables: Tables, hooks: Hooks, changed: (draft: Draft) => void) {
    this.#version = { index: noChange, tables }
    this.#hooks = hooks
    this.#changed = changed
  }

  /** Index of the last command applied; 0 before any. */
  get index(): ModifyIndex {
    return this.#index
  }

  /** Runs one command in one transaction and returns what it returned. If it throws, nothing has happened. */
  apply<T>(index: ModifyIndex, command: (tx: WriteTransaction) => T): T {
    invariant(!this.#applying, 'a command applied from within another', { index })
    invariant(index > this.#index, 'a command applied out of order', { index, after: this.#index })
    const tx = new Transaction(this.#version, this.#drafts, index, this.#hooks)
    this.#applying = true
    try {
      const outcome = command(tx)
      this.#drafts = tx.finish()
      this.#index = index
      for (const draft of this.#drafts.values()) {
        this.#changed(draft)
        draft.settle()
      }
      return outcome
    } catch (cause) {
      // Drafts that the command itself made are then equal to the version.
      for (const draft of this.#drafts.values()) draft.undo()
      throw cause
    } finally {
      this.#applying = false
    }
  }

  /** The state as a version, which never changes. */
  version(): Version {
    this.#notWithinCommand()
    if (this.#index === this.#version.index) return this.#version
    let { tables } = this.#version
    if (this.#drafts.size > 0) {
      tables = withChanged(
        tables,
        Array.from(this.#drafts.values(), (draft) => draft.finished()),
      )
      this.#drafts = new Map()
    }
    this.#version = { index: this.#index, tables }
    return this.#version
  }

  /** The present state, fixed for as long as the reader is kept. */
  read(): ReadTransaction {
    return new VersionReader(this.version())
  }

  /** Replaces this state by another one. */
  replace(version: Version): void {
    this.#notWithinCommand()
    this.#version = version
    this.#drafts = new Map()
    this.#index = version.index
  }

  /** Reads the present state without making a version of it; so do the next three methods. */
  row<R extends Row>(table: TableDefinition<R>, key: string): R | undefined {
    this.#notWithinCommand()
    return (draftOf(this.#drafts, table) ?? tableOf(this.#version.tables, table)).rows.get(key)
  }

  lastChange<R extends Row>(table: TableDefinition<R>): ModifyIndex {
    this.#notWithinCommand()
    return (this.#drafts.get(table.name) ?? tableOf(this.#version.tables, table)).lastChange
  }

  lastDeparture<R extends Row>(table: TableDefinition<R>, departure: string): ModifyIndex {
    this.#notWithinCommand()
    return departureOf(this.#drafts.get(table.name) ?? tableOf(this.#version.tables, table), departure)
  }

  /** The present state of one table, for the digest. */
  table(name: string): Draft | TableState {
    this.#notWithinCommand()
    const table = this.#drafts.get(name) ?? this.#version.tables.get(name)
    invariant(table !== undefined, 'a table that the store was not told of', { table: name })
    return table
  }

  #notWithinCommand(): void {
    invariant(!this.#applying, 'the state read from within a command')
  }
}
