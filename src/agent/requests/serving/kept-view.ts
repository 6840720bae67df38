import type { Result } from '../../../base/result.ts'
import type { Positions, SelectedPart } from '../../../features/contract/reading.ts'
import type { Failure } from '../../../model/failure.ts'
import type { ResultView } from './seen-part.ts'
import { type SelectionsBudget, ViewSelections } from './selections.ts'

/**
 * A value with its encoded forms and with what callers select of it, for as long as a cache holds it: what one caller
 * may see of a result, or an answer of another agent.
 */
export class KeptView implements ResultView {
  readonly value: unknown
  /** Estimated memory of the view. */
  bytes = 0
  readonly #charge: (bytes: number) => boolean
  readonly #forms = new Map<string, Uint8Array>()
  readonly #selections: ViewSelections

  /** `charge` returns whether this view is cached, so that its encoded forms may be, too. */
  constructor(value: unknown, charge: (bytes: number) => boolean, selections: SelectionsBudget) {
    this.value = value
    this.#charge = charge
    this.#selections = new ViewSelections(selections, () => charge(0))
  }

  selected(name: string, select: () => Promise<Result<Positions, Failure>>): Promise<Result<SelectedPart, Failure>> {
    return this.#selections.selected(name, select)
  }

  forget(): void {
    this.#selections.forget()
  }

  bytesOf(form: string, make: () => Uint8Array): Uint8Array {
    const made = this.#forms.get(form)
    if (made !== undefined) return made
    const bytes = make()
    if (this.#charge(2 * bytes.length)) this.#forms.set(form, bytes)
    return bytes
  }
}
