import { existsSync, readFileSync } from 'node:fs'
import { createRequire, SourceMap } from 'node:module'
import type { SourcePlace } from '../mutation/build.ts'
import type { Compiler } from '../mutation/operators/change.ts'

/** The TypeScript package, which parses; undefined where only the packages of users are installed. */
export function loadCompiler(): Compiler | undefined {
  const require = createRequire(import.meta.url)
  try {
    return require('typescript')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return undefined
    throw cause
  }
}

/** Where a place of a built module is in its source, by the map of the compiler; lines and columns from 0 on. */
export function sourcePlaces(map: string): ((line: number, column: number) => SourcePlace | undefined) | undefined {
  if (!existsSync(map)) return undefined
  const read = new SourceMap(JSON.parse(readFileSync(map, 'utf8')))
  return (line, column) => {
    const found = read.findEntry(line, column)
    return 'originalLine' in found ? { line: found.originalLine, column: found.originalColumn } : undefined
  }
}
