import { compareText } from '../base/bytes.ts'
import { invariant } from '../base/invariant.ts'
import { err, ok, type Result } from '../base/result.ts'
import type { Closable } from '../env/async.ts'
import type { Failure } from '../model/failure.ts'
import { greater, type ModifyIndex, noChange } from '../model/log-position.ts'
import { StateDigest } from './digest.ts'
import { LiveReader } from './live.ts'
import { PresentState } from './present-state.ts'
import { RecordingReader, sameLastChanges, type Touched } from './recording.ts'
import { SnapshotReader } from './restore.ts'
import { SnapshotWriter } from './snapshot.ts'
import { hooksByEvent } from './transaction.ts'
import type { ReadTransaction, Row, StateHook, TableDefinition, WriteTransaction } from './types.ts'
import { departuresOf, emptyTable, type Version } from './version.ts'
import { Watches } from './watches.ts'

/** Default maximum number of parked queries; further ones are refused. */
const waitersMaxDefault = 65_536

export interface StoreOptions {
  /**
   * Keep a digest of the state from command to command. That costs the encoding of every changed row, so it is off by
   * default.
   */
  readonly digest?: boolean
  readonly waitersMax?: number
  /** Run when a command raises their event, in this order. */
  readonly hooks?: readonly StateHook[]
}

/** A parked query. */
export interface Parked extends Closable {
  /**
   * Whether it would give the same result now: rows and `lastChange`s are as it found them. False once its callback was
   * called.
   */
  isCurrent(): boolean
}

/** Receives a snapshot, in pieces split anywhere. */
export interface StoreRestore {
  write(bytes: Uint8Array): Result<undefined, string>
  /** Uses the new state and wakes every parked query; or says what is wrong, and leaves the old state. */
  finish(): Result<undefined, string>
}

/**
 * The replicated state of one server: tables of rows, changed by one command at a time. It knows no feature, clock or
 * promise; everything happens in the turn of the call.
 */
export class Store {
  readonly #definitions: ReadonlyMap<string, TableDefinition<Row>>
  /** Undefined: not requested. */
  readonly #digest: StateDigest | undefined
  readonly #waitersMax: number
  readonly #watches = new Watches()
  readonly #state: PresentState
  /** The state at the time of each read. */
  readonly live: ReadTransaction
  #floor = noChange

  constructor(tables: readonly TableDefinition<Row>[], options: StoreOptions = {}) {
    const ordered = [...tables].sort((a, b) => compareText(a.name, b.name))
    this.#definitions = new Map(ordered.map((table) => [table.name, table]))
    invariant(this.#definitions.size === tables.length, 'two tables of one name')
    this.#digest = options.digest === true ? new StateDigest(this.#definitions.keys()) : undefined
    this.#waitersMax = options.waitersMax ?? waitersMaxDefault
    const empty = new Map(ordered.map((table) => [table.name, emptyTable(table, this.#digest !== undefined)]))
    this.#state = new PresentState(empty, hooksByEvent(options.hooks ?? []), (draft) => {
      if (draft.definition.unwatched !== true) this.#watches.changed(draft)
      this.#digest?.changed(draft.definition.name)
    })
    this.live = new LiveReader(this.#state)
  }

  /** Index of the last command applied; 0 before any. */
  get index(): ModifyIndex {
    return this.#state.index
  }

  /**
   * No result of a query counts as older than this: the index at which another state replaced the previous one, whose
   * rows may have any index. So the index that callers wait for never falls below what they know.
   */
  get floor(): ModifyIndex {
    return this.#floor
  }

  raiseFloor(index: ModifyIndex): void {
    this.#floor = greater(this.#floor, index)
  }

  /** Number of parked queries. */
  get waiting(): number {
    return this.#watches.waiting
  }

  /**
   * Runs one command in one transaction and returns its result. If it throws, the state and its index are as before.
   * Queries that it concerns are woken at the next `committed`.
   */
  apply<T>(index: ModifyIndex, command: (tx: WriteTransaction) => T): T {
    return this.#state.apply(index, command)
  }

  /** Wakes the queries that commands since the last call concern, each once. */
  committed(): void {
    this.#watches.wake()
  }

  /** The present state, fixed for as long as the reader is kept. */
  read(): ReadTransaction {
    return this.#state.read()
  }

  /** Evaluates a query on the present state, and returns what it read, for `park`. */
  query<T>(evaluate: (tx: ReadTransaction) => T): { readonly value: T; readonly touched: Touched } {
    const reader = new RecordingReader(this.#state.version())
    const value = evaluate(reader)
    return { value, touched: reader.touched() }
  }

  /**
   * Calls `use` once, from within `committed` or a restore, after a change of something that the query read. Must be
   * called in the turn of the query: a commit in between would be a lost wake-up, and is refused as a bug.
   */
  park(touched: Touched, use: () => void): Result<Parked, Failure> {
    invariant(touched.at === this.#state.index, 'a query parked after the state moved on', {
      evaluated: touched.at,
      now: this.#state.index,
    })
    if (this.#watches.waiting >= this.#waitersMax)
      return err({ kind: 'overloaded', message: 'too many blocking queries' })
    const watch = this.#watches.add(touched, use)
    return ok({
      isCurrent: () => watch.unchanged && sameLastChanges(touched, this.#state.version()),
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

  /** The present state, encoded piece by piece while commands continue. */
  snapshot(): { next(): Uint8Array | undefined } {
    return new SnapshotWriter(this.#state.version())
  }

  /** The same without the cluster's data about itself: for `replace`, here or elsewhere. */
  archive(): { next(): Uint8Array | undefined } {
    const { index, tables } = this.#state.version()
    return new SnapshotWriter({ index, tables: new Map([...tables].filter(([name]) => this.#isReplaced(name))) })
  }

  #isReplaced(table: string): boolean {
    return this.#definitions.get(table)?.ofCluster !== true
  }

  /** Reads a snapshot beside the state in use, for `replace`. */
  reader(): SnapshotReader {
    return new SnapshotReader(this.#definitions, this.#digest !== undefined)
  }

  /**
   * Replaces the present tables by those of `version`, except for the cluster's data about itself, all at once, as a
   * part of the last command. From here on, that command has `index`, which is not below its previous one. Every table
   * counts as changed by it, and every parked query is woken at the next `committed`.
   */
  replace(version: Version, index: ModifyIndex): void {
    invariant(index >= this.#state.index, 'a state replaced out of order', { index, after: this.#state.index })
    const tables = new Map(this.#state.version().tables)
    for (const [name, table] of version.tables) {
      if (!this.#isReplaced(name)) continue
      tables.set(name, { ...table, lastChange: index, departures: departuresOf(table.definition, () => index) })
    }
    this.#replace({ index, tables })
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
        this.#replace(version.value)
        this.#watches.changedAll()
        this.#watches.wake()
        return ok(undefined)
      },
    }
  }

  /** Equal on stores with equal states; undefined unless requested at construction. */
  digest(): { readonly index: ModifyIndex; readonly digest: string } | undefined {
    const digest = this.#digest?.of((table) => this.#state.table(table))
    return digest === undefined ? undefined : { index: this.#state.index, digest }
  }

  #replace(version: Version): void {
    this.#state.replace(version)
    for (const name of this.#definitions.keys()) this.#digest?.changed(name)
  }
}
