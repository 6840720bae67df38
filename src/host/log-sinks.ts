import { err, ok, type Result } from '../base/result.ts'
import type { Clock } from '../env/clock.ts'
import type { LogPlaces } from '../env/terminal.ts'
import { type HostLog, type LogSink, terminalSink } from './log.ts'
import { LogFile } from './log-file.ts'
import { logJson } from './log-line.ts'

/** Receives text like standard output and standard error. */
export interface Streams {
  out(text: string): void
  error(text: string): void
}

/** Replaces the sink of `log` by the configured ones. `undefined`: it has no file. */
export function openLogSinks(
  log: HostLog,
  places: LogPlaces,
  clock: Clock,
  streams: Streams,
): Result<LogFile | undefined, string> {
  const { json, file: path, product } = places
  const shown: LogSink = json ? (_, record) => streams.out(`${logJson(record)}\n`) : terminalSink(streams.out)
  if (path === '') {
    log.useSink(shown)
    return ok(undefined)
  }
  const opened = LogFile.open(places, clock, {
    failed: (reason) => streams.error(`${product}: log_file ${path} ${reason}\n`),
    recovered: (lines) =>
      log.write('error', 'agent', 'The log file could not be written: lines are missing', { lines }),
  })
  if (!opened.ok) return err(`log_file ${path} cannot be written: ${opened.error}`)
  const file = opened.value
  log.useSink((line, record) => {
    shown(line, record)
    file.append(json ? logJson(record) : line)
  })
  return ok(file)
}
