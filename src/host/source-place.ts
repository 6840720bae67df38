import { existsSync, readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { fileURLToPath } from 'node:url'

/** Where a frame of a stack is: a path and a line, from 1. */
export interface SourcePlace {
  readonly path: string
  readonly line: number
}

/**
 * The place that one line of `Error.stack` names, in the source where a map lies beside the file; undefined for a frame
 * without a file. Maps are read only here: Node would read them all at start (`--enable-source-maps`), which costs a tenth of it.
 */
export function sourcePlace(frame: string): SourcePlace | undefined {
  const [, url = '', line = '', column = ''] = /([^(\s]+):(\d+):(\d+)\)?$/.exec(frame) ?? []
  if (url === '') return undefined
  const compiled = { path: url.startsWith('file:') ? fileURLToPath(url) : url, line: Number(line) }
  return placeByMap(compiled, Number(column)) ?? compiled
}

function placeByMap(compiled: SourcePlace, column: number): SourcePlace | undefined {
  const file = `${compiled.path}.map`
  if (!existsSync(file)) return undefined
  try {
    const entry = new SourceMap(JSON.parse(readFileSync(file, 'utf8'))).findEntry(compiled.line - 1, column - 1)
    return 'originalSource' in entry ? { path: entry.originalSource, line: entry.originalLine + 1 } : undefined
  } catch {
    // The map cannot be read, or is none. Whoever asks is about to say why the process ends, and must get to say it.
    return undefined
  }
}
