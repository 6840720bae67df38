import type { Authorizer } from '../../../access/authorizer.ts'
import type { Result } from '../../../base/result.ts'
import type { Closable } from '../../../env/async.ts'
import type { Positions, SelectedPart } from '../../../features/contract/reading.ts'
import type { Failure } from '../../../model/failure.ts'
import type { ModifyIndex } from '../../../model/log-position.ts'
import type { Touched } from '../../../store/recording.ts'
import type { Parked } from '../../../store/store.ts'
import { KeptView } from './kept-view.ts'
import { type ResultView, SeenPart } from './seen-part.ts'
import { type SelectionsBudget, ViewSelections } from './selections.ts'

/**
 * Results with fewer members are cached only if a read waits for them, or asks for them again: they cost no more to
 * compute than to cache.
 */
export const keptMembersMin = 2

/** Maximum number of cached views of one result, each for one authorizer; a new one displaces the oldest. */
const viewsMax = 64

/** Estimated bytes of a view, and of each item in it. */
const viewBytes = 512

const viewMemberBytes = 16

export interface Owner {
  readonly selections: SelectionsBudget
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
  readonly #views = new Map<Authorizer, { readonly view: KeptView; readonly part: SeenPart }>()
  /**
   * Callers that may see all of it: filtering a long list again would cost more than the rest of a read. At most
   * `viewsMax`.
   */
  readonly #seers = new Map<Authorizer, SeenPart>()
  #selections: ViewSelections | undefined
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

  selected(name: string, select: () => Promise<Result<Positions, Failure>>): Promise<Result<SelectedPart, Failure>> {
    this.#selections ??= new ViewSelections(this.#owner.selections, () => this.bytes > 0)
    return this.#selections.selected(name, select)
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
    const view = new KeptView(value, charge, this.#owner.selections)
    const part = new SeenPart(view, newest)
    if (this.bytes === 0) return part
    for (const [oldest, { view: dropped }] of this.#views) {
      if (this.#views.size < viewsMax) break
      this.#views.delete(oldest)
      dropped.forget()
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
    this.#forgetSelections()
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
    this.#forgetSelections()
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

  #forgetSelections(): void {
    this.#selections?.forget()
    for (const { view } of this.#views.values()) view.forget()
  }
}

export function membersOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0
}
