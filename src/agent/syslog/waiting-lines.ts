import type { SyslogLine } from './syslog-line.ts'

/** Lines that wait to be sent, within a bound in lines and in bytes; the first ones stay, for they say what began. */
export class WaitingLines {
  readonly #linesMax: number
  readonly #bytesMax: number
  #lines: SyslogLine[] = []
  #bytes = 0

  constructor(linesMax: number, bytesMax: number) {
    this.#linesMax = linesMax
    this.#bytesMax = bytesMax
  }

  get length(): number {
    return this.#lines.length
  }

  /** Whether there was room for it. */
  add(line: SyslogLine): boolean {
    const bytes = bytesOf(line)
    if (this.#lines.length >= this.#linesMax || this.#bytes + bytes > this.#bytesMax) return false
    this.#lines.push(line)
    this.#bytes += bytes
    return true
  }

  /** The oldest ones; they wait on. */
  first(count: number): readonly SyslogLine[] {
    return this.#lines.slice(0, count)
  }

  removeFirst(count: number): void {
    const gone = this.#lines.slice(0, count)
    this.#lines = this.#lines.slice(count)
    for (const line of gone) this.#bytes -= bytesOf(line)
  }
}

/** Two for each unit of UTF-16: what it may take in memory. */
function bytesOf({ message }: SyslogLine): number {
  return message.length * 2
}
