import { concatBytes, textOf } from '../../../src/base/bytes.ts'
import { err, ok, type Result } from '../../../src/base/result.ts'
import type { Closable } from '../../../src/env/async.ts'
import type { SpawnFailure } from '../../../src/env/process.ts'
import type { ForegroundChild, Signal, Terminal } from '../../../src/env/terminal.ts'

/** Keeps what a command wrote. */
export class FakeTerminal implements Terminal {
  readonly argv = []
  readonly environment = new Map<string, string>()
  readonly interactive = false
  written = ''
  /** What was written as bytes, which `written` has as text. */
  bytes: Uint8Array = new Uint8Array(0)
  complained = ''
  readonly #handlers = new Map<Signal, () => void>()

  out(text: string): void {
    this.written += text
  }

  outBytes(bytes: Uint8Array): void {
    this.bytes = concatBytes([this.bytes, bytes])
    this.written += textOf(bytes)
  }

  error(text: string): void {
    this.complained += text
  }

  async readInput(): Promise<Result<Uint8Array, 'too-large'>> {
    return ok(new Uint8Array())
  }

  onSignal(signal: Signal, use: () => void): Closable {
    this.#handlers.set(signal, use)
    return { close: () => undefined }
  }

  async startChild(argv: readonly [string, ...string[]]): Promise<Result<ForegroundChild, SpawnFailure>> {
    return err({ kind: 'not-found', program: argv[0], message: 'there are no programs here' })
  }

  showLog(): void {}

  openLog(): Result<void, string> {
    return ok(undefined)
  }

  reopenLog(): void {}

  holdPidFile(): Result<Closable, string> {
    return ok({ close: () => undefined })
  }

  signal(signal: Signal): void {
    this.#handlers.get(signal)?.()
  }
}
