import type { Closable } from '../../src/env/async.ts'
import type { SeedVerdict } from '../report/seed-record.ts'
import type { SimTerminal } from './terminal.ts'

/** How often the live line is rewritten, in milliseconds. */
const liveMs = 250
/** How often a log gets a line instead, in milliseconds. */
const logMs = 10_000
/** Width of a terminal that does not know its own, in characters. */
const usualWidth = 79
const eraseLine = '\r\u001b[2K'

const styles = { red: 31, green: 32, yellow: 33, bold: 1 } as const
type Style = keyof typeof styles

/** Output for a person: lines on standard output, and below them one live line on standard error with the progress. */
export class Screen {
  readonly #terminal: SimTerminal
  readonly #status: () => string | undefined
  readonly #timer: Closable
  #shown = false

  /** `status`: the progress; undefined: nothing to show yet. */
  constructor(terminal: SimTerminal, status: () => string | undefined) {
    this.#terminal = terminal
    this.#status = status
    const { live } = terminal.screen
    this.#timer = terminal.every(live ? liveMs : logMs, () => this.#tick())
  }

  line(text: string): void {
    this.#erase()
    this.#terminal.out(`${text}\n`)
  }

  /** To standard error. */
  note(text: string): void {
    this.#erase()
    this.#terminal.error(`${text}\n`)
  }

  styled(style: Style, text: string): string {
    return this.#terminal.screen.colour ? `\u001b[${styles[style]}m${text}\u001b[0m` : text
  }

  /** A line with its first `word` in the colour of the verdict. */
  judged(verdict: SeedVerdict, word: string, text: string): string {
    const style = verdict === 'passed' ? 'green' : verdict === 'undecided' ? 'yellow' : 'red'
    return text.replace(word, () => this.styled(style, word))
  }

  close(): void {
    this.#timer.close()
    this.#erase()
  }

  #tick(): void {
    const status = this.#status()
    if (status === undefined) return
    const { live, columns } = this.#terminal.screen
    // A terminal in a container may say 0.
    const width = columns === 0 ? usualWidth : Math.max(20, columns - 1)
    this.#erase()
    this.#shown = live
    this.#terminal.error(live ? status.slice(0, width) : `${status}\n`)
  }

  #erase(): void {
    if (this.#shown) this.#terminal.error(eraseLine)
    this.#shown = false
  }
}
