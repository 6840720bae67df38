import { compareText } from '../base/bytes.ts'
import { invariant } from '../base/invariant.ts'
import { err, ok, type Result } from '../base/result.ts'
import type { Closable } from '../env/async.ts'
import type { Failure } from '../model/failure.ts'
import { greater, type ModifyIndex, noChange } from '../model/log-position.ts'
import { stateDigest } from './digest.ts'
import { LiveReader } from './live.ts'
import { RecordingReader, sameLastChanges, type Touched } from './recording.ts'
import { SnapshotReader } from './restore.ts'
import { SnapshotWriter } from './snapshot.ts'
import { withChanged } from './tables.ts'
import { type Drafts, draftOf, type Hooks, hooksByEvent, Transaction } from './transaction.ts'
import type { ReadTransaction, Row, StateHook, TableDefinition, WriteTransaction } from './types.ts'
import { departureOf, departuresOf, emptyTable, tableOf, type Version, VersionReader } from './version.ts'
import { Watches } from './watches.ts'

/** Queries that may be parked at once; more are refused. */
const waitersMaxDefault = 65_536

export interface StoreOptions {
  /** Keep a digest of the state from command to command. Costs the encoding of every changed row, so off by default. */
  readonly digest?: boolean
  readonly waitersMax?: number
  /** Run when a command raises their event, in this order. */
  readonly hooks?: readonly StateHook[]
}

/** A query that is parked. */
export interface Parked extends Closable {
  /**
   * Evaluated now, it would give what it gave: rows and `lastChange`s are as it found them. False once it has been
   * called.
   */
  isCurrent(): boolean
}

/** Takes in a snapshot, in pieces cut anywhere. */
export interface StoreRestore {
  write(bytes: Uint8Array): Result<undefined, string>
  /** Takes the new state into use and wakes every parked query; or says what is wrong, and leaves the old state. */
  finish(): Result<undefined, string>
}

/**
 * The replicated state of one server: tables of rows, changed by one command at a time. It knows no feature, no clock
 * and no promise; everything happens in the turn of the call.
 */
export class Store {
  readonly #definitions: ReadonlyMap<string, TableDefinition<Row>>
  readonly #withDigest: boolean
  readonly #waitersMax: number
  readonly #hooks: Hooks
  readonly #watches = new Watches()
  /** The last version that was requested. */
  #version: Version
  /** The changes of commands since then. */
  #drafts: Drafts = new Map()
  /** The state as of each question. */
  readonly live: ReadTransaction = new LiveReader(this)
  #index = noChange
  #floor = noChange
  #applying = false

  constructor(tables: readonly TableDefinition<Row>[], options: StoreOptions = {}) {
    const ordered = [...tables].sort((a, b) => compareText(a.name, b.name))
    this.#definitions = new Map(ordered.map((table) => [table.name, table]))
    invariant(this.#definitions.size === tables.length, 'two tables of one name')
    this.#withDigest = options.digest ?? false
    this.#waitersMax = options.waitersMax ?? waitersMaxDefault
    this.#hooks = hooksByEvent(options.hooks ?? [])
    this.#version = {
      index: noChange,
      tables: new Map(ordered.map((table) => [table.name, emptyTable(table, this.#withDigest)])),
    }
  }

  /** Index of the last command applied; 0 before any. */
  get index(): ModifyIndex {
    return this.#index
  }

  /**
   * No result of a query counts as older than this: the index at which another state took the place of the one before,
   * whose rows may say any. So what callers wait for never falls behind what they know.
   */
  get floor(): ModifyIndex {
    return this.#floor
  }

  raiseFloor(index: ModifyIndex): void {
    this.#floor = greater(this.#floor, index)
  }

  /** Parked queries. */
  get waiting(): number {
    return this.#watches.waiting
  }

  /**
   * Runs one command in one transaction and returns what it returned. If it throws, the state and its index are as
   * before. Queries that it concerns are woken at the next `committed`.
   */
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
        if (draft.definition.unwatched !== true) this.#watches.changed(draft)
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

  /**
   * The present state. Commands keep changing the same drafts until a version is requested: the cost of a version,
   * copies of the nodes that change next, is then paid once for all commands in between.
   */
  #current(): Version {
    invariant(!this.#applying, 'the state read from within a command')
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

  /** Wakes the queries that commands since the last call concern, each once. */
  committed(): void {
    this.#watches.wake()
  }

  /** Of the present state, without making a version of it. */
  row<R extends Row>(table: TableDefinition<R>, key: string): R | undefined {
    invariant(!this.#applying, 'the state read from within a command')
    return (draftOf(this.#drafts, table) ?? tableOf(this.#version.tables, table)).rows.get(key)
  }

  /** Likewise. */
  lastChange<R extends Row>(table: TableDefinition<R>): ModifyIndex {
    invariant(!this.#applying, 'the state read from within a command')
    return (this.#drafts.get(table.name) ?? tableOf(this.#version.tables, table)).lastChange
  }

  /** Likewise. */
  lastDeparture<R extends Row>(table: TableDefinition<R>, departure: string): ModifyIndex {
    invariant(!this.#applying, 'the state read from within a command')
    return departureOf(this.#drafts.get(table.name) ?? tableOf(this.#version.tables, table), departure)
  }

  /** The present state, fixed for as long as the reader is kept. */
  read(): ReadTransaction {
    return new VersionReader(this.#current())
  }

  /** Evaluates a query on the state now, and says what it looked at, for `park`. */
  query<T>(evaluate: (tx: ReadTransaction) => T): { readonly value: T; readonly touched: Touched } {
    const reader = new RecordingReader(this.#current())
    const value = evaluate(reader)
    return { value, touched: reader.touched() }
  }

  /**
   * Calls `use` once, from within `committed` or a restore, after something has changed that the query looked at. Must
   * be called in the turn of the query: a commit in between would be a wake-up lost, and is refused as a bug.
   */
  park(touched: Touched, use: () => void): Result<Parked, Failure> {
    invariant(touched.version === this.#current(), 'a query parked after the state moved on', {
      evaluated: touched.version.index,
      now: this.#index,
    })
    if (this.#watches.waiting >= this.#waitersMax)
      return err({ kind: 'overloaded', message: 'too many blocking queries' })
    const watch = this.#watches.add(touched, use)
    return ok({
      isCurrent: () => watch.unchanged && sameLastChanges(touched, this.#current()),
      close: () => watch.close(),
    })
  }

  /**
   * Calls `use` as `park` does. For the few watches of the server's own work, which no number of parked queries may
   * starve.
   */
  watch(look: (tx: ReadTransaction) => void, use: () => void): Closable {
    return this.#watches.add(this.query(look).touched, use)
  }

  /** The state now, to be written out piece by piece while commands go on. */
  snapshot(): { next(): Uint8Array | undefined } {
    return new SnapshotWriter(this.#current())
  }

  /** The same without what the cluster keeps of itself: for `replace`, here or elsewhere. */
  archive(): { next(): Uint8Array | undefined } {
    const { index, tables } = this.#current()
    return new SnapshotWriter({ index, tables: new Map([...tables].filter(([name]) => this.#isReplaced(name))) })
  }

  #isReplaced(table: string): boolean {
    return this.#definitions.get(table)?.ofCluster !== true
  }

  /** Reads a snapshot beside the state in use, for `replace`. */
  reader(): SnapshotReader {
    return new SnapshotReader(this.#definitions, this.#withDigest)
  }

  /**
   * Puts the tables of `version` in place of those in use, but for what the cluster keeps of itself, all at once, as a
   * part of the last command; from here on that command has `index`, which is not below the one it had. Every table
   * counts as changed by it, and every parked query is woken at the next `committed`.
   */
  replace(version: Version, index: ModifyIndex): void {
    invariant(!this.#applying && index >= this.#index, 'a state replaced out of order', { index, after: this.#index })
    const tables = new Map(this.#current().tables)
    for (const [name, table] of version.tables) {
      if (!this.#isReplaced(name)) continue
      tables.set(name, { ...table, lastChange: index, departures: departuresOf(table.definition, () => index) })
    }
    this.#version = { index, tables }
    this.#drafts = new Map()
    this.#index = index
    this.#floor = index
    this.#watches.changedAll()
  }

  restore(): StoreRestore {
    const reader = this.reader()
    return {
      write: (bytes) => reader.write(bytes),
      finish: () => {
        const version = reader.finish()
        if (!version.ok) return version
        this.#version = version.value
        this.#drafts = new Map()
        this.#index = version.value.index
        this.#watches.changedAll()
        this.#watches.wake()
        return ok(undefined)
      },
    }
  }

  /** Equal on stores that hold equal states; undefined unless asked for at construction. */
  digest(): { readonly index: ModifyIndex; readonly digest: string } | undefined {
    if (!this.#withDigest) return undefined
    invariant(!this.#applying, 'the state read from within a command')
    const tables = Array.from(
      this.#version.tables.values(),
      (table) => this.#drafts.get(table.definition.name) ?? table,
    )
    return { index: this.#index, digest: stateDigest(tables) }
  }
}
