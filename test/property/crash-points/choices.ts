import type { CrashChoices } from '../../unit/raft-log/crash-disk.ts'

/** Of many places at which a write can be torn those are tried that differ in kind; a long run tries all. */
const fewPlaces = [0, 1, 0.5, -2, -1] as const

/** Goes through every combination of choices, like the wheels of a counter: the last choice changes first. */
export class EveryChoice implements CrashChoices {
  readonly #everyPlace: boolean
  #wheels: { at: number; readonly values: readonly number[] }[] = []
  #next = 0

  constructor(everyPlace: boolean) {
    this.#everyPlace = everyPlace
  }

  below(bound: number): number {
    const known = this.#wheels[this.#next]
    const wheel = known ?? { at: 0, values: this.#valuesBelow(bound) }
    if (known === undefined) this.#wheels.push(wheel)
    this.#next++
    return wheel.values[wheel.at] ?? 0
  }

  #valuesBelow(bound: number): readonly number[] {
    if (this.#everyPlace || bound <= 8) return Array.from({ length: bound }, (_, value) => value)
    return fewPlaces.map((place) => (place < 0 ? bound + place : place < 1 ? Math.floor(place * bound) : place))
  }

  /** Goes on to the next combination; false if that was the last one. */
  advance(): boolean {
    this.#wheels.length = Math.min(this.#wheels.length, this.#next)
    this.#next = 0
    for (let last = this.#wheels.at(-1); last !== undefined; last = this.#wheels.at(-1)) {
      if (++last.at < last.values.length) return true
      this.#wheels.pop()
    }
    return false
  }
}
