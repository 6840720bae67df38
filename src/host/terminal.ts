import { basename } from 'node:path'
import { err, ok, type Result } from '../base/result.ts'
import type { Closable } from '../env/async.ts'
import { inputBytesMax, type Signal, type Terminal } from '../env/terminal.ts'
import { namingOfProgram } from '../model/naming/naming.ts'
import { plainBytes } from '../native/plain-bytes.ts'
import { hostClock } from './clock.ts'
import { startChild } from './foreground.ts'
import type { HostLog } from './log.ts'
import type { LogFile } from './log-file.ts'
import { openLogSinks, type Streams } from './log-sinks.ts'
import { holdPidFile } from './pid-file.ts'
import { codeOf, messageOf } from './system-error.ts'

/** The terminal of this process. `log` holds its lines until they are to be shown. */
export function createTerminal(log: HostLog, revision?: string): Terminal {
  const environment = new Map<string, string>()
  for (const [name, value] of Object.entries(process.env)) if (value !== undefined) environment.set(name, value)
  const error = (text: string): void => void process.stderr.write(text)
  const output = new StandardOutput((text) => error(`${ownName()}: ${text}\n`))
  const streams: Streams = { out: (text) => output.write(text), error }
  let logFile: LogFile | undefined
  refuseDebugger()
  return {
    ...streams,
    outBytes: (bytes) => output.write(bytes),
    argv: process.argv.slice(2),
    programName: programName(),
    environment,
    revision,
    interactive: process.stdout.isTTY === true,
    errorInteractive: process.stderr.isTTY === true,
    ...(process.stdin.isTTY === true && process.stderr.isTTY === true ? { ask: askPerson } : {}),
    readInput,
    onSignal,
    startChild,
    showLog: (least) => {
      log.setLevel(least)
      log.release()
    },
    openLog: (places) => {
      const opened = openLogSinks(log, places, hostClock, streams)
      if (!opened.ok) return opened
      logFile = opened.value
      output.carryLog()
      return ok(undefined)
    },
    reopenLog: () => logFile?.reopen(),
    holdPidFile: (path) => holdPidFile(path, (text) => streams.error(`${ownName()}: pid_file ${text}\n`)),
  }
}

/** The name, or the link, under which this program was started, without the extension of a script. */
function programName(): string {
  return basename(process.argv[1] ?? '').replace(/\.[cm]?js$/, '')
}

/** The product's name if it was started under this name. */
export function ownName(): string {
  return namingOfProgram(programName()).name
}

/**
 * Ends the process once everything written was sent: `process.exit` would cut off what a slow pipe has not accepted.
 */
export async function exit(code: number): Promise<never> {
  await Promise.all([flushed(process.stdout), flushed(process.stderr)])
  process.exit(code)
}

/** Settles when the output so far was sent: code that writes much waits for it at intervals. */
export function outputLeft(): Promise<void> {
  return flushed(process.stdout)
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.writableLength === 0 || stream.destroyed) return resolve()
    stream.write('', () => resolve())
  })
}

async function readInput(): Promise<Result<Uint8Array, 'too-large'>> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of process.stdin as AsyncIterable<Uint8Array>) {
    length += piece.length
    if (length > inputBytesMax) return err('too-large')
    pieces.push(piece)
  }
  return ok(plainBytes(Buffer.concat(pieces)))
}

/** Of a typed line, more is dropped. */
const typedLineMax = 4096

/** The terminal hands over whole lines. Reading ends with the first, so that the process can end. */
function askPerson(question: string): Promise<string | undefined> {
  const { stdin } = process
  process.stderr.write(question)
  return new Promise((resolve) => {
    let typed = ''
    const settle = (line: string | undefined): void => {
      stdin.off('data', onData).off('end', onEnd).pause()
      resolve(line)
    }
    const onEnd = (): void => settle(undefined)
    const onData = (piece: string): void => {
      typed = (typed + piece).slice(0, typedLineMax)
      const end = typed.indexOf('\n')
      if (end >= 0 || typed.length === typedLineMax) settle(end >= 0 ? typed.slice(0, end) : typed)
    }
    stdin.setEncoding('utf8').on('data', onData).on('end', onEnd).resume()
  })
}

/** Calls `use` at each signal of that kind, in place of the signal's default effect. */
export function onSignal(signal: Signal, use: () => void): Closable {
  const listener = (): void => use()
  process.on(signal, listener)
  return {
    close: () => {
      process.off(signal, listener)
    },
  }
}

/**
 * Without a listener Node opens its debugger at SIGUSR1, which lets every user of the machine run code in this process.
 */
function refuseDebugger(): void {
  process.on('SIGUSR1', () => undefined)
}

/** Standard output, and its behaviour if it cannot be written, for example on a full disk. */
class StandardOutput {
  readonly #complain: (text: string) => void
  #carriesLog = false
  #lostPieces = 0

  /** `complain`: called with one line each time that it begins to fail, and when it recovers. */
  constructor(complain: (text: string) => void) {
    this.#complain = complain
    for (const stream of [process.stdout, process.stderr]) {
      stream.on('error', (cause) => this.#failed(cause, stream === process.stdout))
    }
  }

  write(piece: string | Uint8Array): void {
    if (this.#lostPieces === 0) process.stdout.write(piece)
    else process.stdout.write(piece, (cause) => this.#tried(cause))
  }

  /**
   * From here on it carries an agent's log, and the agent continues if it fails. A command fails if its output cannot
   * be written.
   */
  carryLog(): void {
    this.#carriesLog = true
  }

  #failed(cause: Error, isOutput: boolean): void {
    // In `svc kv get -recurse | head`, the reader ends first, which is not a failure.
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
