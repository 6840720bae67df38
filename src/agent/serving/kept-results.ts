import type { Authorizer } from '../../access/authorizer.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { Closable } from '../../env/async.ts'
import type { QueryEndpoint } from '../../features/contract/server-context.ts'
import type { Failure } from '../../model/failure.ts'
import { newestRelease, type Release } from '../../model/release.ts'
import type { Touched } from '../../store/recording.ts'
import type { Parked, Store } from '../../store/store.ts'
import { type ResultView, SeenPart } from './seen-part.ts'

export interface KeptResultsBounds {
  /** Memory that results and their encoded forms may take, as estimated below. */
  readonly bytesMax: number
  /** Reads that may wait at a time; more are refused. */
  readonly waitingMax: number
}

const defaultBounds: KeptResultsBounds = { bytesMax: 64 << 20, waitingMax: 65_536 }

/** What a result costs by itself, its key and its watch; and for each thing in it, whose rows the store keeps anyway. */
const resultBytes = 1_024
const memberBytes = 256

/** Of lists with fewer members, only those that somebody waits for, or asks for again, are kept: once they cost no more to make than to keep. */
const keptMembersMin = 2

/** Views of one result that are kept, for as many authorizers; for one more, the oldest goes. */
const viewsMax = 64
/** What a view costs by itself, and for each thing in it. */
const viewBytes = 512
const viewMemberBytes = 16

/** Number of recent requests that are remembered. */
const askedMax = 1_024
/** Of questions longer than this in letters, as of endpoints that say so, nothing is kept or remembered. */
const keyLengthMax = 1_024

/**
 * Results of queries, evaluated once for all who ask the same, and kept until something that they rest on changes. What is
 * kept always equals what an evaluation would give at that moment, index and value:
 * 1. A query is a pure function of the version and its arguments. Of the version it sees the rows it looks at, and the
 *    `lastChange` of tables.
 * 2. A change of any of those rows ends the watch of the result when the command is applied, before anybody can ask.
 * 3. The `lastChange`s that it saw are compared each time it is asked for.
 */
export class KeptResults {
  readonly #store: Store
  readonly #bounds: KeptResultsBounds
  readonly #release: Release
  /** By endpoint and arguments; the longest unasked first. */
  readonly #kept = new Map<string, KeptResult>()
  /** Keys of small results that were not kept. */
  readonly #askedOnce = new Set<string>()
  #bytes = 0
  #waiting = 0

  /** `release`: what the server runs as. */
  constructor(store: Store, bounds: Partial<KeptResultsBounds> = {}, release: Release = newestRelease) {
    this.#release = release
    this.#store = store
    this.#bounds = { ...defaultBounds, ...bounds }
  }

  /** Reads that wait. */
  get waiting(): number {
    return this.#waiting
  }

  /** Results kept, and what they are thought to take. */
  get size(): { readonly results: number; readonly bytes: number } {
    return { results: this.#kept.size, bytes: this.#bytes }
  }

  /** The result as of now. */
  read(endpoint: QueryEndpoint, args: unknown): KeptResult {
    const key = keyOf(endpoint, args)
    const known = this.#kept.get(key)
    if (known !== undefined) {
      if (known.isCurrent()) {
        // To the end of the order: it is the last one asked for.
        this.#kept.delete(key)
        this.#kept.set(key, known)
        return known
      }
      known.forget()
    }
    const { value, touched } = this.#store.query((tx) => endpoint.query(tx, args, this.#release))
    const result = new KeptResult(this.#owner, key, Math.max(value.index, this.#store.floor, 1), value.value, touched)
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
   * Calls `use` once after something that the result rests on has changed. Must be called in the turn in which the result
   * was read: no commit can fall between, so no wake-up is lost (W2).
   */
  wait(result: KeptResult, use: () => void): Result<Closable, Failure> {
    if (this.#waiting >= this.#bounds.waitingMax) return err(tooManyWaiting)
    const isNew = !result.isWatched
    if (isNew && !this.#watch(result)) return err(tooManyWaiting)
    // Before it is kept, which may let go of results that nobody waits for.
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
      // A result that somebody waits for goes on being watched, for them; nobody else finds it again.
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

/** A result as long as it is what it was; it can be held without holding the version of the state that the result is of. */
export interface LiveResult {
  result: KeptResult | undefined
}

/** One result, shared by all its callers, with the forms in which it was encoded. */
export class KeptResult implements ResultView {
  readonly #owner: Owner
  readonly key: string
  readonly index: number
  readonly value: unknown
  readonly touched: Touched
  watch: Parked | undefined
  /** Callers other than the waiting ones may find it. */
  mayBeKept = true
  readonly live: LiveResult = { result: this }
  /** What it is charged with; 0 when it is kept no longer. */
  bytes = 0
  readonly #forms = new Map<string, Uint8Array>()
  /** Views of callers that may not see all of it. */
  readonly #views = new Map<Authorizer, { readonly view: PartialView; readonly part: SeenPart }>()
  /** Callers that may see all: filtering a long list again would cost more than the rest of a read. At most `viewsMax`. */
  readonly #seers = new Map<Authorizer, SeenPart>()
  readonly #waiting = new Set<() => void>()

  constructor(owner: Owner, key: string, index: number, value: unknown, touched: Touched) {
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
      // The sender may keep them in another form as long as they live (`HttpResponse.shared`).
      this.#owner.charge(2 * bytes.length, this)
    }
    return bytes
  }

  /** What an authorizer leaves of it, which `make` tells, with its own index; the view is the result itself where that is all. */
  partFor(authorizer: Authorizer, make: () => { readonly value: unknown; readonly newest: number }): SeenPart {
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
      // Another than this one may be let go of in return, but this one as well.
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

  /** Called by the store at the end of the batch that changed something. In the order in which they came. */
  changed(): void {
    this.live.result = undefined
    this.#owner.gone(this)
    const waiting = [...this.#waiting]
    for (const use of waiting) {
      // One that is called may close others.
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
  /** What the result is charged with for it. */
  bytes = 0
  readonly #charge: (bytes: number) => boolean
  readonly #forms = new Map<string, Uint8Array>()

  /** `charge` says whether this view is kept, so that its forms may be. */
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

/** Arguments are plain data in the order of their schema: equal ones have equal texts. */
function keyOf(endpoint: QueryEndpoint, args: unknown): string {
  return `${endpoint.method} ${JSON.stringify(args)}`
}

function membersOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0
}
