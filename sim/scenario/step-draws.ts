import type { Decisions } from '../world/decisions/decisions.ts'
import type { Draws } from '../world/decisions/draws.ts'
import type { Identity } from '../world/decisions/identity.ts'
import type { Step } from './language/scenario-schema.ts'

/**
 * What the steps of a run draw. A step is known by what it says, so that a step that is added or left out shifts no
 * draw of another one.
 */
export class StepDraws {
  readonly #decisions: Decisions
  /** How often a step that says the same was done before. */
  readonly #same = new Map<string, number>()
  /** The step that is done; before the first one, none. */
  #step: Identity = { a: 0, b: 0 }
  /** How often this step has drawn for its actions. */
  #drawn = 0

  constructor(decisions: Decisions) {
    this.#decisions = decisions
  }

  begin(step: Step): void {
    const text = JSON.stringify(step)
    const before = this.#same.get(text) ?? 0
    this.#same.set(text, before + 1)
    this.#step = this.#decisions.identity('step', text, before)
    this.#drawn = 0
  }

  /** For the next action of the step. */
  forAction(): Draws {
    return this.#decisions.drawsWithin(this.#step, 'action', this.#drawn++)
  }

  /** For a selection at this time. Conditions select whenever something happened: apart from the actions of the step. */
  forSelection(selector: string, nowUs: number): Draws {
    return this.#decisions.drawsOnce(this.#step, 'selected', selector, nowUs)
  }
}
