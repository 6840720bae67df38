import { err, ok, type Result } from '../base/result.ts'
import { inputBytesMax, type Terminal } from '../env/terminal.ts'
import { productName } from '../model/names.ts'
import { plainBytes } from '../native/plain-bytes.ts'
import { hostClock } from './clock.ts'
import { startChild } from './foreground-child.ts'
import type { HostLog } from './log.ts'
import type { LogFile } from './log-file.ts'
import { openLogSinks, type Streams } from './log-sinks.ts'
import { holdPidFile } from './pid-file.ts'
import { onSignal } from './signals.ts'
import { StandardOutput } from './standard-output.ts'

/** The terminal of this process. `log` holds its lines until they are to be shown. */
export function createTerminal(log: HostLog, revision?: string): Terminal {
  const environment = new Map<string, string>()
  for (const [name, value] of Object.entries(process.env)) if (value !== undefined) environment.set(name, value)
  const error = (text: string): void => void process.stderr.write(text)
  const output = new StandardOutput((text) => error(`${productName}: ${text}\n`))
  const streams: Streams = { out: (text) => output.write(text), error }
  let logFile: LogFile | undefined
  return {
    ...streams,
    argv: process.argv.slice(2),
    environment,
    revision,
    interactive: process.stdout.isTTY === true,
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
    holdPidFile: (path) => holdPidFile(path, (text) => streams.error(`${productName}: pid_file ${text}\n`)),
  }
}

/** Ends the process once everything written has left: `process.exit` would cut off what a slow pipe has not taken. */
export async function exit(code: number): Promise<never> {
  await Promise.all([flushed(process.stdout), flushed(process.stderr)])
  process.exit(code)
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
