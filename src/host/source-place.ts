import { existsSync, readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { isAbsolute, join } from 'node:path'
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
  const compiled = { path: pathOf(url), line: Number(line) }
  // Without a map the name that stacks give: where the program was installed says nothing.
  return placeByMap(compiled, Number(column)) ?? (url.startsWith('dist/') ? { ...compiled, path: url } : compiled)
}

/** Files of a bundle are named from the folder of the program on: `bin/bundle.js` says why. */
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
    // The map cannot be read, or is none. The caller is about to report why the process ends, and must be able to do so.
    return undefined
  }
}
