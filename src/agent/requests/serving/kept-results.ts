import type { Authorizer } from '../../../access/authorizer.ts'
import { err, ok, type Result } from '../../../base/result.ts'
import type { Closable } from '../../../env/async.ts'
import type { QueryEndpoint } from '../../../features/contract/endpoint.ts'
import type { Failure } from '../../../model/failure.ts'
import { firstChange, greater, type ModifyIndex } from '../../../model/log-position.ts'
import { newestRelease, type Release } from '../../../model/release.ts'
import type { Touched } from '../../../store/recording.ts'
import type { Parked, Store } from '../../../store/store.ts'
import { type ResultView, SeenPart } from './seen-part.ts'

export interface KeptResultsBounds {
  /** Limit of the memory for results and their encoded forms, as estimated below. */
  readonly bytesMax: number
  /** Maximum number of waiting reads; more are refused. */
  readonly waitingMax: number
}

const defaultBounds: KeptResultsBounds = { bytesMax: 64 << 20, waitingMax: 65_536 }

/**
 * Estimated bytes of a result with its key and its watch, and of each item in it, whose rows the store holds anyway.
 */
const resultBytes = 1_024
const memberBytes = 256

/**
 * Results with fewer members are cached only if a read waits for them, or asks for them again: they cost no more to
 * compute than to cache.
 */
const keptMembersMin = 2

/** Maximum number of cached views of one result, each for one authorizer; a new one displaces the oldest. */
const viewsMax = 64
/** Estimated bytes of a view, and of each item in it. */
const viewBytes = 512
const viewMemberBytes = 16

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
  #bytes = 0
  #waiting = 0

  /** `release` is the one that the server runs as. */
  constructor(store: Store, bounds: Partial<KeptResultsBounds> = {}, release: Release = newestRelease) {
    this.#release = release
    this.#store = store
    this.#bounds = { ...defaultBounds, ...bounds }
  }

  /** Number of waiting reads. */
  get waiting(): number {
    return this.#waiting
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

  readonly #owner: Owner = {
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

interface Owner {
  charge(bytes: number, by: KeptResult): void
  gone(result: KeptResult): void
  waits(by: 1 | -1): void
}

/** A result and whether it is still current; holding it does not hold the version of the state that it came from. */
export interface LiveResult {
  result: KeptResult | undefined
}

/** One result, shared by all its callers, with its encoded forms. */
export class KeptResult implements ResultView {
  readonly #owner: Owner
  readonly key: string
  readonly index: ModifyIndex
  readonly value: unknown
  readonly touched: Touched
  watch: Parked | undefined
  /** Whether other callers than the waiting ones may find it. */
  mayBeKept = true
  readonly live: LiveResult = { result: this }
  /** Its estimated memory; 0 when it is no longer cached. */
  bytes = 0
  readonly #forms = new Map<string, Uint8Array>()
  /** Views of callers that may not see all of it. */
  readonly #views = new Map<Authorizer, { readonly view: PartialView; readonly part: SeenPart }>()
  /**
   * Callers that may see all of it: filtering a long list again would cost more than the rest of a read. At most
   * `viewsMax`.
   */
  readonly #seers = new Map<Authorizer, SeenPart>()
  readonly #waiting = new Set<() => void>()

  constructor(owner: Owner, key: string, index: ModifyIndex, value: unknown, touched: Touched) {
    this.#owner = owner
    this.key = key
    this.index = index
    this.value = value
    this.touched = touched
  }

  get isWatched(): boolean {
    return this.watch !== undefined
  }

  isCurrent(): boolean {
    return this.watch?.isCurrent() === true
  }

  bytesOf(form: string, make: () => Uint8Array): Uint8Array {
    const made = this.#forms.get(form)
    if (made !== undefined) return made
    const bytes = make()
    if (this.bytes > 0) {
      this.#forms.set(form, bytes)
      // The sender may cache them in another form as long as they live (`HttpResponse.shared`).
      this.#owner.charge(2 * bytes.length, this)
    }
    return bytes
  }

  /**
   * What an authorizer may see of it, which `make` computes, with its own index; the view is the result itself if that
   * is everything.
   */
  partFor(authorizer: Authorizer, make: () => { readonly value: unknown; readonly newest: ModifyIndex }): SeenPart {
    const known = this.#seers.get(authorizer) ?? this.#views.get(authorizer)?.part
    if (known !== undefined) return known
    const { value, newest } = make()
    if (value === this.value) {
      const whole = new SeenPart(this, newest)
      if (this.#seers.size >= viewsMax) this.#seers.clear()
      if (this.bytes > 0) this.#seers.set(authorizer, whole)
      return whole
    }
    const charge = (bytes: number): boolean => {
      // Caching this view may evict other results, but this one as well.
      if (this.#views.get(authorizer)?.view !== view || this.bytes === 0) return false
      view.bytes += bytes
      this.#owner.charge(bytes, this)
      return true
    }
    const view = new PartialView(value, charge)
    const part = new SeenPart(view, newest)
    if (this.bytes === 0) return part
    for (const [oldest, { view: dropped }] of this.#views) {
      if (this.#views.size < viewsMax) break
      this.#views.delete(oldest)
      this.#owner.charge(-dropped.bytes, this)
    }
    this.#views.set(authorizer, { view, part })
    charge(viewBytes + membersOf(value) * viewMemberBytes)
    return part
  }

  wait(use: () => void): Closable {
    this.#waiting.add(use)
    this.#owner.waits(1)
    return {
      close: () => {
        if (!this.#waiting.delete(use)) return
        this.#owner.waits(-1)
        if (this.bytes === 0 || membersOf(this.value) < keptMembersMin) this.forgetIfIdle()
      },
    }
  }

  /**
   * Called by the store at the end of the batch that changed something. Calls the waiting reads in order of arrival.
   */
  changed(): void {
    this.live.result = undefined
    this.#owner.gone(this)
    const waiting = [...this.#waiting]
    for (const use of waiting) {
      // A waiting read that is called may close others.
      if (!this.#waiting.delete(use)) continue
      this.#owner.waits(-1)
      use()
    }
  }

  /** No new caller finds it; the store still calls the waiting ones. */
  forget(): void {
    this.live.result = undefined
    this.#forms.clear()
    this.#views.clear()
    this.#seers.clear()
    this.#owner.gone(this)
    if (this.#waiting.size > 0) return
    this.watch?.close()
    this.watch = undefined
  }

  forgetIfIdle(): void {
    if (this.#waiting.size === 0) this.forget()
  }
}

class PartialView implements ResultView {
  readonly value: unknown
  /** Estimated memory of the view. */
  bytes = 0
  readonly #charge: (bytes: number) => boolean
  readonly #forms = new Map<string, Uint8Array>()

  /** `charge` returns whether this view is cached, so that its encoded forms may be, too. */
  constructor(value: unknown, charge: (bytes: number) => boolean) {
    this.value = value
    this.#charge = charge
  }

  bytesOf(form: string, make: () => Uint8Array): Uint8Array {
    const made = this.#forms.get(form)
    if (made !== undefined) return made
    const bytes = make()
    if (this.#charge(2 * bytes.length)) this.#forms.set(form, bytes)
    return bytes
  }
}

const tooManyWaiting: Failure = { kind: 'overloaded', message: 'too many blocking queries on this agent' }

/** Arguments are plain data in the order of their schema, so equal arguments have equal JSON. */
function keyOf(endpoint: QueryEndpoint, args: unknown): string {
  return `${endpoint.method} ${JSON.stringify(args)}`
}

function membersOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0
}
