import { describe, expect, it } from 'vitest'
import { faultAction } from '../../../sim/faults/fault-schema.ts'
import { createPlatform } from '../../../sim/platform/platform.ts'
import { loadScenario } from '../../../sim/scenario/language/load.ts'
import { ScenarioRun } from '../../../sim/scenario/run.ts'
import type { Env } from '../../../src/env/env.ts'

const page = `scenario: Faults of several kinds at one agent
cluster:
  dc1:
    servers: { count: 1 }
    clients: { count: 1 }
web servers:
  webs: { at: clients, port: 8080 }
lasts: 1s
`

interface Faulty {
  readonly run: ScenarioRun
  readonly fault: (action: object) => void
}

async function withFaults(use: (faulty: Faulty) => Promise<void>): Promise<void> {
  const loaded = loadScenario('page.yaml', page)
  if (!loaded.ok) expect.fail(JSON.stringify(loaded.error))
  const platform = createPlatform()
  try {
    const run = new ScenarioRun({ loaded: loaded.value, seed: 1, platform })
    await run.begin()
    await run.pass(1_000)
    const fault = (action: object): void => {
      const done = run.injector.perform(faultAction.parse(action), run.stepScope())
      expect(done.ok).toBe(true)
    }
    await use({ run, fault })
  } finally {
    platform.close()
  }
}

describe('faults of several kinds', () => {
  it('leave a full disk full while it is slow, and slow when it has space again', () =>
    withFaults(async ({ run, fault }) => {
      const { disk } = run.cluster.nodeOf('s1')
      const syncMs = (): number => disk.delayUs('sync', disk.drawsOf(1, 'any')) / 1000
      fault({ 'fill disk': 's1', for: '3s' })
      fault({ 'slow disk': { nodes: 's1', fsync: '70ms' }, for: '1s' })
      expect([disk.tree.isFull, syncMs()]).toEqual([true, 70])
      await run.pass(2_000)
      expect(disk.tree.isFull).toBe(true)
      expect(syncMs()).toBeLessThan(70)
      fault({ 'slow disk': { nodes: 's1', fsync: '70ms' } })
      await run.pass(2_000)
      expect([disk.tree.isFull, syncMs()]).toEqual([false, 70])
    }))

  it('leave a read-only disk read-only while its reads fail', () =>
    withFaults(async ({ run, fault }) => {
      const { disk } = run.cluster.nodeOf('s1')
      const write = (): string | undefined => disk.failureOf('write', '/data/a', disk.drawsOf(1, 'any'))?.error.message
      fault({ 'read-only disk': 's1', for: '3s' })
      fault({ 'disk errors': { nodes: 's1', operations: ['read'] }, for: '1s' })
      expect(write()).toBe('write: read-only file system')
      await run.pass(2_000)
      expect(write()).toBe('write: read-only file system')
      run.injector.mendEverything()
      expect(write()).toBeUndefined()
    }))

  it('cut the power of a machine whose process was killed, and a restart does not', () =>
    withFaults(async ({ run, fault }) => {
      const machine = run.cluster.nodeOf('s1')
      const write = async (env: Env): Promise<void> => {
        const file = await env.disk.open('/data/any', 'create')
        if (file.ok) await file.value.write(0, new Uint8Array(9))
      }
      await run.simulation.play(machine, write, 1_000)
      fault({ kill: 's1' })
      expect(machine.disk.tree.hasUnsynced).toBe(true)
      fault({ kill: 's1' })
      expect(machine.disk.tree.hasUnsynced).toBe(true)
      fault({ restart: 's1' })
      expect([machine.disk.tree.hasUnsynced, machine.running]).toEqual([true, true])
      fault({ kill: 's1' })
      fault({ crash: 's1', for: '1s' })
      expect([machine.disk.tree.hasUnsynced, machine.running]).toEqual([false, false])
    }))

  it('of one kind last as long as the longest: a paused process stays so, and the next one runs', () =>
    withFaults(async ({ run, fault }) => {
      const machine = run.cluster.nodeOf('c1')
      fault({ pause: 'c1', for: '4s' })
      fault({ pause: 'c1', for: '1s' })
      await run.pass(2_000)
      expect(machine.paused).toBe(true)
      fault({ restart: 'c1' })
      expect([machine.running, machine.paused]).toEqual([true, false])
      fault({ pause: 'c1', for: '1s' })
      expect(machine.paused).toBe(true)
      await run.pass(1_500)
      expect(machine.paused).toBe(false)
      fault({ pause: 'c1', for: '10s' })
      fault({ resume: 'c1' })
      expect(machine.paused).toBe(false)
      fault({ pause: 'c1' })
      run.injector.mendEverything()
      expect(machine.paused).toBe(false)
    }))

  it('of one web server count from the latest on, and an earlier one that ends leaves it alone', () =>
    withFaults(async ({ run, fault }) => {
      const look = async (): Promise<number | string> => {
        const to = { host: '127.0.0.1', port: 8080 }
        const seen = await run.simulation.play(
          run.cluster.nodeOf('c1'),
          (env) => env.http.request(to, { method: 'GET', target: '/', timeoutMs: 100 }),
          1_000,
        )
        return seen.ok ? seen.value.status : seen.error.kind
      }
      fault({ 'web server': { at: 'c1', is: 'ill' }, for: '2s' })
      await run.pass(500)
      expect(await look()).toBe(500)
      fault({ 'web server': { at: 'c1', is: 'busy' }, for: '5s' })
      await run.pass(500)
      expect(await look()).toBe(429)
      await run.pass(2_000)
      expect(await look()).toBe(429)
      await run.pass(4_000)
      expect(await look()).toBe(200)
    }))
})
