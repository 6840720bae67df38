import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PlantedTree, type ToolRun } from '../../tools/planted.ts'

describe('the search for dead code', () => {
  const tree = new PlantedTree().copy('knip.json', '.gitignore', 'vitest.config.ts', 'biome.json').linkPackages()
  let ran: ToolRun

  beforeAll(() => {
    const dependencies = { zod: '1.0.0', yaml: '1.0.0' }
    tree.plant('package.json', JSON.stringify({ name: 'planted', type: 'module', dependencies }))
    tree.plant('src/host/main.ts', "import { z } from 'zod'", "import { used } from './part.ts'", 'used(z)')
    tree.plant('src/host/part.ts', 'export const used = (x: unknown) => x', 'export const unused = 1')
    tree.plant('src/base/forgotten.ts', "import { used } from '../host/part.ts'", 'export const forgotten = used')
    ran = tree.run('knip/bin/knip.js', '--no-config-hints')
  })

  afterAll(() => tree.remove())

  it('fails', () => {
    expect(ran.status).toBe(1)
  })

  it.each([
    ['a file that nobody imports', /^src\/base\/forgotten\.ts/m],
    ['an export that nobody imports', /^unused\b.*src\/host\/part\.ts/m],
    ['a dependency that nobody imports', /^yaml\b.*package\.json/m],
  ])('names %s', (_, line) => {
    expect(ran.output).toMatch(line)
  })

  it('is silent about what is used', () => {
    expect(ran.output).not.toMatch(/^(used|zod)\b/m)
  })
})
