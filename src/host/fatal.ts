import { existsSync, readFileSync, writeSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { basename, isAbsolute, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { InvariantViolation } from '../base/invariant.ts'

/**
 * An unexpected error leaves the process in an undefined state: it reports the error in one line on standard error and
 * ends with this code. The line is written before anything else can run.
 */
export function exitOnUnexpectedErrors(program: string, code: number): void {
  const end = (cause: unknown): never => {
    writeToStandardError(`${fatalLine(program, cause)}\n`)
    process.exit(code)
  }
  process.on('uncaughtException', end)
  process.on('unhandledRejection', end)
}

/**
 * `svc: fatal: InvariantViolation: text (key=value) at raft-core.ts:12`; or `at createRaft (start.cjs:345)` if the
 * bundle has no map, as in an installed package, where the function says more than the line.
 */
export function fatalLine(program: string, cause: unknown): string {
  if (!(cause instanceof Error)) return `${program}: fatal: ${oneLine(String(cause))}`
  const place = placeOf(cause)
  return `${program}: fatal: ${oneLine(`${cause.name}: ${cause.message}`)}${place === undefined ? '' : ` at ${place}`}`
}

/** File and line of the innermost frame in this program's own code; an invariant's own frame says nothing. */
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

/** The place of a stack frame: a path and a line, counted from 1. */
interface SourcePlace {
  readonly path: string
  readonly line: number
}

/**
 * The place in one line of `Error.stack`, in the source if the file has a map; undefined for a frame without a file.
 * Maps are read only here: Node would read them all at start (`--enable-source-maps`), which costs a tenth of the
 * start.
 */
function sourcePlace(frame: string): SourcePlace | undefined {
  const [, url = '', line = '', column = ''] = /([^(\s]+):(\d+):(\d+)\)?$/.exec(frame) ?? []
  if (url === '') return undefined
  const compiled = { path: pathOf(url), line: Number(line) }
  // Without a map, the name used in stacks: where the program was installed says nothing.
  return placeByMap(compiled, Number(column)) ?? (url.startsWith('dist/') ? { ...compiled, path: url } : compiled)
}

/** Files of a bundle are named relative to the program's folder: `bin/bundle.js` says why. */
function pathOf(url: string): string {
  if (url.startsWith('file:')) return fileURLToPath(url)
  if (isAbsolute(url) || !url.startsWith('dist/')) return url
  const own = fileURLToPath(import.meta.url)
  const end = own.lastIndexOf('/dist/')
  return end < 0 ? url : join(own.slice(0, end), url)
}

function placeByMap(compiled: SourcePlace, column: number): SourcePlace | undefined {
  const file = `${compiled.path}.map`
  if (!existsSync(file)) return undefined
  try {
    const entry = new SourceMap(JSON.parse(readFileSync(file, 'utf8'))).findEntry(compiled.line - 1, column - 1)
    return 'originalSource' in entry ? { path: entry.originalSource, line: entry.originalLine + 1 } : undefined
  } catch {
    // The map cannot be read, or is invalid. The caller is about to report why the process ends, and must be able to do
    // so.
    return undefined
  }
}
