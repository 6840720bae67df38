import type { TraceLine } from './events.ts'

/**
 * The last lines of the window, for the text of causes. They are kept in two generations: when the younger one is full,
 * it becomes the older one, whose lines are forgotten at once. So a line costs the same, however many there are.
 */
export class KeptLines {
  /** Maximum number of characters of one generation. */
  readonly #fullAt: number
  #younger = new Map<number, TraceLine>()
  #older: ReadonlyMap<number, TraceLine> = new Map()
  #held = 0

  /** `most`: maximum number of characters. At least half of it is always kept. */
  constructor(most: number) {
    this.#fullAt = most / 2
  }

  add(line: TraceLine): void {
    if (this.#held + line.text.length > this.#fullAt) {
      this.#older = this.#younger
      this.#younger = new Map()
      this.#held = 0
    }
    this.#younger.set(line.n, line)
    this.#held += line.text.length
  }

  /** Undefined: the line was forgotten, or was never kept. */
  get(n: number): TraceLine | undefined {
    return this.#younger.get(n) ?? this.#older.get(n)
  }
}
