/** Targets that are remembered, and the longest of them. When there are more, all are forgotten. */
const targetsMax = 1_024
const lengthMax = 512

/**
 * What targets mean, worked out once: clients ask for the same again and again. Those that may hold a token are not
 * remembered.
 */
export class KnownTargets<Meaning> {
  readonly #meaningOf: (target: string) => Meaning
  readonly #known = new Map<string, Meaning>()

  /** `meaningOf`: depends on the target alone. */
  constructor(meaningOf: (target: string) => Meaning) {
    this.#meaningOf = meaningOf
  }

  of(target: string): Meaning {
    const known = this.#known.get(target)
    if (known !== undefined) return known
    const meaning = this.#meaningOf(target)
    if (target.length > lengthMax || /token|%|\/acl\//i.test(target)) return meaning
    if (this.#known.size >= targetsMax) this.#known.clear()
    this.#known.set(target, meaning)
    return meaning
  }
}
