import { err, ok, type Result } from '../../../base/result.ts'
import type { Closable } from '../../../env/async.ts'
import type { QueryEndpoint } from '../../../features/contract/endpoint.ts'
import type { Failure } from '../../../model/failure.ts'
import { firstChange, greater } from '../../../model/log-position.ts'
import { newestRelease, type Release } from '../../../model/release.ts'
import type { Store } from '../../../store/store.ts'
import { KeptResult, keptMembersMin, membersOf, type Owner } from './kept-result.ts'
import { SelectionsBudget } from './selections.ts'

export interface KeptResultsBounds {
  /** Limit of the memory for results and their encoded forms, as estimated below. */
  readonly bytesMax: number
  /** Limit of that for what callers select of results by filters. */
  readonly selectionBytesMax: number
  /** Maximum number of waiting reads; more are refused. */
  readonly waitingMax: number
}

const defaultBounds: KeptResultsBounds = { bytesMax: 64 << 20, selectionBytesMax: 16 << 20, waitingMax: 65_536 }

/**
 * Estimated bytes of a result with its key and its watch, and of each item in it, whose rows the store holds anyway.
 */
const resultBytes = 1_024

const memberBytes = 256

/** Number of recent requests that are remembered. */
const askedMax = 1_024

/**
 * Requests whose key is longer than this many characters are not cached or remembered, nor are those of endpoints that
 * opt out.
 */
const keyLengthMax = 1_024

/**
 * Caches results of queries, so that each is evaluated once for all callers with the same request, until something that
 * it depends on changes. A cached result always equals what an evaluation would return at that moment, index and value:
 * 1. A query is a pure function of the version and its arguments. Of the version it depends on the rows that it reads,
 *    and on the `lastChange` of tables.
 * 2. A change of any of those rows ends the watch of the result when the command is applied, before any caller can ask.
 * 3. The `lastChange`s that it read are compared at each request.
 */
export class KeptResults {
  readonly #store: Store
  readonly #bounds: KeptResultsBounds
  readonly #release: Release
  /** By endpoint and arguments, in order of the last request, the oldest first. */
  readonly #kept = new Map<string, KeptResult>()
  /** Keys of small results that were not kept. */
  readonly #askedOnce = new Set<string>()
  readonly #selections: SelectionsBudget
  readonly #owner: Owner
  #bytes = 0
  #waiting = 0

  /** `release` is the one that the server runs as. */
  constructor(store: Store, bounds: Partial<KeptResultsBounds> = {}, release: Release = newestRelease) {
    this.#release = release
    this.#store = store
    this.#bounds = { ...defaultBounds, ...bounds }
    this.#selections = new SelectionsBudget(this.#bounds.selectionBytesMax)
    this.#owner = {
      selections: this.#selections,
      charge: (bytes, by) => this.#charge(bytes, by),
      gone: (result) => {
        if (this.#kept.get(result.key) === result) this.#kept.delete(result.key)
        this.#bytes -= result.bytes
        result.bytes = 0
      },
      waits: (by) => {
        this.#waiting += by
      },
    }
  }

  /** Number of waiting reads. */
  get waiting(): number {
    return this.#waiting
  }

  /** Estimated memory of what callers have selected of results. */
  get selectionBytes(): number {
    return this.#selections.bytes
  }

  /** Number of cached results, and their estimated memory. */
  get size(): { readonly results: number; readonly bytes: number } {
    return { results: this.#kept.size, bytes: this.#bytes }
  }

  /** The result as of now. */
  read(endpoint: QueryEndpoint, args: unknown): KeptResult {
    const key = keyOf(endpoint, args)
    const known = this.#kept.get(key)
    if (known !== undefined) {
      if (known.isCurrent()) {
        // Moves it to the end of the order, as the one requested last.
        this.#kept.delete(key)
        this.#kept.set(key, known)
        return known
      }
      known.forget()
    }
    const { value, touched } = this.#store.query((tx) => endpoint.query(tx, args, this.#release))
    const result = new KeptResult(
      this.#owner,
      key,
      greater(value.index, this.#store.floor, firstChange),
      value.value,
      touched,
    )
    result.mayBeKept = endpoint.kept !== false && key.length <= keyLengthMax
    if (result.mayBeKept && (membersOf(value.value) >= keptMembersMin || this.#isAskedAgain(key))) this.#keep(result)
    return result
  }

  #isAskedAgain(key: string): boolean {
    if (this.#askedOnce.delete(key)) return true
    if (this.#askedOnce.size >= askedMax) this.#askedOnce.clear()
    this.#askedOnce.add(key)
    return false
  }

  /**
   * Calls `use` once after something that the result depends on has changed. Must be called in the turn in which the
   * result was read: no commit can fall between, so no wake-up is lost (W2).
   */
  wait(result: KeptResult, use: () => void): Result<Closable, Failure> {
    if (this.#waiting >= this.#bounds.waitingMax) return err(tooManyWaiting)
    const isNew = !result.isWatched
    if (isNew && !this.#watch(result)) return err(tooManyWaiting)
    // Before the result is cached, which may evict results without waiting reads.
    const waiting = result.wait(use)
    if (isNew && result.mayBeKept) this.#enter(result)
    return ok(waiting)
  }

  #keep(result: KeptResult): void {
    if (this.#watch(result)) this.#enter(result)
  }

  #watch(result: KeptResult): boolean {
    const park = () => this.#store.park(result.touched, () => result.changed())
    let watch = park()
    if (!watch.ok) {
      for (const kept of this.#kept.values()) kept.forgetIfIdle()
      watch = park()
    }
    if (watch.ok) result.watch = watch.value
    return watch.ok
  }

  #enter(result: KeptResult): void {
    this.#kept.set(result.key, result)
    this.#charge(resultBytes + result.key.length * 2 + membersOf(result.value) * memberBytes, result)
  }

  #charge(bytes: number, by: KeptResult): void {
    by.bytes += bytes
    this.#bytes += bytes
    if (this.#bytes <= this.#bounds.bytesMax) return
    for (const result of this.#kept.values()) {
      // A result with waiting reads stays watched for them, but no other caller finds it again.
      if (result !== by) result.forget()
      if (this.#bytes <= this.#bounds.bytesMax) return
    }
    by.forget()
  }
}

const tooManyWaiting: Failure = { kind: 'overloaded', message: 'too many blocking queries on this agent' }

/** Arguments are plain data in the order of their schema, so equal arguments have equal JSON. */
function keyOf(endpoint: QueryEndpoint, args: unknown): string {
  return `${endpoint.method} ${JSON.stringify(args)}`
}
