import { hideUuids } from '../base/uuid.ts'
import { type Ask, decisionText } from './authorizer.ts'
import type { Difference, Refusal } from './rehearsal.ts'

/** Different things counted at once; what comes beyond them is counted together. */
export const talliedMax = 256
/** Maximum number of characters of a name that are shown: names come from outside. */
const shownNameMax = 128

/** How often the same right was refused to the same accessor for the same reason. */
export interface Tallied {
  readonly accessor: string
  readonly resource: Ask['resource']
  readonly right: Ask['right']
  /** The first name that was asked for. */
  readonly name: string
  /** `refused by key_prefix "a" read, app`; of a difference both answers. */
  readonly why: string
  readonly times: number
}

/**
 * Counts reports of `reportOnly` and `dual`, up to a limit, until they are logged: a filter may cause thousands in one
 * request, which belong into one line.
 */
export class Tally {
  #counts = new Map<string, Tallied>()
  #others = 0

  refused({ accessor, ask, decision }: Refusal): void {
    this.#add(accessor, ask, decisionText(decision))
  }

  differed({ accessor, ask, first, second }: Difference): void {
    this.#add(accessor, ask, `${decisionText(first)}, would be ${decisionText(second)}`)
  }

  /** All since the last time, in the order in which they first came, and how many had no room. */
  take(): { readonly counts: readonly Tallied[]; readonly others: number } {
    const taken = { counts: [...this.#counts.values()], others: this.#others }
    this.#counts = new Map()
    this.#others = 0
    return taken
  }

  #add(accessor: string, { resource, right, name }: Ask, why: string): void {
    const key = JSON.stringify([accessor, resource, right, why])
    const known = this.#counts.get(key)
    if (known === undefined && this.#counts.size >= talliedMax) {
      this.#others++
      return
    }
    const shown = hideUuids(name).slice(0, shownNameMax)
    this.#counts.set(key, known === undefined ? { accessor, resource, right, name: shown, why, times: 1 } : more(known))
  }
}

function more(tallied: Tallied): Tallied {
  return { ...tallied, times: tallied.times + 1 }
}
