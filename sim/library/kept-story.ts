import type { StoryLine } from '../report/run-report.ts'
import { storyText } from '../report/terminal-report.ts'

/** Maximum number of lines. It limits memory if there are faults without end. */
const storyMax = 100_000

/** The story of a run for as long as a test directs it. When it is too long, its first tenth is dropped. */
export class KeptStory {
  readonly #lines: StoryLine[] = []
  #dropped = 0

  add(line: StoryLine): void {
    this.#lines.push(line)
    if (this.#lines.length < storyMax) return
    this.#dropped += this.#lines.splice(0, storyMax / 10).length
  }

  lines(): readonly string[] {
    const dropped = this.#dropped === 0 ? [] : [`(${this.#dropped} earlier lines are gone)`]
    return [...dropped, ...this.#lines.map(storyText)]
  }
}
