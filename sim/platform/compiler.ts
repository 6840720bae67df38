import { existsSync, readFileSync } from 'node:fs'
import { createRequire, SourceMap } from 'node:module'
import type { SourcePlace } from '../mutation/build.ts'
import type { Compiler } from '../mutation/operators/change.ts'

/** The TypeScript package, which parses; undefined if only the packages of users are installed. */
export function loadCompiler(): Compiler | undefined {
  const require = createRequire(import.meta.url)
  try {
    return require('typescript')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return undefined
    throw cause
  }
}

/** Maps a place of a built module to its source, by the compiler's map; lines and columns are counted from 0. */
export function sourcePlaces(map: string): ((line: number, column: number) => SourcePlace | undefined) | undefined {
  if (!existsSync(map)) return undefined
  const read = new SourceMap(JSON.parse(readFileSync(map, 'utf8')))
  return (line, column) => {
    const found = read.findEntry(line, column)
    return 'originalLine' in found ? { line: found.originalLine, column: found.originalColumn } : undefined
  }
}
