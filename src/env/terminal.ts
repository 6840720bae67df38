import type { Result } from '../base/result.ts'
import type { Closable } from './async.ts'
import type { LogLevel } from './observe.ts'
import type { SpawnFailure } from './process.ts'

export type Signal = 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'SIGUSR1'

/**
 * A program in the foreground of the terminal that started this one: its output goes where this program's output goes.
 */
export interface ForegroundChild {
  /** Its exit code, or the name of the signal that ended it. */
  readonly ended: Promise<number | string>
  /**
   * Sends it to the processes that the child has started, too. The error says why it could not be sent; if all of them
   * have ended already, there is no error.
   */
  signal(signal: Signal | 'SIGKILL'): Result<undefined, string>
  /** Whether it, or what it has started, still runs. */
  lives(): boolean
}

export interface ForegroundOptions {
  /** Added to this one's own. */
  readonly environment: ReadonlyMap<string, string>
  /** The program reads standard input in place of this one. */
  readonly input: boolean
}

/** The destinations of the agent's log, and its format. */
export interface LogPlaces {
  /** One JSON object per line, in place of the field's text. */
  readonly json: boolean
  /** The product, after which files are called where only a directory is named. */
  readonly product: string
  /** Goes there besides standard output; empty: it does not. */
  readonly file: string
  /** A new file once one has this many; 0: however large. */
  readonly rotateBytes: number
  readonly rotateMs: number
  /** Number of old files to keep; 0: all, -1: none. */
  readonly oldFilesMax: number
}

/** What a command needs of its terminal. Files are accessed through `Disk`. */
export interface Terminal {
  /** The arguments after the name of the program. */
  readonly argv: readonly string[]
  /** The last part of the path, or of the link, that the program was started as; absent: unknown. */
  readonly programName?: string
  readonly environment: ReadonlyMap<string, string>
  /** The commit that the program was built from, and its date; undefined: the build did not know. */
  readonly revision?: string | undefined
  /** Whether standard output is read by a person, not by a program or a file. */
  readonly interactive: boolean
  /** Likewise standard error; absent: it is not. */
  readonly errorInteractive?: boolean
  /**
   * Prints a question on standard error and reads the line that a person types; undefined: the input ended before a
   * line. Absent unless standard input and standard error both belong to a terminal.
   */
  readonly ask?: (question: string) => Promise<string | undefined>
  /** Standard output, as it is: line feeds are the caller's. */
  out(text: string): void
  /** The same for bytes that need not be text; absent: only text can be shown. */
  outBytes?(bytes: Uint8Array): void
  /** Standard error, likewise. */
  error(text: string): void
  /** All of standard input, once; `too-large` beyond `inputBytesMax`. */
  readInput(): Promise<Result<Uint8Array, 'too-large'>>
  /** Calls `use` at each signal of that kind, in place of what the signal would do to the process. */
  onSignal(signal: Signal, use: () => void): Closable
  /** Starts a program, no shell. */
  startChild(
    argv: readonly [string, ...string[]],
    options: ForegroundOptions,
  ): Promise<Result<ForegroundChild, SpawnFailure>>
  /** From here on log lines of this level and above are shown, those written before first. */
  showLog(least: LogLevel): void
  /**
   * From here on log lines go to these places, also those that are held until they are shown. The error is a clause.
   */
  openLog(places: LogPlaces): Result<void, string>
  /** Looks whether the log's file is still where it was, and begins a new one if not. */
  reopenLog(): void
  /** Writes the number of this process into a file until it is closed. The error is a clause. */
  holdPidFile(path: string): Result<Closable, string>
}

/** Far above anything a command takes; a mistaken pipe must not fill the memory. */
export const inputBytesMax = 64 << 20
