import type { SyslogLine } from './syslog-line.ts'

/**
 * A queue of lines, bounded in lines and in bytes; when it is full, new lines are dropped, because the first ones show
 * how the trouble began.
 */
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

  /** Returns whether there was room for it. */
  add(line: SyslogLine): boolean {
    const bytes = bytesOf(line)
    if (this.#lines.length >= this.#linesMax || this.#bytes + bytes > this.#bytesMax) return false
    this.#lines.push(line)
    this.#bytes += bytes
    return true
  }

  /** The oldest lines; they stay in the queue. */
  first(count: number): readonly SyslogLine[] {
    return this.#lines.slice(0, count)
  }

  removeFirst(count: number): void {
    const gone = this.#lines.slice(0, count)
    this.#lines = this.#lines.slice(count)
    for (const line of gone) this.#bytes -= bytesOf(line)
  }
}

/** Two bytes for each UTF-16 unit: the memory that it may take. */
function bytesOf({ message }: SyslogLine): number {
  return message.length * 2
}
