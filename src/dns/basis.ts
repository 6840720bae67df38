import type { Answer, ReadMeta, Standing } from '../features/contract/reading.ts'

/** What an answer was made of: whether it would be the same if it were made now. */
export class Basis {
  readonly #standings: Standing[] = []
  #keepable = true
  #drawn = false
  #second: number | undefined
  /** What it was asked as: another may be told another thing. */
  readonly #isSameAsker: () => boolean

  /** `isSameAsker`: whether the caller is the same as then, by the token that stands in because DNS carries none. */
  constructor(isSameAsker: () => boolean = () => true) {
    this.#isSameAsker = isSameAsker
  }

  /** It rests on this. What another agent has said may be another thing by now. */
  restsOn(answer: Answer<unknown>): void {
    const standing = answer.standing?.()
    if (standing === undefined) this.#keepable = false
    else this.#standings.push(standing)
  }

  /** The answer depends on the moment, or on the caller. */
  isOfTheMoment(): void {
    this.#keepable = false
  }

  /** It is one of many that the same question may get. */
  wasDrawn(): void {
    this.#drawn = true
  }

  /** It tells this second of the wall clock. */
  tells(second: number): void {
    if (this.#second !== undefined && this.#second !== second) this.#keepable = false
    this.#second = second
  }

  get isKeepable(): boolean {
    return this.#keepable
  }

  get isDrawn(): boolean {
    return this.#drawn
  }

  /** What it rests on, as of now; undefined: it may be another answer by now. */
  now(wallMs: number): readonly ReadMeta[] | undefined {
    if (!this.#keepable || !this.#isSameAsker()) return undefined
    if (this.#second !== undefined && Math.floor(wallMs / 1000) !== this.#second) return undefined
    const metas: ReadMeta[] = []
    for (const standing of this.#standings) {
      const meta = standing.now()
      if (meta === undefined) return undefined
      metas.push(meta)
    }
    return metas
  }
}
