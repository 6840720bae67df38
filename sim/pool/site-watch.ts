import type { ReachedSite, ReturnedNothing } from './messages.ts'
import type { MutationSwitch } from './worker.ts'

export interface SiteWatchOptions {
  readonly mutant: number
  /** The turns in which it is active; undefined: in all, or there is none. */
  readonly turns: { readonly first: number; readonly last: number } | undefined
  /** Numbers of the events whose turns led to the failure, the nearest first; undefined: nothing is recorded. */
  readonly events: readonly number[] | undefined
  /** Number of the event from which on a site that was not reached before counts as new; undefined: none does. */
  readonly since?: number | undefined
}

type Changing<T> = { -readonly [Key in keyof T]: T[Key] }

/** Activates a mutant for a part of a run, and records in which turns each site was reached. */
export class SiteWatch {
  readonly #mutation: MutationSwitch
  readonly #options: SiteWatchOptions
  readonly #places: ReadonlyMap<number, number> | undefined
  readonly #reached = new Map<number, Changing<ReachedSite>>()
  readonly #returned = new Map<number, Changing<ReturnedNothing>>()
  #turn = 0
  #event = 0
  #near: number | undefined

  constructor(mutation: MutationSwitch, options: SiteWatchOptions) {
    this.#mutation = mutation
    this.#options = options
    this.#places = options.events && new Map(options.events.map((event, at) => [event, at]))
  }

  readonly beforeTurn = (turn: number, event: number): void => {
    const { mutant, turns } = this.#options
    if (turns !== undefined) this.#mutation.set(turn >= turns.first && turn <= turns.last ? mutant : 0)
    if (this.#places === undefined) return
    this.#endTurn()
    this.#turn = turn
    this.#event = event
    this.#near = this.#places.get(event)
  }

  /** The records, once the run has ended. */
  seen(): { readonly sites: ReachedSite[]; readonly returns: ReturnedNothing[] } {
    this.#endTurn()
    return { sites: [...this.#reached.values()], returns: [...this.#returned.values()] }
  }

  #endTurn(): void {
    // Sites reached before the first turn belong to no turn.
    const isTurn = this.#turn > 0
    this.#mutation.take(isTurn ? (site) => this.#reach(site) : undefined)
    this.#mutation.takeReturns(isTurn ? (place, order) => this.#return(place, order) : undefined)
  }

  #reach(site: number): void {
    const known = this.#reached.get(site) ?? this.#firstReached(site)
    known.turns++
    known.until = this.#turn
    if (this.#event >= (this.#options.since ?? Number.POSITIVE_INFINITY)) known.again ??= this.#turn
    if (this.#near !== undefined) {
      known.near = Math.min(known.near ?? this.#near, this.#near)
      known.first ??= this.#turn
      known.last = this.#turn
    }
    this.#reached.set(site, known)
  }

  #firstReached(site: number): Changing<ReachedSite> {
    const { since = Number.POSITIVE_INFINITY } = this.#options
    const made = { site, turns: 0, from: this.#turn, until: 0 }
    return this.#event < since ? made : { ...made, isNew: true }
  }

  #return(place: number, order: number): void {
    const known = this.#returned.get(place) ?? { place, turns: 0, order }
    known.turns++
    known.order = order
    if (this.#near !== undefined) known.near = Math.min(known.near ?? this.#near, this.#near)
    this.#returned.set(place, known)
  }
}
