import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { projectRoot } from '../planted.ts'

/**
 * Text of every TypeScript file under `test`, but for the lists of breakages, by its path below the project's folder.
 */
function testSources(): ReadonlyMap<string, string> {
  const names = readdirSync(join(projectRoot, 'test'), { recursive: true, encoding: 'utf8' })
  const files = names
    .filter((name) => name.endsWith('.ts') && !name.startsWith('tools/'))
    .map((name) => join('test', name))
  return new Map(files.map((file) => [file, readFileSync(join(projectRoot, file), 'utf8')]))
}

let claims: ReadonlyMap<string, readonly string[]> | undefined

/**
 * The test files whose tests may carry the ID: those that write it, and those that import a module which writes it
 * (lists of cases and of scenarios stand in modules of their own).
 */
export function filesClaiming(id: string): readonly string[] {
  claims ??= allClaims()
  return claims.get(id) ?? []
}

/** Every ID that stands within brackets, and the test files that may carry it. */
function allClaims(): ReadonlyMap<string, readonly string[]> {
  const sources = [...testSources()]
  const importers = sources.filter(([file]) => file.endsWith('.test.ts'))
  const claimed = new Map<string, Set<string>>()
  for (const [file, text] of sources) {
    const name = `/${basename(file)}'`
    const carrying = file.endsWith('.test.ts')
      ? [file]
      : importers.filter(([, importer]) => importer.includes(name)).map(([path]) => path)
    for (const id of idsWithinBrackets(text)) {
      claimed.set(id, new Set([...(claimed.get(id) ?? []), ...carrying]))
    }
  }
  return new Map([...claimed].map(([id, files]) => [id, [...files]]))
}

function idsWithinBrackets(text: string): ReadonlySet<string> {
  const brackets = [...text.matchAll(/\[[^\]]*\]/g)].map(([bracket]) => bracket)
  return new Set(brackets.flatMap((bracket) => bracket.match(/\b[A-Z]{2,3}-\d{3}\b/g) ?? []))
}

/** What Vitest's `-t` takes: full titles that carry the ID within brackets, alone or among others. */
export function titlesClaiming(id: string): string {
  return `\\[[^\\]]*${id}[^\\]]*\\]`
}
