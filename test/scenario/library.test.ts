import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createCluster, describeCluster, type SimCluster } from 'svc/sim'
import { describe, expect, it } from 'vitest'
import { play } from './library-play.mjs'
import { scenarioFile } from './svc-sim.ts'

const isLong = process.env['SVC_TEST_LONG'] === '1'
const root = fileURLToPath(new URL('../..', import.meta.url))

async function node(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const { NODE_TEST_CONTEXT: _, VITEST: __, ...inherited } = process.env
  const child = spawn(process.execPath, args, { cwd: root, env: { ...inherited, NO_COLOR: '1', ...env } })
  let out = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (out += text))
  const [exit] = await once(child, 'close')
  return { exit, out }
}

async function withCluster(test: (cluster: SimCluster) => Promise<void>): Promise<void> {
  const cluster = await createCluster({ seed: 3 })
  await test(cluster)
  await cluster.close()
}

describe('svc/sim', () => {
  it('gives the same story and the same hash for a seed: twice here, beside another cluster, in a plain process, under node:test', async () => {
    const first = await play(7)
    expect(first.seen.slice(0, 3)).toEqual([200, 200, '10.0.1.1'])
    const [beside, other] = await Promise.all([play(7), play(8)])
    expect(beside).toEqual(first)
    expect(other.hash).not.toBe(first.hash)
    const { exit, out } = await node(['test/scenario/library-play.mjs', 'play', '7'])
    expect(exit).toBe(0)
    expect(JSON.parse(out)).toEqual(first)
    const file = join(dirname(scenarioFile('')), 'same.test.mjs')
    const module = JSON.stringify(join(root, 'test/scenario/library-play.mjs'))
    writeFileSync(
      file,
      `import { deepEqual } from 'node:assert/strict'
import { it } from 'node:test'
import { play } from ${module}
it('is the same', async () => deepEqual(await play(7), ${JSON.stringify(first)}))
`,
    )
    const tested = await node(['--test', file])
    expect(tested.exit, tested.out).toBe(0)
  })

  it('speaks to the real handler with the standard Request and Response', () =>
    withCluster(async (c) => {
      const bytes = new Uint8Array([0, 255, 10, 128])
      const put = new Request('http://anywhere/v1/kv/raw', { method: 'PUT', body: bytes })
      expect(await (await c.fetch('s1', put)).json()).toBe(true)
      const read = await c.fetch('s2', '/v1/kv/raw?raw&consistent')
      expect(new Uint8Array(await read.arrayBuffer())).toEqual(bytes)
      expect(Number(read.headers.get('x-svc-index'))).toBeGreaterThan(0)
      expect((await c.fetch('s1', '/v1/kv/nothing')).status).toBe(404)
      expect(await (await c.fetch('s1', '/v1/status/leader', { method: 'HEAD' })).text()).toBe('')
    }))

  it('moves only while a caller waits, and no further than asked', () =>
    withCluster(async (c) => {
      const before = c.nowMs
      await new Promise<void>((resolve) => setImmediate(resolve))
      expect(c.nowMs).toBe(before)
      await c.advance('1m30s')
      expect(c.nowMs).toBe(before + 90_000)
      await c.fetch('s1', '/v1/kv/a', { method: 'PUT', body: 'x' })
      expect(c.nowMs - before).toBeLessThan(91_000)
    }))

  it('rejects as fetch does where no answer comes, at its virtual bound or when it is aborted', () =>
    withCluster(async (c) => {
      await expect(c.fetch('s1', '/v1/kv/a?index=9999&wait=5m', { within: '10s' })).rejects.toThrow(TypeError)
      const abort = new AbortController()
      abort.abort(new Error('enough'))
      await expect(c.fetch('s1', '/v1/kv/a', { signal: abort.signal })).rejects.toThrow('enough')
      c.kill('s1')
      await expect(c.fetch('s1', '/v1/kv/a')).rejects.toThrow('fetch failed')
      await expect(c.fetch('s1', '/v1/kv/a')).rejects.toMatchObject({
        cause: { message: 's1: the connection is refused: no agent runs there, or it is still starting' },
      })
      await expect(c.resolve('s1', 'svc.service.svc', 'A', '2s')).rejects.toThrow(/^DNS of s1: /)
    }))

  it('says what is wrong with options, names, spans, faults and steps', async () => {
    await expect(createCluster({ servers: 99 })).rejects.toThrow("'count' is too large: at most 15")
    await expect(createCluster({ config: { no_such_setting: 1 } })).rejects.toThrow(/no_such_setting/)
    await withCluster(async (c) => {
      await expect(c.fetch('s9', '/')).rejects.toThrow("there is no agent 's9': there are s1, s2, s3")
      await expect(c.advance('soon')).rejects.toThrow("'soon' is no time span")
      expect(() => c.fault({ explode: 's1' })).toThrow("no such fault: unknown key 'explode'")
      expect(() => c.fault({ crsh: 's1' })).toThrow(/unknown key 'crsh': did you mean 'crash'\?$/)
      expect(() => c.crash('s9')).toThrow(/s9/)
      expect(() => c.crash(undefined)).toThrow('c.crash: the name of the agent is undefined, as c.leader is while')
      await expect(c.fetch(undefined, '/')).rejects.toThrow('c.fetch: the name of the agent is undefined')
      expect(() => c.partition(['s9'], ['s1'])).toThrow("partition: 's9' matches no node now")
      expect(() => c.disk('s1', 'broken' as 'full')).toThrow("c.disk: 'broken' is no fault: write full, stalled, ")
      c.crash('s3')
      c.restart('s3')
      expect(() => c.fault({ leave: 's3' })).toThrow('leave: no agent runs on s3, or it is still starting')
      await expect(c.step({ relod: 's1' })).rejects.toThrow("no such step: unknown key 'relod': did you mean 'reload'?")
      await expect(c.step({ reload: 's1' })).rejects.toThrow(/no such step: reload: /)
      await expect(c.advance(Number.POSITIVE_INFINITY)).rejects.toThrow('is no time span')
      await expect(c.advance('1000000h')).rejects.toThrow('at most 20 years')
      await expect(c.until(() => false, 1_000)).rejects.toThrow(
        'c.until: the condition did not become true within 1000 ms of virtual time',
      )
      await expect(c.resolve('s1', 'web.service.svc', 'a')).rejects.toThrow("'a' is no type of a question: write A, NS")
      await expect(c.resolve('s1', 'web.service.svc', 'OPT')).rejects.toThrow("'OPT' is no type of a question")
      for (const name of ['a..b', '', `${'a'.repeat(64)}.svc`, 'é\u0100.svc', `${'a.'.repeat(127)}a`]) {
        await expect(c.resolve('s1', name)).rejects.toThrow('is no name that DNS can ask for')
      }
      expect((await c.resolve('s1', '.', 'NS')).answers).toEqual([])
    })
  })

  it('gives what a condition throws to the test that waits for it, and goes on for everything else', () =>
    withCluster(async (c) => {
      const broken = c.until(() => {
        throw new Error('the condition is broken')
      })
      const [thrown, answered] = await Promise.allSettled([broken, c.fetch('s1', '/v1/kv/a')])
      expect(thrown).toMatchObject({ reason: { message: 'the condition is broken' } })
      expect(answered).toMatchObject({ value: { status: 404 } })
      const promised = (async () => true) as unknown as () => boolean
      await expect(c.until(promised)).rejects.toThrow('it must not be an async function')
      await c.advance('1s')
    }))

  it('has faults of disks and clocks, and comes to rest in the end', async () => {
    const c = await createCluster({ seed: 4, servers: 3, clients: 1, acl: 'allow' })
    c.disk('s1', { fsync: '20ms' })
    c.disk('s2', 'full')
    c.clock('s3', { step: '5m' })
    c.clock('c1', { rate: '0.5%' })
    c.pause('s1')
    await c.advance('3s')
    c.resume('s1')
    const list = () => c.fetch('s3', '/v1/acl/tokens', { headers: { 'X-Svc-Token': c.managementToken } })
    await c.step({ eventually: { within: '30s', leader: 'exactly one' } })
    expect((await list()).status).toBe(200)
    expect((await c.fetch('s3', '/v1/acl/tokens')).status).toBe(403)
    await c.close({ rest: true })
    expect(c.story().join('\n')).toMatch(/! fill disk s2[\s\S]*all agents agree on the members/)
  })

  it('halts for a step, whatever a test still waits for', async () => {
    const cluster = await createCluster({ seed: 3 })
    const began = cluster.nowMs
    const late = cluster.fetch('s2', '/v1/kv/none?index=1&wait=40s', { within: '60s' })
    const watched = late.then(({ status }) => [status, cluster.nowMs - began >= 40_000])
    await cluster.step({ wait: '2s' })
    expect(cluster.nowMs - began).toBeLessThan(3_000)
    expect(await watched).toEqual([404, true])
    await cluster.close({ rest: true })
  })

  it('does nothing more when it is closed', async () => {
    const cluster = await createCluster({ servers: 1 })
    await cluster.close()
    await expect(cluster.fetch('s1', '/v1/kv/a')).rejects.toThrow(TypeError)
    await expect(cluster.resolve('s1', 's1.node.svc')).rejects.toThrow('DNS of s1: the cluster is closed')
    const closed = /^the cluster is closed: nothing happens in it after c\.close$/
    await expect(cluster.advance('1s')).rejects.toThrow(closed)
    await expect(cluster.until(() => true)).rejects.toThrow(closed)
    await expect(cluster.step({ wait: '1s' })).rejects.toThrow(closed)
    expect(() => cluster.crash('s1')).toThrow(closed)
    expect(() => cluster.mend()).toThrow(closed)
    expect(cluster.hash()).toMatch(/^[0-9a-f]{64}$/)
    await cluster.close()
  })

  it('does not go on for calls that are pending when it is closed', async () => {
    const cluster = await createCluster({ servers: 1 })
    const began = cluster.nowMs
    const pending = [
      cluster.advance('10m'),
      cluster.until(() => false, '5m'),
      cluster.fetch('s1', '/v1/kv/a?index=99&wait=5m', { within: '8m' }),
    ]
    const ends = Promise.allSettled(pending)
    await cluster.close()
    const why = 'Error: the cluster is closed: c.close came before this call had ended'
    expect((await ends).map((end) => String('reason' in end ? end.reason : 'none'))).toEqual([why, why, why])
    expect(cluster.nowMs - began).toBeLessThan(1_000)
    const hash = cluster.hash()
    await new Promise<void>((resolve) => setImmediate(resolve))
    expect(cluster.hash()).toBe(hash)
  })

  it('says of what a step expects what is not met, and no line of a page that it made itself', async () => {
    const c = await createCluster({ seed: 5, servers: 1 })
    await expect(c.step({ expect: { leader: 'none' } })).rejects.toThrow(
      /^seed 5: what must hold does not\n +[0-9.]+s expectation: expected leader: none: s1 leads\n/,
    )
    await expect(c.close()).rejects.toThrow(/^seed 5: /)
  })

  it('says what is wrong with the arguments of its faults', () =>
    withCluster(async (c) => {
      const anyhow = c as unknown as Record<'clock' | 'partition', (...given: unknown[]) => void>
      for (const fault of [undefined, {}, { jump: '5m' }])
        expect(() => anyhow.clock('s1', fault)).toThrow("write { step: '5m' } or { rate: '0.5%' }")
      for (const groups of [[], [['s1']], ['s1', 's2']])
        expect(() => anyhow.partition(...groups)).toThrow('give two groups or more, each a list of agents')
    }))

  it('judges invariants: what does not hold ends the run, with seed and story', async () => {
    const c = await createCluster({ seed: 5 })
    c.note('a note of the test')
    await expect(c.step({ expect: { leader: 'none' } })).rejects.toThrow(
      /^seed 5: what must hold does not[\s\S]*a note of the test/,
    )
    await expect(c.fetch('s1', '/v1/kv/a')).rejects.toThrow(/^seed 5: /)
    await expect(c.close()).rejects.toThrow(/^seed 5: /)
  })

  it('knows what a test asks of the cluster: it renews sessions, and takes agents out', async () => {
    const c = await createCluster({ seed: 3, clients: 2 })
    const put = (node: string, target: string, body?: object) =>
      c.fetch(node, target, { method: 'PUT', ...(body === undefined ? {} : { body: JSON.stringify(body) }) })
    const { ID } = (await (await put('c1', '/v1/session/create', { TTL: '10s' })).json()) as { readonly ID: string }
    const follower = c.nodes.find((name) => name.startsWith('s') && name !== c.leader) ?? ''
    await put('c2', '/v1/agent/leave')
    await put(follower, '/v1/agent/leave')
    // Longer than the law allows without a renewal.
    for (let renewals = 0; renewals < 6; renewals++) {
      await c.advance('8s')
      expect((await put('c1', `/v1/session/renew/${ID}`)).status).toBe(200)
    }
    expect((await put('c1', '/v1/catalog/deregister', { Node: 'c1' })).status).toBe(200)
    await c.advance('5s')
    await c.close()
  })

  it('says how late the answer was that an awaited condition waited for', async () => {
    const c = await createCluster({ seed: 5 })
    const asked = c.leader ?? ''
    c.partition(
      [asked],
      c.nodes.filter((name) => name !== asked),
    )
    await c.advance('3s')
    const kv = { key: 'a', value: 'x', at: asked, consistency: 'consistent' }
    await expect(c.step({ eventually: { within: '1s', kv } })).rejects.toThrow(
      /not within 1s: .*'No cluster leader' \(this answer came 6\.\d+s after that time\)/,
    )
    await expect(c.close()).rejects.toThrow('not within 1s')
  })

  it('ships types that stand by themselves, with their descriptions', () => {
    const types = readFileSync(join(root, 'dist/sim/library.d.ts'), 'utf8')
    expect(types).toContain('createCluster')
    expect(types).toContain('/** Power cut: the process ends')
    expect(types).not.toMatch(/^(?:import|export)\b.* from '|import\(/m)
  })
})

describeCluster(
  { describe, it },
  'describeCluster',
  { seeds: 2 },
  {
    'gives each test a cluster of its own, once for each seed': async (c) => {
      expect([1, 2]).toContain(c.seed)
      expect((await c.fetch('s1', '/v1/kv/mine')).status).toBe(404)
      await c.fetch('s1', '/v1/kv/mine', { method: 'PUT', body: 'x' })
    },
  },
)

describe('a test that fails', () => {
  const text = `import { describe, it } from 'node:test'
import { describeCluster } from ${JSON.stringify(join(root, 'bin/sim.js'))}
describeCluster({ describe, it }, 'a suite', { seeds: 2, servers: 1 }, {
  'fails for seed 2': async (c) => { c.note('shortly before'); if (c.seed === 2) throw new Error('it is two') },
})
`
  it('names its seed, how to repeat it, and the end of the story; the variable repeats it alone', async () => {
    const file = join(dirname(scenarioFile('')), 'a.test.mjs')
    writeFileSync(file, text)
    const both = await node(['--test', file])
    expect(both.exit).toBe(1)
    expect(both.out).toContain('fails for seed 2 (seed 1)')
    expect(both.out).toMatch(/it is two\s+seed 2; repeat it alone with: SVC_SIM_SEED=2/)
    expect(both.out).toContain('shortly before')
    const alone = await node(['--test', file], { SVC_SIM_SEED: '2' })
    expect(alone.out).not.toContain('(seed 1)')
    expect(alone.exit).toBe(1)
    const range = await node(['--test', file], { SVC_SIM_SEEDS: '3..4' })
    expect(range.exit).toBe(0)
    expect(range.out).toContain('fails for seed 2 (seed 4)')
  })
})

describe('the examples', () => {
  // Of the second one the gate runs the test that takes seconds.
  it.each([
    ['locker', []],
    ['discovery', isLong ? [] : ['--test-name-pattern=sees an instance go']],
  ])('run under node:test: %s', async (name, flags) => {
    const { exit, out } = await node(['--test', ...flags, `examples/library/${name}.test.js`])
    expect(out).toMatch(/# fail 0/)
    expect(Number(/# pass (\d+)/.exec(out)?.[1])).toBeGreaterThan(0)
    expect(exit).toBe(0)
  })

  it('run under Vitest: acl-migration', async () => {
    const { exit, out } = await node(['node_modules/vitest/vitest.mjs', 'run', '--root', 'examples/library'])
    expect(out).toMatch(/Tests\s+1 passed/)
    expect(exit).toBe(0)
  })
})
