import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

/**
 * Counts the places below the given folders (`src` if none is given) where a file tells the compiler the type of a value instead of
 * proving it: casts (`x as T`, `<T>x`) and non-null assertions (`x!`). `as const` cannot lie and `satisfies` checks, so
 * neither counts.
 *
 *     node test/tools/count-casts.mjs [--list | --json] [FOLDER…]
 *
 * Without an option it prints the counts of each room, with `--list` each place, with `--json` all places as one line.
 */
function main(words) {
  const folders = words.filter((word) => !word.startsWith('--'))
  const found = (folders.length === 0 ? ['src'] : folders).flatMap(assertionsBelow)
  const lines = words.includes('--json')
    ? [JSON.stringify(found)]
    : words.includes('--list')
      ? found.map(({ path, line, kind, text }) => `${path}:${line} ${kind} ${text}`)
      : counts(found)
  process.stdout.write(`${lines.join('\n')}\n`)
}

/** In the order of the paths, and of the places in each file. */
function assertionsBelow(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name))
    .sort()
    .flatMap((path) => assertionsIn(path, readFileSync(path, 'utf8')))
}

function assertionsIn(path, text) {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true)
  const found = []
  const visit = (node) => {
    const kind = kindOf(node)
    if (kind !== undefined) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source))
      found.push({ path, line: line + 1, kind, text: node.getText(source).replace(/\s+/g, ' ') })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

function kindOf(node) {
  if (ts.isNonNullExpression(node)) return 'non-null'
  if (!ts.isAsExpression(node) && !ts.isTypeAssertionExpression(node)) return undefined
  return node.type.getText() === 'const' ? undefined : 'cast'
}

function counts(found) {
  const rooms = byRoom(found)
  const line = (name, places) => {
    const casts = places.filter(({ kind }) => kind === 'cast').length
    return `${name.padEnd(24)}${String(casts).padStart(6)} casts ${String(places.length - casts).padStart(6)} non-null`
  }
  return [...[...rooms].map(([room, places]) => line(room, places)), line('all', found)]
}

function byRoom(found) {
  const rooms = new Map()
  for (const place of found) rooms.set(roomOf(place), [...(rooms.get(roomOf(place)) ?? []), place])
  return rooms
}

function roomOf({ path }) {
  return path.split('/').slice(0, -1).slice(0, 2).join('/')
}

main(process.argv.slice(2))
