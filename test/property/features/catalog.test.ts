import { describe, expect, it } from 'vitest'
import { features } from '../../../src/agent/assembly/features.ts'
import { ReplicatedState } from '../../../src/agent/replication/state-machine.ts'
import {
  nodeDumpEndpoint,
  nodeServicesEndpoint,
  nodesEndpoint,
  serviceNodesEndpoint,
  servicesEndpoint,
} from '../../../src/features/catalog/endpoint.ts'
import { checkBecameCritical, checkRemoved, nodeRemoved, serviceRemoved } from '../../../src/features/catalog/model.ts'
import {
  deregisterEndpoint,
  registerAllEndpoint,
  registerEndpoint,
} from '../../../src/features/catalog/write-endpoints.ts'
import { tagsSent } from '../../../src/features/discovery/tag-filter.ts'
import {
  nodeChecksEndpoint,
  serviceChecksEndpoint,
  serviceHealthEndpoint,
  stateChecksEndpoint,
} from '../../../src/features/health/endpoint.ts'
import type { DeregisterRequest, RegisterRequest, ServiceFacts } from '../../../src/model/catalog.ts'
import { failureText } from '../../../src/model/failure.ts'
import { modifyIndexOf } from '../../../src/model/log-position.ts'
import type { ProxyFacts } from '../../../src/model/mesh-service.ts'
import { onEvent, type ReadTransaction } from '../../../src/store/types.ts'
import { fc } from '../../fast-check.ts'
import { LoneServer } from '../../unit/features/lone-server.ts'
import { CatalogModel } from './catalog-model.ts'

const runs = process.env['SVC_TEST_LONG'] === '1' ? 3_000 : 52

const nodes = ['a', 'A', 'b', 'c\0'] as const
const services = ['web', 'WEB', 'api'] as const
const ids = ['', '11111111-0000-4000-8000-000000000000', '22222222-0000-4000-8000-000000000000'] as const
const statuses = ['passing', 'warning', 'critical', 'purple', ''] as const
const nodeName = fc.constantFrom(...nodes)
const serviceId = fc.constantFrom('s', 'S', 't')

/**
 * A proxy for another service, which may be there, one that needs none, and one that has nothing to do with the mesh.
 */
const inMesh = fc.constantFrom(
  { kind: '' },
  { kind: '' },
  { kind: '', mesh: { native: true, proxy: null } },
  { kind: 'connect-proxy', mesh: { native: false, proxy: proxyFor('web') } },
  { kind: 'connect-proxy', mesh: { native: false, proxy: proxyFor('API') } },
)

function proxyFor(destination: string): ProxyFacts {
  return { destination, destinationId: '', localAddress: '', localPort: 0, config: '', upstreams: [] }
}

const plainService = fc.record({
  id: serviceId,
  service: fc.constantFrom(...services),
  tags: fc.constantFrom([], ['v1'], ['V1', 'v2']),
  address: fc.constant(''),
  meta: fc.constantFrom(null, [['k', 'v'] as const]),
  port: fc.constantFrom(1, 2),
  weights: fc.constant({ passing: 1, warning: 1 }),
  enableTagOverride: fc.boolean(),
})

const service: fc.Arbitrary<ServiceFacts> = fc
  .tuple(plainService, inMesh)
  .map(([plain, role]) => ({ ...plain, ...role }))

const check = fc.record({
  checkId: fc.constantFrom('p', 'P', 'q'),
  name: fc.constant('n'),
  status: fc.constantFrom(...statuses),
  notes: fc.constant(''),
  output: fc.constantFrom('', 'o'),
  serviceId: fc.oneof({ weight: 1, arbitrary: fc.constant('') }, { weight: 2, arbitrary: serviceId }),
  serviceName: fc.constant('said'),
  serviceTags: fc.constant([] as string[]),
  definition: fc.constant(null),
})

type Registration = { readonly kind: 'register'; readonly request: RegisterRequest }
type Operation = Registration | { readonly kind: 'deregister'; readonly request: DeregisterRequest }

const registration: fc.Arbitrary<Registration> = fc
  .record({
    name: nodeName,
    id: fc.constantFrom(...ids),
    address: fc.constantFrom('10.0.0.1', '10.0.0.2'),
    meta: fc.constantFrom(null, [['rack', '1'] as const]),
    skipNodeUpdate: fc.boolean(),
    service: fc.option(service, { nil: null }),
    checks: fc.array(check, { maxLength: 2 }),
    elsewhere: fc.nat(20),
  })
  .map(({ name, id, address, meta, skipNodeUpdate, service: instance, checks, elsewhere }) => ({
    kind: 'register',
    request: {
      node: { id, node: name, address, taggedAddresses: null, meta },
      skipNodeUpdate,
      service: instance,
      checks: checks.map((facts) => {
        const { checkId, ...rest } = facts
        return { node: elsewhere === 0 ? 'b' : name, checkId, ...rest }
      }),
    },
  }))

const deregistration: fc.Arbitrary<Operation> = fc
  .record({
    node: nodeName,
    serviceId: fc.constantFrom('', '', 's', 'T'),
    checkId: fc.constantFrom('', 'p', 'Q'),
  })
  .map((request) => ({ kind: 'deregister', request }))

const operations = fc.array(
  fc.oneof({ weight: 3, arbitrary: registration }, { weight: 1, arbitrary: deregistration }),
  { maxLength: 30 },
)

interface Told {
  readonly index: number
  readonly value: string
}

type Query = (tx: ReadTransaction) => { readonly index: number; readonly value: unknown }

const health = new Map<string, Query>(
  services.map((name) => [
    `health ${name}`,
    (tx) => serviceHealthEndpoint.query(tx, { service: name, connect: false }),
  ]),
)
const ways = new Map<string, Query>(
  services.map((name) => [`ways ${name}`, (tx) => serviceHealthEndpoint.query(tx, { service: name, connect: true })]),
)
const dumps = new Map<string, Query>(
  nodes.map((node) => [`dump ${node}`, (tx) => nodeDumpEndpoint.query(tx, { node })]),
)
/** Their index is that of a table, or of more than they tell: it may rise alone. */
const others = new Map<string, Query>([
  ['nodes', (tx) => nodesEndpoint.query(tx, {})],
  ['nodes by meta', (tx) => nodesEndpoint.query(tx, { nodeMeta: [['rack', '1']] })],
  ['services', (tx) => servicesEndpoint.query(tx, {})],
  ['services by meta', (tx) => servicesEndpoint.query(tx, { nodeMeta: [['rack', '1']] })],
  ['any', (tx) => stateChecksEndpoint.query(tx, { state: 'any' })],
  ...statuses.map((state): [string, Query] => [
    `state ${state}`,
    (tx) => stateChecksEndpoint.query(tx, { state, nodeMeta: [['rack', '1']] }),
  ]),
  ...services.flatMap((name): [string, Query][] => [
    [`instances ${name}`, (tx) => serviceNodesEndpoint.query(tx, { service: name, ...tagsSent(['v1']) })],
    [`checks ${name}`, (tx) => serviceChecksEndpoint.query(tx, { service: name })],
    [
      `by meta ${name}`,
      (tx) => serviceHealthEndpoint.query(tx, { service: name, connect: false, nodeMeta: [['rack', '1']] }),
    ],
  ]),
  ...[...nodes, ...ids, '11111111', '2222'].flatMap((node): [string, Query][] => [
    [`node ${node}`, (tx) => nodeServicesEndpoint.query(tx, { node })],
    [`node checks ${node}`, (tx) => nodeChecksEndpoint.query(tx, { node })],
  ]),
])

function tell(server: LoneServer, queries: ReadonlyMap<string, Query>): Map<string, Told> {
  const tx = server.read()
  return new Map(
    [...queries].map(([name, query]) => {
      const { index, value } = query(tx)
      return [name, { index: Math.max(1, index), value: JSON.stringify(value) }]
    }),
  )
}

/** All rows as text, but for the indexes of this test's registrations, which differ with the number of entries. */
function withoutIndexes(server: LoneServer): readonly string[] {
  const texts = tell(server, new Map([...dumps, ...ways, ...others]))
  return [...texts].map(([name, { value }]) => `${name} ${value.replace(/"(create|modify)Index":\d+/g, '')}`)
}

function begun(): { readonly server: LoneServer; readonly model: CatalogModel; readonly events: string[] } {
  const events: string[] = []
  const server = new LoneServer(undefined, [
    onEvent(nodeRemoved, (_, { node }) => events.push(`node ${node}`)),
    onEvent(serviceRemoved, (_, { node, serviceId: id }) => events.push(`service ${node} ${id}`)),
    onEvent(checkRemoved, (_, { node, checkId }) => events.push(`check ${node} ${checkId}`)),
    onEvent(checkBecameCritical, (_, { node, checkId }) => events.push(`critical ${node} ${checkId}`)),
  ])
  // As in every cluster, entries of Raft's own come before the first command: index 1 stands for "nothing yet".
  server.state.store.apply(modifyIndexOf(4), () => undefined)
  return { server, model: new CatalogModel(), events }
}

async function carryOut(server: LoneServer, model: CatalogModel, operation: Operation): Promise<void> {
  if (operation.kind === 'deregister') {
    model.deregister(operation.request)
    expect(await server.agent.write(deregisterEndpoint, operation.request, {})).toEqual({ ok: true, value: true })
    return
  }
  const accepted = model.register(operation.request, server.index + 1)
  expect((await server.agent.write(registerEndpoint, operation.request, {})).ok).toBe(accepted)
}

describe('the catalog against plain maps', () => {
  it('has the same rows, says the same of each service, and raises what happened to others, in order', async () => {
    await fc.assert(
      fc.asyncProperty(operations, async (todo) => {
        const { server, model, events } = begun()
        for (const operation of todo) {
          await carryOut(server, model, operation)
          const tx = server.read()
          expect(nodesEndpoint.query(tx, {}).value).toEqual(model.nodes())
          expect(stateChecksEndpoint.query(tx, { state: 'any' }).value).toEqual(model.checks())
          for (const [at, name] of services.entries()) {
            expect([...health.values()][at]?.(tx).value).toEqual(model.health(name))
            expect([...ways.values()][at]?.(tx).value).toEqual(model.ways(name))
          }
          for (const node of nodes) expect(nodeDumpEndpoint.query(tx, { node }).value).toEqual(model.dump(node))
          expect(events).toEqual(model.events)
        }
      }),
      { numRuns: runs },
    )
  })

  it('no index of a result falls, and each rises when its result changes', async () => {
    await fc.assert(
      fc.asyncProperty(operations, async (todo) => {
        const { server, model } = begun()
        const all = new Map([...health, ...ways, ...dumps, ...others])
        let before = tell(server, all)
        for (const operation of todo) {
          await carryOut(server, model, operation)
          const after = tell(server, all)
          for (const [name, { index, value }] of after) {
            const last = before.get(name) as Told
            expect(index, `${name} fell`).toBeGreaterThanOrEqual(last.index)
            if (value !== last.value) expect(index, `${name} changed`).toBe(server.index)
          }
          before = after
        }
      }),
      { numRuns: runs },
    )
  })

  it('the index of an existing service or node moves only when an answer about it changes, and only that wakes its readers', async () => {
    await fc.assert(
      fc.asyncProperty(operations, async (todo) => {
        const { server, model } = begun()
        const { store } = server.state
        const exact = new Map([...health, ...ways, ...dumps])
        let before = tell(server, exact)
        for (const operation of todo) {
          const woken = new Set<string>()
          for (const [name, query] of exact) store.park(store.query(query).touched, () => woken.add(name))
          await carryOut(server, model, operation)
          const after = tell(server, exact)
          for (const [name, { index, value }] of after) {
            const last = before.get(name) as Told
            expect(woken.has(name), `${name} woken`).toBe(value !== last.value)
            const there = value !== '[]' && !value.startsWith('{"node":null')
            if (there && value === last.value) expect(index, `${name} moved`).toBe(last.index)
          }
          before = after
        }
      }),
      { numRuns: runs },
    )
  })

  it('what an agent tells at a time has the effect and the refusals of each by itself, in order', async () => {
    const told = fc.tuple(registration, fc.array(registration, { minLength: 2, maxLength: 8 }), operations)
    await fc.assert(
      fc.asyncProperty(told, async ([head, all, earlier]) => {
        const [one, other] = [begun(), begun()]
        for (const { server, model } of [one, other]) for (const done of earlier) await carryOut(server, model, done)
        const { node, skipNodeUpdate } = head.request
        const offers = all.map(({ request: { service: instance, checks } }) => ({ service: instance, checks }))
        const refusals: (string | null)[] = []
        for (const offer of offers) {
          const answer = await one.server.agent.write(registerEndpoint, { node, skipNodeUpdate, ...offer }, {})
          refusals.push(answer.ok ? null : failureText(answer.error))
        }
        expect(await other.server.agent.write(registerAllEndpoint, { node, skipNodeUpdate, offers }, {})).toEqual({
          ok: true,
          value: refusals,
        })
        expect(withoutIndexes(other.server)).toEqual(withoutIndexes(one.server))
        expect(other.events).toEqual(one.events)
      }),
      { numRuns: runs },
    )
  })

  it('the same registration again changes nothing at all', async () => {
    await fc.assert(
      fc.asyncProperty(operations, async (todo) => {
        const { server, model } = begun()
        for (const operation of todo) {
          await carryOut(server, model, operation)
          if (operation.kind === 'deregister') continue
          const [before, rows] = [
            tell(server, new Map([...health, ...ways, ...dumps, ...others])),
            server.state.store.digest(),
          ]
          await carryOut(server, model, operation)
          expect(tell(server, new Map([...health, ...ways, ...dumps, ...others]))).toEqual(before)
          expect(server.state.store.digest()?.digest).toBe(rows?.digest)
        }
      }),
      { numRuns: runs },
    )
  })

  it('is the same state after a snapshot was written and read', async () => {
    await fc.assert(
      fc.asyncProperty(operations, async (todo) => {
        const { server, model } = begun()
        for (const operation of todo) await carryOut(server, model, operation)
        const copy = new ReplicatedState({
          tables: features.flatMap((feature) => feature.tables ?? []),
          commands: features.flatMap((feature) => feature.commands ?? []),
          store: { digest: true },
        })
        const [snapshot, restore] = [server.state.store.snapshot(), copy.store.restore()]
        for (let piece = snapshot.next(); piece !== undefined; piece = snapshot.next()) restore.write(piece)
        expect(restore.finish().ok).toBe(true)
        expect(copy.store.digest()).toEqual(server.state.store.digest())
        expect(nodesEndpoint.query(copy.store.read(), {}).value).toEqual(model.nodes())
      }),
      { numRuns: Math.ceil(runs / 4) },
    )
  })
})
