import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { otherNode, otherVersions } from '../tools/other-node.ts'
import { type SvcSimOptions, svcSim, traceHashOf } from './svc-sim.ts'

/** Short, for most runs of it are in a cold process; with faults of all kinds of decisions, names, and signing. */
const page = `scenario: A little of everything
cluster:
  dc1:
    servers: { count: 3 }
    clients: { count: 1 }
    config: { performance: { raft_multiplier: 1 } }
network: { latency: 1ms..9ms, loss: 1%, duplicate: 1%, reorder: 2% }
workload:
  shoppers: { clients: 2, operations: [kv.put, kv.get, kv.cas], keys: 2, rate: 20/s }
faults:
  - { when: leader elected, chance: 70%, after: 100ms..900ms, do: [{ crash: it, for: 200ms..900ms }] }
lasts: 3s
`
const folder = mkdtempSync(join(tmpdir(), 'svc-sim-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const file = join(folder, 'page.yaml')
writeFileSync(file, page)

async function hashWith(options: SvcSimOptions, ...flags: readonly string[]): Promise<string> {
  const finished = await svcSim(['run', file, '--seed', '7', ...flags], options)
  expect(finished.exit, finished.out).toBe(0)
  return traceHashOf(finished)
}

/** Run once for all tests that compare with it. */
let first: Promise<string> | undefined
function firstHash(): Promise<string> {
  first ??= hashWith({})
  return first
}

const others = await Promise.all(otherVersions.map(otherNode))
const { bundleOf } = (await import(new URL('../../bin/launch.js', import.meta.url).href)) as {
  readonly bundleOf: (name: string, root: URL) => URL | undefined
}

/** A script that runs the simulator module by module, by the loader that planted programs have. */
function scriptOf(entry: URL): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-sim-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const script = join(folder, 'run.mjs')
  const loader = new URL('../../bin/modules.js', import.meta.url).href
  const lines = [
    `import { loadModules } from '${loader}'`,
    `const { main } = await loadModules('${fileURLToPath(entry)}')`,
    'process.exitCode = await main()',
  ]
  writeFileSync(script, `${lines.join('\n')}\n`)
  return script
}

describe('the same scenario and seed give the same trace', () => {
  it('in two processes', async () => {
    expect(await hashWith({})).toBe(await firstHash())
  })

  it('whatever the time zone, the language, the directory and the size of the stack and heap', async () => {
    const here = await firstHash()
    const environment = { TZ: 'Pacific/Chatham', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' }
    const nodeFlags = ['--stack-size=2000', '--max-semi-space-size=1']
    expect(await hashWith({ environment, nodeFlags, cwd: '/' })).toBe(here)
  })

  it('whether or not its story and its trace are written out', async () => {
    const here = await firstHash()
    expect(await hashWith({}, '--quiet', '--trace', '/dev/null')).toBe(here)
  })

  it('put together in one file or module by module', async () => {
    const root = new URL('../../', import.meta.url)
    const bundle = bundleOf('svc-sim', root)
    // What `bin/svc-sim.js` runs is the bundle, or this would compare the modules with themselves.
    if (bundle === undefined) throw new Error('the bundle is older than the modules, or not there: npm run build')
    const modules = new URL('dist/sim/main.js', root)
    expect(await hashWith({ script: scriptOf(modules) })).toBe(await firstHash())
  })

  for (const other of others) {
    const title =
      other.kind === 'missing' ? `another release of Node (skipped: ${other.reason})` : `Node ${other.version}`
    it.skipIf(other.kind === 'missing')(`on ${title}`, async () => {
      if (other.kind === 'missing') return
      expect(await hashWith({ node: other.binary })).toBe(await firstHash())
    })
  }

  it('and another seed another one', async () => {
    const finished = await svcSim(['run', file, '--seed', '8'])
    expect(traceHashOf(finished)).not.toBe(await firstHash())
  })
})
