import type { Result } from '../base/result.ts'
import type { Closable } from './async.ts'
import type { LogLevel } from './observe.ts'

export type Signal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

/** What a command may ask of the place it was started in. Files are `Disk`'s. */
export interface Terminal {
  /** What follows the name of the program. */
  readonly argv: readonly string[]
  readonly environment: ReadonlyMap<string, string>
  /** Whether standard output is read by a person, not by a program or a file. */
  readonly interactive: boolean
  /** Standard output, as it is: line feeds are the caller's. */
  out(text: string): void
  /** Standard error, likewise. */
  error(text: string): void
  /** All of standard input, once; `too-large` beyond `inputBytesMax`. */
  readInput(): Promise<Result<Uint8Array, 'too-large'>>
  /** Calls `use` at each signal of that kind, in place of what the signal would do to the process. */
  onSignal(signal: Signal, use: () => void): Closable
  /** From here on log lines of this level and above are shown, those written before first. */
  showLog(least: LogLevel): void
}

/** Far above anything a command takes; a mistaken pipe must not fill the memory. */
export const inputBytesMax = 64 << 20
