import type { TraceLine } from './events.ts'

/** Characters of lines that are kept: of the last hundred thousand events or so. */
const keptMax = 32 << 20

/** The last lines of the window, for the words of causes. */
export class KeptLines {
  readonly #byNumber = new Map<number, TraceLine>()
  #held = 0

  add(line: TraceLine): void {
    this.#byNumber.set(line.n, line)
    this.#held += line.text.length
    for (const [n, { text }] of this.#byNumber) {
      if (this.#held <= keptMax) return
      this.#byNumber.delete(n)
      this.#held -= text.length
    }
  }

  get(n: number): TraceLine | undefined {
    return this.#byNumber.get(n)
  }
}
