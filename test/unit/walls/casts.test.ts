import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { PlantedTree, projectRoot } from '../../tools/planted.ts'

/**
 * The most casts that `src` may hold; lower it whenever some are gone, and do not raise it. A cast is a claim that
 * nothing checks: it stays where the compiler is shown no proof, and goes where a type, a schema or a check can give
 * one.
 */
const castsMax = 118

interface Place {
  readonly path: string
  readonly line: number
  readonly kind: 'cast' | 'non-null'
  readonly text: string
}

function placesIn(root: string): readonly Place[] {
  const script = join(projectRoot, 'test/tools/count-casts.mjs')
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, '--json', 'src'], {
    cwd: root,
    encoding: 'utf8',
  })
  expect(status, stderr).toBe(0)
  return JSON.parse(stdout)
}

describe('claims about types that nothing checks', () => {
  const places = placesIn(projectRoot)
  const tree = new PlantedTree()

  afterAll(() => tree.remove())

  it('are no more casts in src than the ceiling allows', () => {
    const casts = places.filter(({ kind }) => kind === 'cast')
    expect(casts.length, casts.map(({ path, line, text }) => `${path}:${line} ${text}`).join('\n')).toBeLessThanOrEqual(
      castsMax,
    )
  })

  it('are no non-null assertions in src', () => {
    expect(places.filter(({ kind }) => kind === 'non-null')).toEqual([])
  })

  it('are found whatever their form, and told from what the compiler checks', () => {
    tree.plant(
      'src/room/planted.ts',
      'const a = one as unknown as Two',
      'const b = <Two>one',
      'const c = list[0]!.name!',
      'const d = [1] as const',
      'const e = one satisfies Two',
      "import { one as two } from './one.ts'",
      'const f = "one as Two" // one as Two',
    )
    expect(placesIn(tree.root).map(({ line, kind, text }) => `${line} ${kind} ${text}`)).toEqual([
      '1 cast one as unknown as Two',
      '1 cast one as unknown',
      '2 cast <Two>one',
      '3 non-null list[0]!.name!',
      '3 non-null list[0]!',
    ])
  })
})
