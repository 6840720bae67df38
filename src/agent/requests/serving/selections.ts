import { ok, type Result } from '../../../base/result.ts'
import type { Positions, SelectedPart } from '../../../features/contract/reading.ts'
import type { Failure } from '../../../model/failure.ts'

/** Estimated bytes of a selection besides its name, its positions and its encoded forms. */
const selectionBytes = 512

/**
 * Limits the memory of what callers select of results by filters. It is counted apart from the results: a caller with
 * many different filters displaces other selections, and no result that others ask for whole.
 */
export class SelectionsBudget {
  readonly #bytesMax: number
  /** In order of the last request, the oldest first. */
  readonly #kept = new Set<Selection>()
  #bytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** Estimated memory of all kept selections. */
  get bytes(): number {
    return this.#bytes
  }

  /** Moves it to the end of the order, as the one requested last. */
  asked(selection: Selection): void {
    this.#kept.delete(selection)
    this.#kept.add(selection)
  }

  charge(bytes: number, by: Selection): void {
    by.bytes += bytes
    this.#bytes += bytes
    for (const oldest of this.#kept) {
      if (this.#bytes <= this.#bytesMax) return
      oldest.forget()
    }
  }

  gone(selection: Selection): void {
    if (!this.#kept.delete(selection)) return
    this.#bytes -= selection.bytes
    selection.bytes = 0
  }
}

/** What callers with the same rights select of one result. */
export class ViewSelections {
  readonly #budget: SelectionsBudget
  readonly #mayKeep: () => boolean
  readonly #kept = new Map<string, Selection>()
  readonly #underWay = new Map<string, Promise<Result<SelectedPart, Failure>>>()

  /** `mayKeep`: whether later callers may still find the view. */
  constructor(budget: SelectionsBudget, mayKeep: () => boolean) {
    this.#budget = budget
    this.#mayKeep = mayKeep
  }

  /** Implements `ResultForms.selected`. The caller whose `select` was called gets the result first. */
  selected(name: string, select: () => Promise<Result<Positions, Failure>>): Promise<Result<SelectedPart, Failure>> {
    const known = this.#kept.get(name)
    if (known !== undefined) {
      this.#budget.asked(known)
      return Promise.resolve(ok(known))
    }
    const underWay = this.#underWay.get(name) ?? this.#select(name, select)
    this.#underWay.set(name, underWay)
    return underWay
  }

  /** Selections that are being sent keep their bytes. */
  forget(): void {
    for (const selection of [...this.#kept.values()]) selection.forget()
  }

  async #select(
    name: string,
    select: () => Promise<Result<Positions, Failure>>,
  ): Promise<Result<SelectedPart, Failure>> {
    let positions: Result<Positions, Failure>
    try {
      positions = await select()
    } finally {
      this.#underWay.delete(name)
    }
    if (!positions.ok) return positions
    const selection = new Selection(positions.value, this.#budget, () => this.#kept.delete(name))
    if (this.#mayKeep()) {
      this.#kept.set(name, selection)
      selection.keep(selectionBytes + name.length * 2)
    }
    return ok(selection)
  }
}

class Selection implements SelectedPart {
  readonly positions: Positions
  readonly #budget: SelectionsBudget
  readonly #onGone: () => void
  /** Encoded forms, also of a selection that is not kept, because many callers may have waited for it. */
  readonly #forms = new Map<string, Uint8Array>()
  #isKept = false
  /** Its estimated memory; 0 when it is not kept. */
  bytes = 0

  constructor(positions: Positions, budget: SelectionsBudget, onGone: () => void) {
    this.positions = positions
    this.#budget = budget
    this.#onGone = onGone
  }

  keep(bytes: number): void {
    this.#isKept = true
    this.#budget.asked(this)
    this.#budget.charge(bytes + this.positions.byteLength, this)
  }

  bytesOf(form: string, make: () => Uint8Array): Uint8Array {
    const made = this.#forms.get(form)
    if (made !== undefined) return made
    const bytes = make()
    this.#forms.set(form, bytes)
    // The sender may cache them in another form as long as they live (`HttpResponse.shared`).
    if (this.#isKept) this.#budget.charge(2 * bytes.length, this)
    return bytes
  }

  forget(): void {
    this.#isKept = false
    this.#budget.gone(this)
    this.#onGone()
  }
}
