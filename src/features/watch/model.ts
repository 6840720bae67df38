import { err, ok, type Result } from '../../base/result.ts'
import { type ProductNames, variableNames } from '../../model/naming/names.ts'

/** The index, under each environment variable in which a handler may look for it. */
export function indexVariables(names: ProductNames, index: string): ReadonlyMap<string, string> {
  return new Map(variableNames(names, 'INDEX').map((name) => [name, index]))
}

/** The subject of a watch, from flags or configuration keys. Reference: command-line.md#command-watch. */
export interface WatchSubject {
  readonly type: string
  readonly key?: string | undefined
  readonly prefix?: string | undefined
  readonly service?: string | undefined
  readonly tag?: string | undefined
  readonly passingOnly?: boolean | undefined
  readonly state?: string | undefined
  readonly name?: string | undefined
  readonly filter?: string | undefined
  readonly serviceId?: string | undefined
  readonly proxyServiceId?: string | undefined
}

/** A read of the HTTP API to be repeated. */
export interface WatchPlan {
  /** Path and parameters, without index and wait. */
  readonly path: string
  readonly query: readonly (readonly [name: string, value: string])[]
  /** 404 means that there is nothing, which is a valid answer. */
  readonly mayBeAbsent: boolean
  /**
   * `state`: the present state, with ordered indexes. `first`: the same for a list of one item. `news`: a list whose
   * last items are new; its index has no order.
   */
  readonly shows: 'state' | 'first' | 'news'
  /** Identifies an answer for a waiting caller: by its index, or by a hash of its content. */
  readonly waitsBy: 'index' | 'hash'
}

/**
 * Types only for programs that run beside the agent: a leaf comes with its private key, which must not be shown on a
 * terminal. Reference: command-line.md#command-watch.
 */
export const agentOnlyTypes: ReadonlySet<string> = new Set([
  'connect_roots',
  'connect_leaf',
  'connect_proxy_config',
  'agent_service',
])

type Members = Readonly<Partial<Record<Exclude<keyof WatchSubject, 'type'>, string>>>

interface WatchType {
  readonly takes: readonly (keyof Members)[]
  plan(given: Members): Result<WatchPlan, string>
}

const types: Readonly<Record<string, WatchType>> = {
  key: {
    takes: ['key'],
    plan: ({ key }) => {
      if (key === undefined) return err('Must specify a single key to watch')
      return ok({ path: keyPath(key), query: [], mayBeAbsent: true, shows: 'first', waitsBy: 'index' })
    },
  },
  keyprefix: {
    takes: ['prefix'],
    plan: ({ prefix }) => {
      if (prefix === undefined) return err('Must specify a single prefix to watch')
      const query = [['recurse', '']] as const
      return ok({ path: keyPath(prefix), query, mayBeAbsent: true, shows: 'state', waitsBy: 'index' })
    },
  },
  services: { takes: [], plan: () => state('/v1/catalog/services') },
  nodes: { takes: ['filter'], plan: ({ filter }) => state('/v1/catalog/nodes', filtered(filter)) },
  service: {
    takes: ['service', 'tag', 'passingOnly', 'filter'],
    plan: ({ service, tag, passingOnly, filter }) => {
      if (service === undefined) return err('Must specify a single service to watch')
      const query = [
        ...(tag === undefined ? [] : [['tag', tag] as const]),
        ...(passingOnly === undefined ? [] : [['passing', ''] as const]),
        ...filtered(filter),
      ]
      return state(`/v1/health/service/${pathText(service)}`, query)
    },
  },
  checks: {
    takes: ['service', 'state', 'filter'],
    plan: ({ service, state: wanted, filter }) => {
      if (service !== undefined && wanted !== undefined) return err('Cannot specify service and state')
      if (service !== undefined) return state(`/v1/health/checks/${pathText(service)}`, filtered(filter))
      return state(`/v1/health/state/${pathText(wanted ?? 'any')}`, filtered(filter))
    },
  },
  connect_roots: { takes: [], plan: () => state('/v1/agent/connect/ca/roots') },
  connect_leaf: {
    takes: ['service'],
    plan: ({ service }) => {
      if (service === undefined) return err('Must specify a single service to watch')
      return state(`/v1/agent/connect/ca/leaf/${pathText(service)}`)
    },
  },
  connect_proxy_config: {
    takes: ['proxyServiceId'],
    plan: ({ proxyServiceId }) => {
      if (proxyServiceId === undefined) return err('Must specify a single proxy service ID to watch')
      return ofThisAgent(`/v1/agent/connect/proxy/${pathText(proxyServiceId)}`)
    },
  },
  agent_service: {
    takes: ['serviceId'],
    plan: ({ serviceId }) => {
      if (serviceId === undefined) return err('Must specify a single service ID to watch')
      return ofThisAgent(`/v1/agent/service/${pathText(serviceId)}`)
    },
  },
  event: {
    takes: ['name'],
    plan: ({ name }) => {
      const query = name === undefined ? [] : [['name', name] as const]
      return ok({ path: '/v1/event/list', query, mayBeAbsent: false, shows: 'news', waitsBy: 'index' })
    },
  },
}

/** The error is the field's line. */
export function watchPlan(subject: WatchSubject): Result<WatchPlan, string> {
  if (subject.type === '') return err('Watch type must be specified')
  const type = Object.hasOwn(types, subject.type) ? types[subject.type] : undefined
  if (type === undefined) return err(`Unsupported watch type: ${subject.type}`)
  const { type: _, passingOnly, ...texts } = subject
  const given = Object.entries({ ...texts, passingOnly: passingOnly === true ? 'true' : undefined })
  const members = new Map(given.filter((pair): pair is [string, string] => pair[1] !== undefined && pair[1] !== ''))
  const surplus = [...members.keys()].filter((name) => !type.takes.some((taken) => taken === name))
  if (surplus.length > 0) return err(`Invalid parameters: [${surplus.map(nameOf).join(' ')}]`)
  return type.plan(Object.fromEntries(members))
}

/** The name in files and flags. */
function nameOf(member: string): string {
  if (member === 'serviceId') return 'service_id'
  return member === 'proxyServiceId' ? 'proxy_service_id' : member.toLowerCase()
}

function ofThisAgent(path: string): Result<WatchPlan, string> {
  return ok({ path, query: [], mayBeAbsent: false, shows: 'state', waitsBy: 'hash' })
}

function filtered(filter: string | undefined): WatchPlan['query'] {
  return filter === undefined ? [] : [['filter', filter]]
}

function state(path: string, query: WatchPlan['query'] = []): Result<WatchPlan, string> {
  return ok({ path, query, mayBeAbsent: false, shows: 'state', waitsBy: 'index' })
}

/** The path of a key or prefix. No key begins with a slash; one that is written is left out, as in the field. */
function keyPath(key: string): string {
  return `/v1/kv/${pathText(key.startsWith('/') ? key.slice(1) : key)}`
}

function pathText(text: string): string {
  return text.split('/').map(encodeURIComponent).join('/')
}
