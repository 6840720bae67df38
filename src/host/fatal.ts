import { writeSync } from 'node:fs'
import { basename } from 'node:path'
import { InvariantViolation } from '../base/invariant.ts'
import { sourcePlace } from './source-place.ts'

/**
 * An unexpected error leaves the process in an undefined state: it reports the error in one line on standard error and
 * ends with code 1. The line is written before anything else can run.
 */
export function exitOnUnexpectedErrors(program: string): void {
  const end = (cause: unknown): never => {
    writeToStandardError(`${fatalLine(program, cause)}\n`)
    process.exit(1)
  }
  process.on('uncaughtException', end)
  process.on('unhandledRejection', end)
}

/**
 * `svc: fatal: InvariantViolation: text (key=value) at raft-core.ts:12`; or `at createRaft (start.cjs:345)` where no map lies
 * beside the bundle, as in an installed package: the function says more there than the line.
 */
export function fatalLine(program: string, cause: unknown): string {
  if (!(cause instanceof Error)) return `${program}: fatal: ${oneLine(String(cause))}`
  const place = placeOf(cause)
  return `${program}: fatal: ${oneLine(`${cause.name}: ${cause.message}`)}${place === undefined ? '' : ` at ${place}`}`
}

/** File and line of the innermost frame of this program's own; an invariant's own frame says nothing. */
function placeOf(cause: Error): string | undefined {
  for (const frame of (cause.stack ?? '').split('\n')) {
    if (!/^\s+at /.test(frame) || frame.includes('node:')) continue
    const place = sourcePlace(frame)
    if (place === undefined || place.path.includes('node_modules')) continue
    const file = basename(place.path)
    const name = /^\s+at (?:async )?(.+?) \(/.exec(frame)?.[1]
    const isBundled = file.endsWith('.cjs') && name !== undefined
    const isInvariant = isBundled ? /^invariant(\$\d+)?$/.test(name) : /^invariant\.[jt]s$/.test(file)
    if (cause instanceof InvariantViolation && isInvariant) continue
    return isBundled ? `${name} (${file}:${place.line})` : `${file}:${place.line}`
  }
  return undefined
}

function oneLine(text: string): string {
  return text.replace(/\s*[\r\n]+\s*/g, ' ')
}

function writeToStandardError(text: string): void {
  try {
    writeSync(2, text)
  } catch (cause) {
    // Standard error is closed, or full and non-blocking: there is nowhere to report to.
    if (!(cause instanceof Error)) throw cause
  }
}
