/**
 * The places from which a search has continued: under each name, the minimal sets of unanswered operations that were
 * used, as sets of bits.
 */
export class SeenPlaces {
  readonly #sets = new Map<string, bigint[]>()

  /** False if the search continued from there already with no other unanswered operations than these. */
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
