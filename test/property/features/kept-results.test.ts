import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { unrestricted } from '../../../src/access/authorizer.ts'
import { KeptResults } from '../../../src/agent/requests/serving/kept-results.ts'
import {
  nodeDumpEndpoint,
  nodeServicesEndpoint,
  nodesEndpoint,
  serviceNodesEndpoint,
  servicesEndpoint,
} from '../../../src/features/catalog/endpoint.ts'
import { deregisterEndpoint, registerEndpoint } from '../../../src/features/catalog/write-endpoints.ts'
import { open } from '../../../src/features/contract/access.ts'
import type { QueryEndpoint } from '../../../src/features/contract/endpoint.ts'
import type { ServedEndpoint } from '../../../src/features/contract/server-context.ts'
import { coordinateBatch } from '../../../src/features/coordinate/commands.ts'
import type { CoordinateRow } from '../../../src/features/discovery/nearness.ts'
import { tagsSent } from '../../../src/features/discovery/tag-filter.ts'
import {
  nodeChecksEndpoint,
  serviceChecksEndpoint,
  serviceHealthEndpoint,
  stateChecksEndpoint,
} from '../../../src/features/health/endpoint.ts'
import { getEndpoint, keysEndpoint, listEndpoint } from '../../../src/features/kv/endpoint.ts'
import { deleteEndpoint, deleteTreeEndpoint, putEndpoint } from '../../../src/features/kv/write-endpoints.ts'
import { queryCreate, queryDelete } from '../../../src/features/query/commands.ts'
import { listEndpoint as queryListEndpoint } from '../../../src/features/query/endpoint.ts'
import {
  executeEndpoint,
  executeRemoteEndpoint,
  explainEndpoint,
} from '../../../src/features/query/execute-endpoints.ts'
import { fc } from '../../fast-check.ts'
import { LoneServer } from '../../unit/features/lone-server.ts'

const runs = process.env['SVC_TEST_LONG'] === '1' ? 2_000 : 30

const node = fc.constantFrom('a', 'b', 'c')
const service = fc.constantFrom('web', 'WEB', 'api')

const registration = fc
  .record({
    node,
    address: fc.constantFrom('10.0.0.1', '10.0.0.2'),
    meta: fc.constantFrom(null, [['rack', '1'] as const]),
    instance: fc.option(fc.record({ id: fc.constantFrom('s', 't'), service, port: fc.nat(2) }), { nil: null }),
    check: fc.option(
      fc.record({
        checkId: fc.constantFrom('p', 'q'),
        status: fc.constantFrom('passing', 'critical'),
        of: fc.boolean(),
      }),
      { nil: null },
    ),
  })
  .map(({ node, address, meta, instance, check }) => ({
    endpoint: registerEndpoint as ServedEndpoint,
    args: {
      node: { id: '', node, address, taggedAddresses: null, meta },
      skipNodeUpdate: false,
      service: instance === null ? null : { ...plainService, ...instance },
      checks:
        check === null
          ? []
          : [
              {
                ...plainCheck,
                node,
                checkId: check.checkId,
                status: check.status,
                serviceId: check.of && instance !== null ? instance.id : '',
              },
            ],
    },
  }))

const plainService = {
  kind: '',
  tags: ['v1'],
  address: '',
  meta: null,
  weights: { passing: 1, warning: 1 },
  enableTagOverride: false,
}
const plainCheck = { name: 'n', notes: '', output: '', serviceName: '', serviceTags: [], definition: null }

const deregistration = fc
  .record({ node, serviceId: fc.constantFrom('', 's', 't'), checkId: fc.constantFrom('', 'p', 'q') })
  .map((args) => ({ endpoint: deregisterEndpoint as ServedEndpoint, args: args as unknown }))

const key = fc.constantFrom('k/a', 'k/b', 'l')
const keyWrite = fc.oneof(
  key.map((key) => ({
    endpoint: putEndpoint as ServedEndpoint,
    args: { key, value: new Uint8Array(1), flags: 0n } as unknown,
  })),
  key.map((key) => ({ endpoint: deleteEndpoint as ServedEndpoint, args: { key } as unknown })),
  fc.constant({ endpoint: deleteTreeEndpoint as ServedEndpoint, args: { prefix: 'k/' } as unknown }),
)

/** Coordinates change the order of answers that were asked for by nearness, and nothing else. */
const move: ServedEndpoint = {
  method: 'Test.Move',
  kind: 'write',
  args: z.unknown(),
  reply: z.unknown(),
  access: open('a test'),
  serve: (server, args) => server.propose(coordinateBatch, { updates: args as CoordinateRow[] }),
}
const movement = fc
  .array(fc.record({ node, at: fc.constantFrom(0, 1, 5) }), { minLength: 1, maxLength: 3 })
  .map((places) => ({
    endpoint: move,
    args: places.map(({ node, at }) => ({
      node,
      segment: '',
      coordinate: { vec: [at, 0, 0, 0, 0, 0, 0, 0], error: 1, adjustment: 0, height: 0.001 },
    })) as unknown,
  }))

const define: ServedEndpoint = {
  method: 'Test.Define',
  kind: 'write',
  args: z.unknown(),
  reply: z.unknown(),
  access: open('a test'),
  serve: (server, args) => server.propose(queryCreate, args as z.infer<typeof queryCreate.body>),
}
const drop: ServedEndpoint = {
  method: 'Test.Drop',
  kind: 'write',
  args: z.unknown(),
  reply: z.unknown(),
  access: open('a test'),
  serve: (server, args) => server.propose(queryDelete, { id: args as string }),
}
const queryIdAt = (at: number): string => `00000000-0000-4000-8000-00000000000${at}`
const queryWrite = fc.oneof(
  fc
    .record({ at: fc.nat(3), name: fc.constantFrom('', 'w', 'web', 'Web'), near: fc.constantFrom('', 'a', '_ip') })
    .map(({ at, name, near }) => ({
      endpoint: define,
      args: {
        ...{ id: queryIdAt(at), name, session: '', token: '', dns: { ttl: '' } },
        template: { type: at > 1 || name === '' ? 'name_prefix_match' : '', regexp: '', removeEmptyTags: false },
        service: { ...plainWanted, near, service: at > 1 ? '${name.full}' : 'api' },
      } as unknown,
    })),
  fc.nat(3).map((at) => ({ endpoint: drop, args: queryIdAt(at) as unknown })),
)
const plainWanted = {
  failover: { nearestN: 0, datacenters: null },
  onlyPassing: false,
  ignoreCheckIds: null,
  tags: ['v1', '!v2'],
  nodeMeta: null,
  connect: false,
}
const origin = { node: 'b', ip: '10.0.0.2', near: '' }

const queries: readonly (readonly [QueryEndpoint, unknown])[] = [
  ...['web', 'api', 'w', queryIdAt(0)].flatMap((idOrName): readonly (readonly [QueryEndpoint, unknown])[] => [
    [executeEndpoint as QueryEndpoint, { idOrName, segment: '', connect: false, origin }],
    [explainEndpoint as QueryEndpoint, { idOrName, segment: '' }],
  ]),
  [executeRemoteEndpoint as QueryEndpoint, { service: { ...plainWanted, service: 'web', near: '' }, connect: false }],
  [queryListEndpoint as QueryEndpoint, {}],
  [nodesEndpoint, {}],
  [nodesEndpoint, { nodeMeta: [['rack', '1']] }],
  [servicesEndpoint, {}],
  [servicesEndpoint, { nodeMeta: [['rack', '1']] }],
  ...['web', 'api', 'none'].flatMap((name): readonly (readonly [QueryEndpoint, unknown])[] => [
    [serviceNodesEndpoint as QueryEndpoint, { service: name }],
    [serviceNodesEndpoint as QueryEndpoint, { service: name, ...tagsSent(['v1']), nodeMeta: [['rack', '1']] }],
    [serviceHealthEndpoint as QueryEndpoint, { service: name, connect: false }],
    [serviceChecksEndpoint as QueryEndpoint, { service: name }],
  ]),
  ...['a', 'b', 'none'].flatMap((name): readonly (readonly [QueryEndpoint, unknown])[] => [
    [nodeServicesEndpoint as QueryEndpoint, { node: name }],
    [nodeDumpEndpoint as QueryEndpoint, { node: name }],
    [nodeChecksEndpoint as QueryEndpoint, { node: name }],
  ]),
  [nodesEndpoint, { near: 'a' }],
  [serviceNodesEndpoint, { service: 'web', near: 'a' }],
  [serviceHealthEndpoint, { service: 'web', connect: false, near: 'b' }],
  [stateChecksEndpoint as QueryEndpoint, { state: 'any' }],
  [stateChecksEndpoint as QueryEndpoint, { state: 'critical' }],
  [getEndpoint as QueryEndpoint, { key: 'k/a' }],
  [listEndpoint as QueryEndpoint, { prefix: 'k/' }],
  [keysEndpoint as QueryEndpoint, { prefix: 'k/', separator: '/' }],
] as readonly (readonly [QueryEndpoint, unknown])[]

describe('kept results', () => {
  it('equal an evaluation after every command; and a waiting caller is called when the result changes', async () => {
    const writes = fc.array(fc.oneof(registration, deregistration, keyWrite, movement, queryWrite), { maxLength: 25 })
    // With little room results are let go of all the time.
    const run = async (written: readonly { endpoint: ServedEndpoint; args: unknown }[], bytesMax: number) => {
      const server = new LoneServer()
      // An index of 0 is told as 1: the first command of all would not show.
      await server.context.propose(coordinateBatch, { updates: [] })
      const { store } = server.state
      const results = new KeptResults(store, { bytesMax })
      const called = new Map<number, boolean>()
      for (const write of written) {
        const before = queries.map(([endpoint, args], at) => {
          const result = results.read(endpoint, args)
          called.set(at, false)
          const waiting = results.wait(result, () => called.set(at, true))
          if (!waiting.ok) throw new Error('refused')
          return { told: told(result), waiting: waiting.value }
        })
        if (write.endpoint.kind === 'write')
          await write.endpoint.serve(server.context, write.args, undefined, unrestricted)
        queries.forEach(([endpoint, args], at) => {
          const fresh = endpoint.query(store.read(), args)
          const now = told({ ...fresh, index: Math.max(1, fresh.index) })
          expect(told(results.read(endpoint, args)), endpoint.method).toEqual(now)
          // No read is woken because a node has come nearer.
          const moved = write.endpoint === move
          if (!moved && before[at]?.told.lasting !== now.lasting)
            expect(called.get(at), `${endpoint.method} calls`).toBe(true)
          const was = before[at]?.told
          expect(now.index, `${endpoint.method} index`).toBeGreaterThanOrEqual(was?.index ?? 0)
          // A reader that waits for an index beyond its own would miss the change.
          if (!moved && was?.lasting !== now.lasting)
            expect(now.index, endpoint.method).toBeGreaterThan(was?.index ?? 0)
          before[at]?.waiting.close()
        })
        expect(results.waiting).toBe(0)
      }
      for (const _ of queries) expect(results.size.bytes).toBeLessThanOrEqual(bytesMax)
    }
    await fc.assert(fc.asyncProperty(writes, fc.constantFrom(1 << 20, 4_000, 0), run), { numRuns: runs })
  }, 600_000)
})

/** `lasting`: without the distances, whose change wakes no read. */
function told({ index, value }: { readonly index: number; readonly value: unknown }) {
  const plain = (_: string, each: unknown): unknown =>
    typeof each === 'bigint' ? String(each) : each instanceof Uint8Array ? [...each] : each
  const isSorted = typeof value === 'object' && value !== null && 'distances' in value
  const lasting = isSorted ? { ...value, near: '', distances: null } : value
  return { index, value: JSON.stringify(value, plain), lasting: JSON.stringify(lasting, plain) }
}
