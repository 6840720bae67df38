/** Parts of the time that are counted in: many for each step of the picture, so that its steps come out even. */
const partsMax = 20_000

/** How many events there are at what time, in memory that does not grow with their number. */
export class Density {
  #partUs = 64
  #counts: number[] = []

  add(atUs: number): void {
    while (atUs / this.#partUs >= partsMax) this.#coarsen()
    const part = Math.floor(atUs / this.#partUs)
    while (this.#counts.length <= part) this.#counts.push(0)
    this.#counts[part] = (this.#counts[part] ?? 0) + 1
  }

  /** In so many equal parts of the time until `endUs`. */
  steps(endUs: number, steps: number): readonly number[] {
    const found = new Array<number>(steps).fill(0)
    for (const [part, count] of this.#counts.entries()) {
      if (count === 0) continue
      const at = (part + 0.5) * this.#partUs
      const step = Math.min(steps - 1, Math.floor((at / Math.max(1, endUs)) * steps))
      found[step] = (found[step] ?? 0) + count
    }
    return found
  }

  /** Parts of twice the length. */
  #coarsen(): void {
    const before = this.#counts
    this.#partUs *= 2
    this.#counts = Array.from({ length: Math.ceil(before.length / 2) }, (_, at) => {
      return (before[at * 2] ?? 0) + (before[at * 2 + 1] ?? 0)
    })
  }
}
