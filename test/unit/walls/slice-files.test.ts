import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { projectRoot } from '../../tools/planted.ts'

const features = join(projectRoot, 'src/features')
const page = (name: string): string => readFileSync(join(features, name), 'utf8')

/** Rooms of src/features that are no slice, by the table of its page that links to them. */
function sharedRooms(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(/^\| \[`([\w-]+)`\]/gm)].map(([, room = '']) => room))
}

interface Row {
  readonly names: readonly string[]
  /** Undefined: every slice may have it. */
  readonly slices?: readonly string[]
}

const quoted = (text: string): readonly string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)

/** Rows of a table whose first column names files. */
function rowsOf(text: string, inColumn?: number): readonly Row[] {
  const rows = text.split('\n').filter((line) => /^\| `[\w*-]+\.ts`/.test(line))
  return rows.map((line) => {
    const cells = line.split('|').slice(1)
    const names = quoted(cells[0] ?? '')
    return inColumn === undefined ? { names } : { names, slices: quoted(cells[inColumn] ?? '') }
  })
}

/** `*` stands for one or more letters, digits and dashes, of which the first is no dash. */
function fits(name: string, file: string): boolean {
  return new RegExp(`^${name.replace('.', '[.]').replace('*', '\\w[\\w-]*')}$`).test(file)
}

/** Files by slice that no row names, and rows that name what is not there. */
function unlisted(rows: readonly Row[], slices: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const strangers = [...slices].flatMap(([slice, files]) =>
    files
      .filter(
        (file) => !rows.some((row) => (row.slices ?? [slice]).includes(slice) && row.names.some((n) => fits(n, file))),
      )
      .map((file) => `${slice}/${file} is on no list`),
  )
  const stale = rows.flatMap(({ names, slices: named = [] }) =>
    named.flatMap((slice) =>
      names
        .filter((name) => !(slices.get(slice) ?? []).some((file) => fits(name, file)))
        .map((name) => `${slice} has no ${name}`),
    ),
  )
  return [...strangers, ...stale]
}

function sourcesIn(folder: string): readonly string[] {
  return readdirSync(folder).filter((name) => name.endsWith('.ts'))
}

const folders = readdirSync(features, { withFileTypes: true }).filter((entry) => entry.isDirectory())
const shared = sharedRooms(page('README.md'))
const slices = folders.map(({ name }) => name).filter((name) => !shared.has(name))
const rows = [...rowsOf(page('README.md')), ...rowsOf(page('FILES.md'), 1)]

describe('the files of slices', () => {
  it('are all on the list of names that every slice may have, or on the open list', () => {
    expect(unlisted(rows, new Map(slices.map((slice) => [slice, sourcesIn(join(features, slice))])))).toEqual([])
  })

  it('that are on no list, and rows of which nothing is left, are noticed', () => {
    const listed: readonly Row[] = [
      { names: ['model.ts'] },
      { names: ['*-routes.ts'], slices: ['kv'] },
      { names: ['gone.ts'], slices: ['acl'] },
    ]
    const planted = new Map([
      ['kv', ['model.ts', 'key-routes.ts', 'surprise.ts']],
      ['acl', ['model.ts', 'token-routes.ts', '-routes.ts']],
    ])
    expect(unlisted(listed, planted)).toEqual([
      'kv/surprise.ts is on no list',
      'acl/token-routes.ts is on no list',
      'acl/-routes.ts is on no list',
      'acl has no gone.ts',
    ])
  })

  it('of the rooms of a slice, and of the shared rooms, are named by the page of their room', () => {
    const inner = slices.flatMap((slice) =>
      readdirSync(join(features, slice), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map((entry) => join(entry.parentPath, entry.name)),
    )
    const rooms = [...inner, ...[...shared].map((room) => join(features, room))]
    expect(inner.length).toBeGreaterThan(5)
    expect(shared.size).toBe(4)
    const missing = rooms.flatMap((room) => {
      const named = new Set(quoted(readFileSync(join(room, 'README.md'), 'utf8')))
      return sourcesIn(room)
        .filter((file) => !named.has(file))
        .map((file) => join(room, file))
    })
    expect(missing).toEqual([])
  })

  it('lie in slices: nothing is loose beside them', () => {
    expect(sourcesIn(features)).toEqual([])
  })

  it('are of slices that the page of the room lists', () => {
    const text = page('README.md')
    const table = text.slice(text.indexOf('## What is here'))
    const listed = [...table.matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, cell = '']) => quoted(cell))
    expect([...listed].sort()).toEqual([...slices].sort())
  })
})
