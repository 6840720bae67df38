import type { TraceRecord } from '../report/trace-record.ts'
import { eventIdentity } from './event-identity.ts'

/** Numbers for texts, shared by the two compared runs. */
export class Names {
  readonly #numbers = new Map<string, number>()

  of(text: string): number {
    const known = this.#numbers.get(text)
    if (known !== undefined) return known
    const number = this.#numbers.size
    this.#numbers.set(text, number)
    return number
  }
}

/** The failure of a run, and its place in the trace. */
export interface ShownFailure {
  /** Position of the event, counted from 0. */
  readonly at: number
  readonly text: string
}

/**
 * The events of a run as numbers, by their positions counted from 0: a trace of ten minutes takes some tens of
 * megabytes. The text of the few shown events is read again.
 */
export class EventTable {
  readonly #names: Names
  /** Number of each event in its trace. */
  readonly numbers: number[] = []
  readonly timesUs: number[] = []
  /** Machines and identities, as numbers of `Names`. */
  readonly nodes: number[] = []
  readonly identities: number[] = []
  /** Positions of firings of faults and operations of clients. */
  readonly decisions: number[] = []
  failure: ShownFailure | undefined
  readonly #causes: number[] = []
  readonly #starts: number[] = [0]
  /** Position of an event by its number; a trace may begin late. */
  readonly #places = new Map<number, number>()

  constructor(names: Names) {
    this.#names = names
  }

  get size(): number {
    return this.numbers.length
  }

  add(record: TraceRecord): void {
    const at = this.numbers.length
    this.#places.set(record.n, at)
    this.numbers.push(record.n)
    this.timesUs.push(record.t)
    this.nodes.push(this.#names.of(`node ${record.node}`))
    this.identities.push(this.#names.of(`${record.node} ${eventIdentity(record)}`))
    for (const cause of record.causes) {
      const place = this.#places.get(cause)
      if (place !== undefined) this.#causes.push(place)
    }
    this.#starts.push(this.#causes.length)
    if (record.kind === 'decision') this.decisions.push(at)
    if (record.kind === 'violation') this.failure ??= { at, text: `${record.code}: ${record.text}` }
  }

  /** Positions of the causes of an event, the nearest first. */
  causesOf(at: number): readonly number[] {
    return this.#causes.slice(this.#starts[at], this.#starts[at + 1])
  }

  /** The event and all its causes, direct and indirect. */
  chainTo(at: number): ReadonlySet<number> {
    const found = new Set([at])
    // Iterating over a set includes members that are added during the loop.
    for (const each of found) for (const cause of this.causesOf(each)) found.add(cause)
    return found
  }
}
