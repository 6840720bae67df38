import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { projectRoot } from '../planted.ts'

/** Text of every TypeScript file under `test`, but for the lists of breakages, by its path below the project's folder. */
function testSources(): ReadonlyMap<string, string> {
  const names = readdirSync(join(projectRoot, 'test'), { recursive: true, encoding: 'utf8' })
  const files = names
    .filter((name) => name.endsWith('.ts') && !name.startsWith('tools/'))
    .map((name) => join('test', name))
  return new Map(files.map((file) => [file, readFileSync(join(projectRoot, file), 'utf8')]))
}

let read: ReadonlyMap<string, string> | undefined

/**
 * The test files whose tests may carry the ID: those that write it, and those that import a module which writes it (lists
 * of cases and of scenarios stand in modules of their own).
 */
export function filesClaiming(id: string): readonly string[] {
  read ??= testSources()
  const sources = [...read]
  const claim = new RegExp(titlesClaiming(id))
  const writing = sources.filter(([, text]) => claim.test(text)).map(([file]) => file)
  const lists = writing.filter((file) => !file.endsWith('.test.ts')).map((file) => `/${basename(file)}'`)
  const importing = sources.filter(([, text]) => lists.some((list) => text.includes(list))).map(([file]) => file)
  return [...new Set([...writing, ...importing])].filter((file) => file.endsWith('.test.ts'))
}

/** What Vitest's `-t` takes: full titles that carry the ID within brackets, alone or among others. */
export function titlesClaiming(id: string): string {
  return `\\[[^\\]]*${id}[^\\]]*\\]`
}
