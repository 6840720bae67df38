import { readdirSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { withoutCode } from './page-anchors.ts'
import { projectRoot } from './planted.ts'

const tops = ['src', 'sim', 'test', 'docs', 'bin', 'bench', 'scenarios', 'examples'] as const

/** Files of the data directory that have the form of a path in `src`. */
const ofDataDirectory = new Set(['raft/peers.json', 'raft/peers.info', 'raft/raft.db', 'raft/snapshots'])

/** Every file and folder of the project below `tops`, such as `src/raft` and `src/raft/raft.ts`. */
export function projectPaths(): ReadonlySet<string> {
  const below = (top: string): readonly string[] =>
    readdirSync(join(projectRoot, top), { recursive: true, encoding: 'utf8' }).map((name) => `${top}/${name}`)
  return new Set([...tops, ...tops.flatMap(below).filter((path) => !path.includes('/node_modules/'))])
}

/**
 * Paths that a page in Markdown names in backticks and that do not exist. `*`, `<name>`, `{a,b}` and `…` stand for what
 * they stand for in a shell or a sentence. Pages for developers are held to more: names of sources such as
 * `core/step.ts` are those of some file, those in the first column of a folder's table of files are in that folder, and
 * `agent/servers` is a room.
 */
export function missingPaths(page: string, text: string, paths: ReadonlySet<string>): readonly string[] {
  const words = [...withoutCode(text).matchAll(/`([^`\n]+)`/g)].flatMap(([, code = '']) =>
    code.split(/(?:[\s;:()='"]|,(?![^{]*\}))+/),
  )
  const named = isForDevelopers(page) ? [...words, ...filesOfTable(page, text)] : words
  const missing = named.filter((word) => !isThere(word, page, paths))
  return [...new Set(missing)].map((word) => `${page}: ${word}`)
}

function isForDevelopers(page: string): boolean {
  return /^(?:src|sim|test)\/|^CONTRIBUTING\.md$|^docs\/architecture/.test(page)
}

/** Names of the first column of tables whose head says `file`, as paths from the project's folder. */
function filesOfTable(page: string, text: string): readonly string[] {
  if (!page.endsWith('/README.md')) return []
  const tables = [...withoutCode(text).matchAll(/^\| *file[^|]*\|.*\n\|[-| ]+\n((?:\|.*\n?)*)/gm)]
  const cells = tables.flatMap(([, rows = '']) => rows.split('\n').map((row) => row.split('|')[1] ?? ''))
  const names = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))
  return names
    .filter((name) => /^[\w.-]+(?:\/[\w.-]*)*$/.test(name))
    .map((name) => normalize(join(dirname(page), name)))
}

function isThere(word: string, page: string, paths: ReadonlySet<string>): boolean {
  if (!/^[\w.*<>{}…,-]+(?:\/[\w.*<>{}…,-]+)*\/?$/.test(word) || ofDataDirectory.has(word)) return true
  const path = word.replace(/\/$/, '')
  if (tops.some((top) => path.startsWith(`${top}/`))) return isSome(path, paths)
  if (!isForDevelopers(page)) return true
  const isSource = /[\w>*}]\.(?:d\.)?(?:ts|mjs)$/.test(path)
  if (path.startsWith('../')) return !isSource || isSome(normalize(join(dirname(page), path)), paths)
  const rooms = ['src', 'sim'].filter((top) => path.includes('/') && paths.has(`${top}/${path.split('/')[0]}`))
  if (isSource) return endsSome(path, paths)
  return rooms.length === 0 || rooms.some((top) => isSome(`${top}/${path}`, paths)) || endsSome(path, paths)
}

/** Whether the path is in the project, as it stands or as a source without its ending. */
function isSome(path: string, paths: ReadonlySet<string>): boolean {
  if (paths.has(path) || paths.has(`${path}.ts`)) return true
  if (!/[*<{…]/.test(path)) return false
  const form = new RegExp(`^${formOf(path)}(?:\\.ts)?$`)
  return [...paths].some((each) => form.test(each))
}

function endsSome(path: string, paths: ReadonlySet<string>): boolean {
  const form = new RegExp(`/${formOf(path)}(?:\\.ts)?$`)
  return [...paths].some((each) => form.test(each))
}

function formOf(path: string): string {
  return path
    .replace(/[.+^$()|[\]\\]/g, '\\$&')
    .replace(/\*\*?|<[^>]*>/g, '[^/]*')
    .replace(/…/g, '.*')
    .replace(/\{([^}]*)\}/g, (_, names: string) => `(?:${names.replaceAll(',', '|')})`)
}
