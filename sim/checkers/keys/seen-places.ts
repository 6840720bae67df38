/**
 * From where a search has gone on: under each name the least sets of unanswered operations that were used, as sets of
 * bits.
 */
export class SeenPlaces {
  readonly #sets = new Map<string, bigint[]>()

  /** False where it went on from there already, having used no other ones than these. */
  add(name: string, used: bigint): boolean {
    const sets = this.#sets.get(name)
    if (sets === undefined) {
      this.#sets.set(name, [used])
      return true
    }
    if (sets.some((one) => (one & used) === one)) return false
    const kept = sets.filter((one) => (one & used) !== used)
    kept.push(used)
    this.#sets.set(name, kept)
    return true
  }
}
