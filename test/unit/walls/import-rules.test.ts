import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PlantedTree, projectRoot } from '../../tools/planted.ts'

/** Each planted file imports one thing; the named rule, and no other, must refuse it. */
const violations: readonly { readonly from: string; readonly to: string; readonly rule: string }[] = [
  { from: 'src/features/kv/a.ts', to: '../acl/commands.ts', rule: 'feature-knows-only-models' },
  { from: 'src/features/kv/b.ts', to: '../acl/contract/a.ts', rule: 'feature-knows-only-models' },
  { from: 'src/features/contract/manifest.ts', to: '../acl/commands.ts', rule: 'manifest-knows-no-feature' },
  { from: 'src/features/discovery/a.ts', to: '../acl/model.ts', rule: 'manifest-knows-no-feature' },
  { from: 'src/features/contract/a.ts', to: '../http/island.ts', rule: 'shared-0-contract' },
  { from: 'src/features/mesh/a.ts', to: '../http/island.ts', rule: 'shared-1-mesh' },
  { from: 'src/features/http/a.ts', to: '../discovery/island.ts', rule: 'shared-2-http' },
  { from: 'src/raft/core/a.ts', to: '../driver.ts', rule: 'core-is-alone' },
  { from: 'src/raft/core/b.ts', to: '../../env/island.ts', rule: 'core-is-alone' },
  { from: 'src/host/a.ts', to: '../../sim/island.ts', rule: 'src-never-knows-sim' },
  { from: 'src/base/a.ts', to: '../../test/island.ts', rule: 'product-never-knows-tests' },
  { from: 'sim/a.ts', to: '../bench/island.ts', rule: 'product-never-knows-tests' },
  { from: 'sim/env/a.ts', to: '../../src/host/island.ts', rule: 'host-is-for-main' },
  { from: 'sim/world/a.ts', to: '../../src/native/island.ts', rule: 'native-is-for-worlds' },
  { from: 'src/rpc/a.ts', to: 'node:fs', rule: 'node-only-in-its-world' },
  { from: 'src/rpc/b.ts', to: 'net', rule: 'node-only-in-its-world' },
  { from: 'sim/b.ts', to: 'node:timers', rule: 'node-only-in-its-world' },
  { from: 'src/store/a.ts', to: 'zod', rule: 'zod-at-the-edges' },
  { from: 'src/rpc/c.ts', to: 'msgpackr', rule: 'home-of-msgpackr' },
  { from: 'src/agent/a.ts', to: 'sorted-btree', rule: 'home-of-sorted-btree' },
  { from: 'src/http/a.ts', to: 'fastify', rule: 'home-of-fastify' },
  { from: 'src/agent/b.ts', to: 'commander', rule: 'home-of-commander' },
  { from: 'sim/c.ts', to: 'yaml', rule: 'home-of-yaml' },
  { from: 'sim/d.ts', to: 'seedrandom', rule: 'home-of-seedrandom' },
  { from: 'src/pki/a.ts', to: 'node-forge', rule: 'home-of-node-forge' },
  { from: 'sim/platform/a.ts', to: '@noble/curves', rule: 'home-of-@noble/curves' },
  { from: 'src/config/a.ts', to: 'fast-check', rule: 'no-development-package' },
  { from: 'sim/f.ts', to: 'preact', rule: 'home-of-preact' },
  { from: 'sim/g.ts', to: 'uplot', rule: 'home-of-uplot' },
  { from: 'sim/page/a.ts', to: '../island.ts', rule: 'page-runs-in-a-browser' },
  { from: 'sim/h.ts', to: './page/island.ts', rule: 'page-is-not-imported' },
  { from: 'src/http/ui/page/a.ts', to: '../island.ts', rule: 'interface-runs-in-a-browser' },
  { from: 'src/http/b.ts', to: './ui/page/island.ts', rule: 'interface-is-not-imported' },
  { from: 'sim/i.ts', to: './web/island.ts', rule: 'web-is-not-imported' },
  { from: 'sim/platform/pure/a.ts', to: 'node:timers', rule: 'node-only-in-its-world' },
  { from: 'sim/e.ts', to: 'typescript', rule: 'home-of-typescript' },
  { from: 'src/config/b.ts', to: './missing.ts', rule: 'no-unresolvable' },
  { from: 'src/cellar/a.ts', to: '../base/island.ts', rule: 'every-room-has-a-layer' },
]

const allowed: readonly { readonly from: string; readonly to: string }[] = [
  { from: 'src/features/kv/ok-a.ts', to: '../acl/model.ts' },
  { from: 'src/features/kv/ok-b.ts', to: '../contract/island.ts' },
  { from: 'src/features/kv/ok-c.ts', to: '../acl/views.ts' },
  { from: 'src/features/discovery/ok-a.ts', to: '../http/island.ts' },
  { from: 'src/features/http/ok-a.ts', to: '../contract/island.ts' },
  { from: 'src/dns-wire/ok-a.ts', to: 'dns2' },
  { from: 'src/raft/core/ok-a.ts', to: '../../base/island.ts' },
  { from: 'src/host/ok-a.ts', to: 'node:fs' },
  { from: 'src/host/ok-b.ts', to: 'fastify' },
  { from: 'src/base/msgpack.ts', to: 'msgpackr' },
  { from: 'src/store/ok-a.ts', to: 'sorted-btree' },
  { from: 'src/pki/der.ts', to: 'node-forge' },
  { from: 'sim/platform/signing-keys.ts', to: '@noble/curves' },
  { from: 'src/cli/ok-a.ts', to: 'commander' },
  { from: 'src/config/ok-a.ts', to: 'zod' },
  { from: 'sim/main.ts', to: '../src/host/island.ts' },
  { from: 'sim/platform/ok-b.ts', to: '../../src/native/island.ts' },
  { from: 'src/native/ok-a.ts', to: 'node:crypto' },
  { from: 'sim/platform/ok-a.ts', to: 'node:timers' },
  { from: 'sim/scenario/ok-a.ts', to: 'yaml' },
  { from: 'sim/mutation/ok-a.ts', to: 'typescript' },
  { from: 'sim/page/ok-a.ts', to: 'preact' },
  { from: 'src/http/ui/page/ok-a.ts', to: 'preact' },
  { from: 'test/ok-a.ts', to: '../sim/island.ts' },
  { from: 'test/ok-b.ts', to: 'fast-check' },
]

const packages = [
  'dns2',
  'msgpackr',
  'sorted-btree',
  'node-forge',
  '@noble/curves',
  'fastify',
  'commander',
  'yaml',
  'seedrandom',
  'zod',
  'fast-check',
  'typescript',
  'preact',
  'uplot',
]
const rooms = readdirSync(join(projectRoot, 'src'))
const pairs = rooms.flatMap((from) => rooms.filter((to) => to !== from).map((to) => ({ from, to })))

function buildsOn(from: string, to: string): boolean {
  const parsed = JSON.parse(readFileSync(join(projectRoot, 'src', from, 'tsconfig.json'), 'utf8'))
  return parsed.references.some((reference: { path: string }) => reference.path === `../${to}`)
}

function planted(): PlantedTree {
  const tree = new PlantedTree().copy('.dependency-cruiser.cjs', 'package.json')
  for (const name of packages) {
    tree.plant(`node_modules/${name}/package.json`, JSON.stringify({ name, version: '1.0.0', main: 'index.js' }))
    tree.plant(`node_modules/${name}/index.js`, 'module.exports = {}')
  }
  for (const room of rooms) tree.plant(`src/${room}/island.ts`, 'export const island = 1')
  for (const folder of ['sim', 'test', 'bench']) tree.plant(`${folder}/island.ts`, 'export const island = 1')
  tree.plant('src/features/acl/commands.ts', 'export const commands = 1')
  tree.plant('src/features/acl/model.ts', 'export const model = 1')
  tree.plant('src/features/acl/views.ts', 'export const views = 1')
  tree.plant('src/features/acl/contract/a.ts', 'export const inside = 1')
  for (const shared of ['contract', 'mesh', 'http', 'discovery']) {
    tree.plant(`src/features/${shared}/island.ts`, 'export const island = 1')
  }
  tree.plant('sim/page/island.ts', 'export const island = 1')
  tree.plant('src/http/ui/island.ts', 'export const island = 1')
  tree.plant('src/http/ui/page/island.ts', 'export const island = 1')
  tree.plant('sim/web/island.ts', 'export const island = 1')
  tree.plant('src/raft/driver.ts', 'export const driver = 1')
  for (const { from, to } of pairs) tree.plant(`src/${from}/to-${to}.ts`, `import '../${to}/island.ts'`)
  for (const { from, to } of [...violations, ...allowed]) tree.plant(from, `import type { X } from '${to}'`)
  tree.plant('src/model/ring-a.ts', "import './ring-b.ts'")
  tree.plant('src/model/ring-b.ts', "import './ring-a.ts'")
  tree.plant('src/agent/local/to-serving.ts', "import type { X } from '../serving/to-pool.ts'")
  tree.plant('src/agent/serving/to-pool.ts', "import type { X } from '../pool/to-local.ts'")
  tree.plant('src/agent/pool/to-local.ts', "import type { X } from '../local/ground.ts'")
  tree.plant('src/agent/local/ground.ts', 'export const ground = 1')
  tree.plant('src/agent/upper/a.ts', "import type { X } from '../lower/a.ts'")
  tree.plant('src/agent/lower/a.ts', 'export const a = 1')
  tree.plant('sim/mutation/parses.ts', "import ts from 'typescript'\nexport const parser = ts")
  return tree.plant('src/model/orphan.ts', 'export const orphan = 1')
}

interface Violation {
  readonly from: string
  readonly rule: { readonly name: string }
}

describe('the import rules', () => {
  const tree = planted()
  let found: readonly Violation[]

  const rulesOn = (file: string) => new Set(found.filter(({ from }) => from === file).map(({ rule }) => rule.name))

  beforeAll(() => {
    const folders = ['src', 'sim', 'test', 'bench']
    const args = ['--config', '.dependency-cruiser.cjs', '--output-type', 'json', ...folders]
    const { output } = tree.run('dependency-cruiser/bin/dependency-cruise.mjs', ...args)
    found = JSON.parse(output).summary.violations
  })

  afterAll(() => tree.remove())

  it.each(violations)('refuse $to in $from by $rule', ({ from, rule }) => {
    expect([...rulesOn(from)]).toEqual([rule])
  })

  it.each(allowed)('allow $to in $from', ({ from }) => {
    expect([...rulesOn(from)]).toEqual([])
  })

  it('know the same layers as the compiler', () => {
    const refused = pairs.filter(({ from, to }) => rulesOn(`src/${from}/to-${to}.ts`).size > 0)
    expect(refused).toEqual(pairs.filter(({ from, to }) => !buildsOn(from, to)))
  })

  it('refuse a package of developers where only its types may be known', () => {
    expect([...rulesOn('sim/mutation/parses.ts')]).toEqual(['parser-is-handed-in'])
  })

  it('refuse a cycle', () => {
    expect(rulesOn('src/model/ring-a.ts')).toContain('no-cycle')
  })

  it('refuse folders that import each other although none of their files do', () => {
    const circle = ['src/agent/local', 'src/agent/pool', 'src/agent/serving']
    expect(circle.map((folder) => [...rulesOn(folder)])).toEqual(circle.map(() => ['no-folder-circle']))
    expect([...rulesOn('src/agent/upper'), ...rulesOn('src/agent/lower')]).toEqual([])
    expect(rulesOn('src/agent/local/to-serving.ts').size).toBe(0)
  })

  it('refuse a module that is not imported and imports nothing', () => {
    expect([...rulesOn('src/model/orphan.ts')]).toEqual(['no-orphan'])
  })
})
