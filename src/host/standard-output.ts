import { codeOf, messageOf } from './system-error.ts'

/** Standard output and what becomes of it where it cannot be written, a full disk for one. */
export class StandardOutput {
  readonly #complain: (text: string) => void
  #carriesLog = false
  #lostPieces = 0

  /** `complain`: one line each time that it fails after it was well, and one when it is well again. */
  constructor(complain: (text: string) => void) {
    this.#complain = complain
    for (const stream of [process.stdout, process.stderr]) {
      stream.on('error', (cause) => this.#failed(cause, stream === process.stdout))
    }
  }

  write(text: string): void {
    if (this.#lostPieces === 0) process.stdout.write(text)
    else process.stdout.write(text, (cause) => this.#tried(cause))
  }

  /**
   * From here on it carries an agent's log, and the agent continues if it fails. A command fails if its output cannot
   * be written.
   */
  carryLog(): void {
    this.#carriesLog = true
  }

  #failed(cause: Error, isOutput: boolean): void {
    // `svc kv get -recurse | head` ends the reader first, which is no failure of ours.
    if (codeOf(cause) === 'EPIPE') return
    if (!this.#carriesLog) throw cause
    if (!isOutput) return
    this.#lostPieces += 1
    if (this.#lostPieces === 1) this.#complain(`standard output cannot be written: ${messageOf(cause)}`)
  }

  #tried(cause: Error | null | undefined): void {
    if ((cause ?? undefined) !== undefined || this.#lostPieces === 0) return
    this.#complain(`standard output is written again, ${this.#lostPieces} lines are missing`)
    this.#lostPieces = 0
  }
}
