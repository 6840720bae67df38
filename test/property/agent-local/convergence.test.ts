import { expect, it } from 'vitest'
import { createLocalServices } from '../../../src/agent/local/local-services.ts'
import type { RunningLocalServices } from '../../../src/agent/local/parts.ts'
import type { CheckStatus } from '../../../src/model/catalog.ts'
import { fc } from '../../fast-check.ts'
import { FakeCatalog } from '../../unit/agent-local/fake-catalog.ts'
import { checkOf, configOf, nodeId, offer, serviceOf, ttl } from '../../unit/agent-local/local-world.ts'
import { inSimulation, rest } from '../../unit/sim-world/in-simulation.ts'

const runs = process.env['SVC_TEST_LONG'] === '1' ? 1_000 : 30

const id = fc.constantFrom('a', 'b', 'c', 'A')
const status = fc.constantFrom<CheckStatus>('passing', 'warning', 'critical')
const tag = fc.constantFrom('x', 'y')

/** What happens here, and what others do to the catalog. */
const happening = fc.oneof(
  fc.record({ kind: fc.constant('register' as const), id, tag, free: fc.boolean(), check: fc.boolean() }),
  fc.record({ kind: fc.constant('deregister' as const), id }),
  fc.record({ kind: fc.constant('check' as const), id, service: fc.option(id, { nil: '' }) }),
  fc.record({ kind: fc.constant('drop-check' as const), id }),
  fc.record({ kind: fc.constant('report' as const), id, status, output: tag }),
  fc.record({
    kind: fc.constant('reload' as const),
    ids: fc.uniqueArray(id, { selector: (one) => one.toLowerCase() }),
    tag,
  }),
  fc.record({ kind: fc.constant('lose' as const), id }),
  fc.record({ kind: fc.constant('retag' as const), id, tag }),
  fc.record({ kind: fc.constant('strange' as const), id: fc.constantFrom('s', 't') }),
  fc.record({ kind: fc.constant('forget-node' as const) }),
  fc.record({ kind: fc.constant('failing' as const), on: fc.boolean() }),
  fc.record({ kind: fc.constant('slow' as const), ms: fc.constantFrom(0, 5, 2_000) }),
)
type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never

const scene = fc.array(fc.record({ what: happening, afterMs: fc.constantFrom(0, 0, 1, 3, 1_000, 70_000) }), {
  maxLength: 25,
})

it('whatever happens here and to the catalog, it has what the agent holds when all is quiet', async () => {
  const holds = fc.asyncProperty(scene, fc.nat(1_000), async (steps, seed) => {
    await inSimulation({ seed: `convergence-${seed}` }, async (simulation) => {
      const node = simulation.addNode({ name: 'a', host: '10.0.0.1', directories: ['/data'] })
      const catalog = new FakeCatalog()
      await simulation.play(
        node,
        async (env) => {
          const config = configOf({ dataDir: '/data' })
          const agent = createLocalServices(env, { config, nodeId, catalog, nodeCount: () => 1 })
          await agent.start()
          for (const { what, afterMs } of steps) {
            const going = happen(agent, catalog, what, (ms) => rest(env, ms))
            if (going !== undefined) env.detach(going)
            if (afterMs > 0) await rest(env, afterMs)
          }
          catalog.failure = undefined
          catalog.before = async () => undefined
          // Two full comparisons: the first may have begun while the catalog was slow.
          await rest(env, 300_000)
          expectEqual(agent, catalog)
          await agent.stop()
        },
        24 * 3_600_000,
      )
      if (simulation.failure !== undefined) throw simulation.failure.error ?? new Error(simulation.failure.message)
    })
  })
  await fc.assert(holds, { numRuns: runs, interruptAfterTimeLimit: 120_000, markInterruptAsFailure: true })
}, 180_000)

function happen(
  agent: RunningLocalServices,
  catalog: FakeCatalog,
  what: Happening,
  wait: (ms: number) => Promise<void>,
): Promise<unknown> | undefined {
  const check = (checkId: string, serviceId: string) => checkOf(checkId, ttl(10_000_000), { serviceId })
  switch (what.kind) {
    case 'register': {
      const checks = what.check ? [check(`check-${what.id}`, what.id)] : []
      return agent.registerService(offer(what.id, { tags: [what.tag], enableTagOverride: what.free }, checks))
    }
    case 'deregister':
      return agent.deregisterService(what.id)
    case 'check':
      return agent.registerCheck(check(what.id, what.service))
    case 'drop-check':
      return agent.deregisterCheck(what.id)
    case 'report':
      return agent.reportTtl(what.id, what.status, what.output)
    case 'reload': {
      const services = what.ids.map((one) => offer(one, { tags: [what.tag] }, [check(`check-${one}`, one)]))
      return agent.reload(configOf({ dataDir: '/data', services }))
    }
    case 'lose':
      catalog.services.delete(what.id.toLowerCase())
      return undefined
    case 'retag': {
      const service = catalog.services.get(what.id.toLowerCase())
      if (service !== undefined) catalog.services.set(what.id.toLowerCase(), { ...service, tags: [what.tag] })
      return undefined
    }
    case 'strange':
      catalog.services.set(what.id, serviceOf(what.id))
      return undefined
    case 'forget-node':
      catalog.node = undefined
      catalog.services.clear()
      catalog.checks.clear()
      return undefined
    case 'failing':
      catalog.failure = what.on ? { kind: 'no-leader' } : undefined
      return undefined
    case 'slow':
      catalog.before = () => wait(what.ms)
      return undefined
  }
}

function expectEqual(agent: RunningLocalServices, catalog: FakeCatalog): void {
  const byId = <T>(entries: readonly (readonly [string, T])[]) => [...entries].sort(([a], [b]) => (a < b ? -1 : 1))
  const services = [...catalog.services.values()]
  expect(byId(services.map((service) => [service.id, service] as const))).toEqual(
    byId(agent.services().map((service) => [service.id, service] as const)),
  )
  // An output alone may still be on its way.
  const told = (checks: readonly { readonly checkId: string }[]) =>
    byId(checks.map((check) => [check.checkId, { ...check, output: '' }] as const))
  expect(told([...catalog.checks.values()])).toEqual(told(agent.checks()))
  if (catalog.services.size + catalog.checks.size > 0) expect(catalog.node).toEqual(agent.nodeFacts())
}
