/** Maximum number of events in an answer; longer lists are not readable. */
const shownMax = 2_000
/**
 * Maximum number of events whose causes are remembered on the way to the requested one; the earliest are forgotten
 * first.
 */
const eventsMax = 1 << 22

/**
 * The causes of events, by their numbers, on the way to one of them. A trace of ten minutes takes some tens of
 * megabytes, because events and causes are numbers in rings.
 */
export class CauseGraph {
  /**
   * For event n, at n modulo the size: its number, the position of its causes among all that were added, and how many
   * it has.
   */
  #numbers = new Float64Array(1 << 12)
  #starts = new Float64Array(1 << 12)
  #counts = new Uint8Array(1 << 12)
  #causes = new Float64Array(1 << 13)
  #added = 0

  add(n: number, causes: readonly number[]): void {
    this.#grow(n, causes.length)
    const at = n % this.#starts.length
    this.#numbers[at] = n
    this.#starts[at] = this.#added
    this.#counts[at] = causes.length
    for (const cause of causes) this.#causes[this.#added++ % this.#causes.length] = cause
  }

  /** Empty if they are not known any more. */
  causesOf(n: number): readonly number[] {
    const at = n % this.#starts.length
    const start = this.#starts[at] ?? 0
    if (this.#numbers[at] !== n || start < this.#added - this.#causes.length) return []
    return Array.from({ length: this.#counts[at] ?? 0 }, (_, i) => this.#causes[(start + i) % this.#causes.length] ?? 0)
  }

  /** Both rings hold everything until they have reached their maximum size. */
  #grow(n: number, more: number): void {
    if (n >= this.#starts.length && this.#starts.length < eventsMax) {
      const size = Math.min(eventsMax, 2 * n)
      this.#numbers = copied(this.#numbers, new Float64Array(size))
      this.#starts = copied(this.#starts, new Float64Array(size))
      this.#counts = copied(this.#counts, new Uint8Array(size))
    }
    if (this.#added + more > this.#causes.length && this.#causes.length < 2 * eventsMax) {
      this.#causes = copied(this.#causes, new Float64Array(Math.min(2 * eventsMax, 2 * (this.#added + more))))
    }
  }

  /** The event, and its causes over at most `steps` arrows; the nearest first, up to a readable number. */
  ancestors(of: number, steps: number): ReadonlySet<number> {
    const found = new Set([of])
    let edge: readonly number[] = [of]
    for (let step = 0; step < steps && edge.length > 0; step++) {
      const next: number[] = []
      for (const n of edge) {
        for (const cause of this.causesOf(n)) {
          if (found.has(cause) || found.size >= shownMax) continue
          found.add(cause)
          next.push(cause)
        }
      }
      edge = next
    }
    return found
  }
}

function copied<Numbers extends Float64Array | Uint8Array>(from: Numbers, to: Numbers): Numbers {
  to.set(from)
  return to
}
