import { Authorizers } from '../../../src/agent/access/authorizers.ts'
import { Gate } from '../../../src/agent/access/gate.ts'
import { StateTokens } from '../../../src/agent/access/state-tokens.ts'
import { features } from '../../../src/agent/assembly/features.ts'
import { Dispatch } from '../../../src/agent/requests/serving/dispatch.ts'
import type { Env } from '../../../src/env/env.ts'
import { policyDelete, policySet, tokenCreate, tokenUpdate } from '../../../src/features/acl/commands.ts'
import { catalogDeregister, catalogRegister, catalogRegisterMesh } from '../../../src/features/catalog/commands.ts'
import type { EndpointDefinition } from '../../../src/features/contract/endpoint.ts'
import type { Answer, ReadOptions } from '../../../src/features/contract/reading.ts'
import { coordinateBatch } from '../../../src/features/coordinate/commands.ts'
import { tagsSent } from '../../../src/features/discovery/tag-filter.ts'
import { intentionCreate, intentionDelete, intentionUpdate } from '../../../src/features/intention/commands.ts'
import { kvDelete, kvDeleteTree, kvPut, kvReapTombstones } from '../../../src/features/kv/commands.ts'
import { queryCreate, queryDelete, queryUpdate } from '../../../src/features/query/commands.ts'
import { sessionCreate, sessionDestroy } from '../../../src/features/session/commands.ts'
import { modifyIndexOf, noChange } from '../../../src/model/log-position.ts'
import { fc } from '../../fast-check.ts'
import { HandClock, settled } from '../../unit/features/hand-clock.ts'
import { LoneServer } from '../../unit/features/lone-server.ts'

/**
 * What names become. The reader may see some of those that begin with `pub`, `vis` or `web`, as its rules say at the
 * time. Keys below `sec1` or `tec2`, and what is called `hid1` or `hid2`, no rules show it: the one may as well be
 * called the other.
 */
export type Rename = (name: string) => string

export const asItIs: Rename = (name) => name
/** Every hidden thing has another name, which in a world of the first names nothing ever had. */
export const otherHidden: Rename = (name) => name.replace(/^sec1/, 'tec2').replace(/^hid1/, 'hid2')

const rules = [
  '',
  'key_prefix "pub/" { policy = "read" } key_prefix "vis/" { policy = "read" } node_prefix "vis" { policy = "read" } service_prefix "web" { policy = "read" } session_prefix "vis" { policy = "read" } query_prefix "web" { policy = "read" }',
  'key "pub/a" { policy = "read" } key_prefix "pub" { policy = "read" } key_prefix "pub/x" { policy = "deny" } node "vis1" { policy = "read" } service "web" { policy = "read" } session "vis1" { policy = "read" }',
  'key_prefix "" { policy = "read" } key_prefix "sec" { policy = "deny" } key_prefix "tec" { policy = "deny" } node "vis2" { policy = "read" } service_prefix "" { policy = "read" } service_prefix "hid" { policy = "deny" } session_prefix "" { policy = "read" } session_prefix "hid" { policy = "deny" } query_prefix "" { policy = "read" } query_prefix "hid" { policy = "deny" }',
]

export type Operation = (world: World, n: Rename) => Promise<unknown>

const key = fc.constantFrom('pub/a', 'pub/b', 'pub/x', 'pub', 'vis/a', 'sec1/a', 'sec1')
const node = fc.constantFrom('vis1', 'vis2', 'hid1')
const service = fc.constantFrom('web', 'web-2', 'hid1')
const id = fc.constantFrom('s', 't')

const keyWrite: fc.Arbitrary<Operation> = fc.oneof(
  key.map(
    (name): Operation =>
      (world, n) =>
        world.propose(kvPut, { key: n(name), value: new Uint8Array(1), flags: 0n }),
  ),
  key.map(
    (name): Operation =>
      (world, n) =>
        world.propose(kvDelete, { key: n(name) }),
  ),
  fc.constantFrom('', 'p', 'pub', 'pub/', 'sec1', 'sec1/').map(
    (prefix): Operation =>
      (world, n) =>
        world.propose(kvDeleteTree, { prefix: n(prefix) }),
  ),
  fc.constant<Operation>((world) => world.propose(kvReapTombstones, { through: world.index, limit: 10 })),
)

const plainService = {
  kind: '',
  address: '',
  meta: null,
  weights: { passing: 1, warning: 1 },
  enableTagOverride: false,
}
const plainProxy = { destinationId: '', localAddress: '', localPort: 0, config: '', upstreams: [] }
const plainCheck = { name: 'n', notes: '', output: '', serviceName: '', serviceTags: [], definition: null }

/** A node with one check of its own. */
export function checkedNode(name: string, status: 'passing' | 'critical'): Operation {
  const place = { id: nodeIds[name] ?? '', node: name, address: '10.0.0.1', taggedAddresses: null, meta: null }
  const check = { ...plainCheck, checkId: 'c', status, node: name, serviceId: '' }
  return (world) =>
    world.propose(catalogRegister, { node: place, skipNodeUpdate: false, service: null, checks: [check] })
}

const registration: fc.Arbitrary<Operation> = fc
  .record({
    node,
    rack: fc.constantFrom('1', '2'),
    instance: fc.option(
      fc.record({ id, service, tag: fc.constantFrom('v1', 'v2'), proxyOf: fc.constantFrom('', 'web', 'hid1') }),
      { nil: null },
    ),
    check: fc.option(fc.record({ checkId: id, status: fc.constantFrom('passing', 'critical'), of: fc.boolean() }), {
      nil: null,
    }),
  })
  .map(({ node, rack, instance, check }) => (world, n) => {
    const facts = { ...plainService, id: instance?.id ?? '', service: n(instance?.service ?? ''), port: 1 }
    const proxy = { ...plainProxy, destination: n(destinationOf(instance)) }
    const isProxy = proxy.destination !== ''
    const own = isProxy ? { kind: 'connect-proxy', mesh: { native: false, proxy } } : {}
    const offered = instance === null ? null : { ...facts, tags: [instance.tag], ...own }
    const serviceId = check?.of === true && instance !== null ? instance.id : ''
    const checks = check === null ? [] : [{ ...plainCheck, ...check, node: n(node), serviceId }]
    const place = { id: nodeIds[n(node)] ?? '', node: n(node), address: '10.0.0.1', taggedAddresses: null }
    return world.propose(isProxy ? catalogRegisterMesh : catalogRegister, {
      node: { ...place, meta: [['rack', rack]] },
      skipNodeUpdate: false,
      service: offered,
      checks: checks.map(({ of: _, ...each }) => each),
    })
  })

/** A service that is in sight shows what it stands for. */
function destinationOf(instance: { readonly service: string; readonly proxyOf: string } | null): string {
  const { service = '', proxyOf = '' } = instance ?? {}
  return proxyOf === 'hid1' && service !== 'hid1' ? '' : proxyOf
}

const nodeIds: Readonly<Record<string, string>> = {
  vis1: '11111111-1111-1111-1111-111111111111',
  vis2: '22222222-1111-1111-1111-111111111111',
  hid1: '33333333-1111-1111-1111-111111111111',
  hid2: '44444444-1111-1111-1111-111111111111',
}

const deregistration: fc.Arbitrary<Operation> = fc
  .record({ node, serviceId: fc.constantFrom('', 's', 't'), checkId: fc.constantFrom('', 's', 't') })
  .map((args) => (world, n) => world.propose(catalogDeregister, { ...args, node: n(args.node) }))

/** IDs of what is on, or for, something hidden are hidden as well. */
function idOf(name: string, at: number): string {
  const digit = name.startsWith('hid') ? (name.endsWith('1') ? '8' : '9') : '7'
  return `00000000-0000-0000-0000-${digit.repeat(11)}${at}`
}

const plainSession = { name: '', checks: [], behaviour: 'release' as const, lockDelayNs: 0, ttl: '', ttlMs: 0 }

/** Begins or ends one of the two sessions of a node. */
export function sessionOf(node: string, at: number, ends = false): Operation {
  return (world, n) =>
    ends
      ? world.propose(sessionDestroy, { ids: [idOf(n(node), at)] })
      : world.propose(sessionCreate, {
          ...plainSession,
          id: idOf(n(node), at),
          node: n(node),
        })
}

const session: fc.Arbitrary<Operation> = fc
  .record({ node, at: fc.nat(1), ends: fc.boolean() })
  .map(({ node, at, ends }) => sessionOf(node, at, ends))

/** One of the two intentions, which an update may give another destination. */
export function intentionFor(destination: string, at: number, how: 'create' | 'update' | 'delete'): Operation {
  return (world, n) => {
    const id = idOf('any', at)
    const content = {
      description: '',
      source: { namespace: 'default', name: `from-${at}` },
      destination: { namespace: 'default', name: n(destination) },
      action: 'allow' as const,
      meta: [],
      defaultAddress: '',
      defaultPort: 0,
    }
    if (how === 'delete') return world.propose(intentionDelete, { id, seenFor: null })
    if (how === 'update') return world.propose(intentionUpdate, { id, ...content, updatedMs: 1, seenFor: null })
    return world.propose(intentionCreate, { id, ...content, createdMs: 1 })
  }
}

const intention: fc.Arbitrary<Operation> = fc
  .record({ destination: service, at: fc.nat(1), how: fc.constantFrom('create', 'update', 'delete') })
  .map(({ destination, at, how }) => intentionFor(destination, at, how))

const plainWanted = {
  failover: { nearestN: 0, datacenters: null },
  onlyPassing: true,
  ignoreCheckIds: null,
  near: '',
  tags: null,
  nodeMeta: null,
  connect: false,
}

const query: fc.Arbitrary<Operation> = fc
  .record({
    name: service,
    of: fc.constantFrom('web', 'web-2'),
    at: fc.nat(1),
    how: fc.constantFrom('create', 'update', 'delete'),
  })
  .map(({ name, of, at, how }) => (world, n) => {
    const id = idOf('any', at)
    const definition = {
      id,
      name: n(name),
      session: '',
      token: '',
      template: { type: '', regexp: '', removeEmptyTags: false },
      service: { ...plainWanted, service: n(of) },
      dns: { ttl: '' },
    }
    if (how === 'delete') return world.propose(queryDelete, { id })
    return world.propose(how === 'create' ? queryCreate : queryUpdate, definition)
  })

const movement: fc.Arbitrary<Operation> = fc.record({ node, at: fc.nat(3) }).map(({ node, at }) => (world, n) => {
  const coordinate = { vec: [at, 0, 0, 0, 0, 0, 0, 0], error: 1, adjustment: 0, height: 0.001 }
  return world.propose(coordinateBatch, { updates: [{ node: n(node), segment: '', coordinate }] })
})

const change: fc.Arbitrary<Operation> = fc.oneof(
  fc.constantFrom(...rules).map(
    (text): Operation =>
      (world) =>
        world.policy(text),
  ),
  fc.constant<Operation>((world) => world.propose(policyDelete, { id: policyId })),
  fc.boolean().map(
    (linked): Operation =>
      (world) =>
        world.link(linked),
  ),
)

function many(...operation: readonly fc.Arbitrary<Operation>[]): fc.Arbitrary<Operation[]> {
  return fc.array(fc.oneof(...operation), { minLength: 8, maxLength: 30, size: 'max' })
}

export const ofKeys = many(keyWrite, keyWrite, keyWrite, change)
export const ofCatalog = many(registration, registration, registration, deregistration, change)
export const ofAll = many(
  ...[registration, registration, registration, deregistration, deregistration, keyWrite, keyWrite],
  ...[session, session, intention, query, movement, change],
)

const policyId = '11111111-1111-1111-1111-111111111111'
const accessor = '22222222-2222-2222-2222-222222222222'
const stale: ReadOptions = { consistency: 'stale', minIndex: noChange, waitMs: 0, maxStaleMs: 0, datacenter: '' }

/** What a read told: the answer, or the kind of its failure. */
export interface Told {
  readonly index: number
  readonly value: string
}

/** One server with access control on, and what its reader is told. */
export class World {
  readonly #rename: Rename
  readonly #server: LoneServer
  readonly #dispatch: Dispatch
  readonly #clock = new HandClock()

  /** `endpoints`: of the program, or some with a bug. */
  constructor(rename: Rename, endpoints: readonly EndpointDefinition[]) {
    this.#rename = rename
    const env = { ...this.#clock.env, log: { write: () => {}, enabled: () => false } } as unknown as Env
    this.#server = new LoneServer(env)
    const { state, context } = this.#server
    const tokens = new StateTokens({
      env,
      state: { live: state.store.live, watch: context.watch },
      authorizers: new Authorizers({ env, defaultPolicy: 'deny', keyListPolicy: false, enforces: undefined }),
      datacenter: 'dc1',
      standing: { now: () => 'current', settled: async () => {}, ageMs: () => 0 },
    })
    this.#dispatch = new Dispatch(context, state.store, endpoints, {}, new Gate(env, tokens))
  }

  get index(): number {
    return this.#server.index
  }

  propose: LoneServer['context']['propose'] = (command, body) => this.#server.context.propose(command, body)

  async begin(): Promise<void> {
    await this.policy(rules[1] ?? '')
    const policies = [{ id: policyId, name: '' }]
    await this.propose(tokenCreate, {
      accessor,
      secret: 'reader',
      createdMs: 0,
      description: '',
      local: false,
      policies,
    })
  }

  async policy(text: string): Promise<void> {
    const policy = { id: policyId, name: 'p', description: '', rules: text, datacenters: [] }
    const set = await this.propose(policySet, { policy, isNew: false })
    if (set.ok && 'refusal' in set.value) await this.propose(policySet, { policy, isNew: true })
  }

  link(linked: boolean) {
    const policies = linked ? [{ id: policyId, name: '' }] : []
    return this.propose(tokenUpdate, { accessor, description: '', local: false, policies })
  }

  async carryOut(operation: Operation): Promise<void> {
    await operation(this, this.#rename)
    await settled()
    // The reads that are woken in later turns.
    await this.#clock.advance(0)
  }

  async ask(method: string, args: unknown, minIndex = 0): Promise<Told> {
    const read = { ...stale, minIndex: modifyIndexOf(minIndex), waitMs: minIndex === 0 ? 0 : 600_000 }
    const result = await this.#dispatch.serve(method, { args, token: 'reader', read }, {})
    if (!result.ok) return { index: 0, value: result.error.kind }
    const { value, meta } = result.value as Answer<unknown>
    return { index: meta.index, value: JSON.stringify(value, plain) }
  }
}

export const allEndpoints: readonly EndpointDefinition[] = features.flatMap((feature) => feature.endpoints ?? [])

function plain(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value instanceof Uint8Array ? [...value] : value
}

/**
 * Every read that waits, or whose answer goes out with an index, asked for what is in sight, hidden, and never there.
 */
export const questions: readonly (readonly [string, unknown])[] = [
  ...['', 'pub', 'sec1', 'tec2', 's', 'none'].flatMap((prefix): [string, unknown][] => [
    ['KV.List', { prefix }],
    ['KV.Keys', { prefix, separator: '' }],
    ['KV.Keys', { prefix, separator: '/' }],
    ['KV.Keys', { prefix, separator: 'e' }],
  ]),
  ['KV.Get', { key: 'pub/a' }],
  ['Catalog.ListNodes', {}],
  ['Catalog.ListNodes', { nodeMeta: [['rack', '1']] }],
  ['Catalog.ListNodes', { near: 'vis1' }],
  ['Catalog.ListServices', {}],
  ['Catalog.ListInstances', {}],
  ['Catalog.ListInstances', { nodeMeta: [['rack', '1']] }],
  ['Catalog.ListServices', { nodeMeta: [['rack', '1']] }],
  ...['web', 'web-2', 'hid1', 'none'].flatMap((name): [string, unknown][] => [
    ['Catalog.ServiceNodes', { service: name }],
    ['Catalog.ServiceNodes', { service: name, ...tagsSent(['v1']), nodeMeta: [['rack', '1']] }],
    ['Catalog.ServiceNodes', { service: name, connect: true }],
    ['Health.ServiceNodes', { service: name, connect: false }],
    ['Health.ServiceNodes', { service: name, connect: true }],
    ['Health.ServiceNodes', { service: name, connect: false, near: 'vis1' }],
    ['Health.ServiceChecks', { service: name }],
    ['Health.ServiceChecks', { service: name, nodeMeta: [['rack', '1']] }],
    ['Intention.Match', { by: 'destination', places: [{ namespace: 'default', name }] }],
    ['PreparedQuery.ExecuteRemote', { service: { ...plainWanted, service: name }, connect: false }],
  ]),
  ...['vis1', 'hid1', 'none', '11111111', '33333333', '55555555'].flatMap((name): [string, unknown][] => [
    ['Catalog.NodeServices', { node: name }],
    ['Internal.NodeDump', { node: name }],
    ['Internal.NodeOverview', { node: name }],
    ['Health.NodeChecks', { node: name }],
    ['Session.NodeSessions', { node: name }],
    ['Coordinate.Node', { node: name }],
  ]),
  ['Health.ChecksInState', { state: 'any' }],
  ['Health.ChecksInState', { state: 'critical' }],
  ['Health.ChecksInState', { state: 'passing', nodeMeta: [['rack', '1']] }],
  ['Internal.Overview', {}],
  ['Session.List', {}],
  ['Session.Get', { id: idOf('vis1', 0) }],
  ['Session.Get', { id: idOf('hid1', 0) }],
  ['Coordinate.ListNodes', { segment: '' }],
  ['Intention.List', {}],
  ['Intention.Get', { id: idOf('any', 0) }],
  ['PreparedQuery.Get', { id: idOf('any', 0) }],
  ['PreparedQuery.List', {}],
  ['PreparedQuery.Execute', { idOrName: 'web', segment: '', connect: false, origin: null }],
]
