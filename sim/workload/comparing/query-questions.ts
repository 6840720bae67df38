import type { Env } from '../../../src/env/env.ts'
import type { Endpoint } from '../../../src/env/net.ts'
import {
  type ExecutedAt,
  executed,
  executionFault,
  orderFault,
  type ToldExecution,
} from '../../checkers/reads/executed-truth.ts'
import { aliasIn } from '../../checkers/reads/name-records.ts'
import { type NameSettings, sectionsOf, ttlOf } from '../../checkers/reads/name-sections.ts'
import { nameFault } from '../../checkers/reads/name-truth.ts'
import type { DefinedQuery, QueryBook } from '../../checkers/reads/query-book.ts'
import type { Draws } from '../../world/decisions/draws.ts'
import { askDns } from '../dns-client.ts'
import { type HealthRow, healthRowText } from './http-answers.ts'
import { jsonAt } from './http-questions.ts'
import { nameIn } from './name-questions.ts'
import { queryNames, templateNames } from './query-editors.ts'
import { type AskedAt, answerWithinMs, type Question, type Verdict } from './question.ts'

export interface QueryPlaces {
  readonly book: QueryBook
  readonly at: AskedAt
  readonly http: Endpoint
  readonly dns: Endpoint
  readonly settings: NameSettings
  readonly service: string
  readonly tags: readonly string[]
  readonly nodes: readonly string[]
  /** The existing instances; undefined: not all of them are known. */
  look(): Pick<ExecutedAt, 'others' | 'held'> | undefined
}

/** Executes or explains a prepared query, over HTTP or DNS, and compares: Q2. */
export function queryQuestion(draws: Draws, places: QueryPlaces): Question {
  const name = drawnName(draws, places)
  switch (draws.below(6)) {
    case 0:
      return explaining(name, places)
    case 1:
    case 2:
      return overDns(name, draws, places)
    default:
      return executing(name, draws, places)
  }
}

function drawnName(draws: Draws, { service, tags }: QueryPlaces): string {
  const tag = tags[draws.below(Math.max(1, tags.length))] ?? ''
  if (draws.below(3) === 0) return `${templateNames[0]}${service}${['', '-', `-${tag}`][draws.below(3)]}`
  if (draws.below(12) === 0) return 'nobody'
  if (draws.below(8) === 0) return `${service}${tag === '' ? '' : `-${tag}`}`
  return queryNames[draws.below(queryNames.length)] ?? ''
}

function question(
  text: string,
  { book, at, service, look }: QueryPlaces,
  name: string,
  judge: (env: Env, host: string, found: ExecutedAt, query: DefinedQuery | undefined) => Promise<Verdict | undefined>,
): Question {
  const world = (): ExecutedAt | undefined => {
    const now = look()
    return now === undefined
      ? undefined
      : { ...now, agent: at.name, service, isHere: at.datacenter === undefined, datacenter: at.of }
  }
  return {
    law: 'Q2',
    text: `${text} at ${at.name}`,
    basis: () => {
      const now = world()
      const meant = book.meant(name)
      if (now === undefined || meant === 'unsure') return undefined
      const held = [now.datacenter, ...now.others].map((datacenter) => now.held(datacenter))
      return JSON.stringify([meant ?? '', now.others, held])
    },
    ask: async (env, host) => {
      const now = world()
      const meant = book.meant(name)
      if (now === undefined || meant === 'unsure') return undefined
      return judge(env, host, now, meant?.query)
    },
  }
}

function executing(name: string, draws: Draws, places: QueryPlaces): Question {
  const { at, http, book } = places
  const entry = book.entry(name)
  const byId = entry !== undefined && typeof entry !== 'string' && draws.below(4) === 0
  const limit = draws.below(4) === 0 ? 1 + draws.below(2) : 0
  const proxied = draws.below(2) === 0 ? (draws.oneOf(places.nodes, (node) => node) ?? '') : ''
  const near =
    [proxied === '' ? (draws.oneOf(places.nodes, (node) => node) ?? '') : '_ip', '', ''][draws.below(3)] ?? ''
  const how = [undefined, undefined, 'cached', 'stale'][draws.below(4)]
  const parameters = [
    ...(limit > 0 ? [`limit=${limit}`] : []),
    ...(near === '' ? [] : [`near=${near}`]),
    ...(how === undefined ? [] : [how]),
    ...(at.datacenter === undefined ? [] : [`dc=${at.datacenter}`]),
  ]
  const target = `/v1/query/${byId ? entry.id : name}/execute${parameters.length === 0 ? '' : `?${parameters.join('&')}`}`
  const by = proxied === '' ? '' : `, by way of ${proxied}`
  return question(`${target} (${name}${by})`, places, name, async (env, _host, world, query) => {
    const caller = addressAt(world, proxied)
    const body = await jsonAt(env, http, target, caller === '' ? [] : [['X-Forwarded-For', `${caller}, 10.0.0.1`]])
    if (typeof body === 'string') return missing(body, query, at)
    if (query === undefined) return { fault: 'is answered, and there is no such query' }
    const [expected, told] = [executed(query, world, near, caller), toldExecution(body.json)]
    const fault = executionFault(query, expected, told, limit) ?? contactFault(body)
    return fault === undefined ? { fault: orderFault(expected, told), isFinal: true } : { fault }
  })
}

/** The address of a node that has an instance; empty: it has none. */
function addressAt({ held, datacenter }: ExecutedAt, node: string): string {
  return held(datacenter).find((each) => each.node.name === node)?.node.address ?? ''
}

/** The body has the last contact in nanoseconds, and a header has the same in milliseconds. */
function contactFault({ json, headers }: Exclude<Awaited<ReturnType<typeof jsonAt>>, string>): string | undefined {
  const { LastContact } = json as { readonly LastContact: number }
  const header = headers.get('x-svc-lastcontact')
  if (header === undefined || Math.trunc(LastContact / 1e6) === Number(header)) return undefined
  return `has a last contact of ${LastContact} ns, and ${header} ms in its header`
}

/** The verdict on an answer without a result. */
function missing(answer: string, query: DefinedQuery | undefined, at: AskedAt): Verdict | undefined {
  if (answer.startsWith('404') && query === undefined) return { fault: undefined }
  if (!at.mustAnswer && !answer.startsWith('404')) return undefined
  return { fault: `is answered with ${answer}, and ${query === undefined ? 'no such query is' : 'it is'} defined` }
}

function toldExecution(json: unknown): ToldExecution {
  const { Service, DNS, Datacenter, Failovers, Nodes } = json as {
    readonly Service: string
    readonly DNS: { readonly TTL: string }
    readonly Datacenter: string
    readonly Failovers: number
    readonly Nodes: readonly HealthRow[]
  }
  // An executed query shows the node's address with the node, whatever the instance's address is.
  const found = Nodes.map(({ Node, Service: instance, Checks }) => healthRowText({ Node, Service: instance, Checks }))
  const nodes = Nodes.map(({ Node }) => Node.Node)
  return { service: Service, ttl: DNS.TTL, datacenter: Datacenter, failovers: Failovers, nodes, found }
}

function explaining(name: string, places: QueryPlaces): Question {
  const { at, http } = places
  const target = `/v1/query/${name}/explain${at.datacenter === undefined ? '' : `?dc=${at.datacenter}`}`
  return question(target, places, name, async (env, _host, _world, query) => {
    const body = await jsonAt(env, http, target)
    if (typeof body === 'string') return missing(body, query, at)
    if (query === undefined) return { fault: 'is answered, and there is no such query' }
    const { Service: told } = (body.json as { readonly Query: { readonly Service: ExplainedService } }).Query
    const said = [
      told.Service,
      told.Near,
      told.OnlyPassing,
      told.Connect,
      told.Tags ?? [],
      told.Failover,
      ...filtersIn(told),
    ]
    const failover = { NearestN: query.nearestN, Datacenters: query.datacenters }
    const meant = [
      query.service,
      query.near,
      query.onlyPassing,
      query.connect,
      query.tags,
      failover,
      query.ignoredChecks,
      query.nodeMeta,
    ]
    const [one, other] = [JSON.stringify(said), JSON.stringify(meant)]
    return { fault: one === other ? undefined : `explains ${one}, and ${other} was defined` }
  })
}

function filtersIn({ IgnoreCheckIDs, NodeMeta }: ExplainedService): readonly unknown[] {
  return [IgnoreCheckIDs ?? [], Object.entries(NodeMeta ?? {})]
}

interface ExplainedService {
  readonly Service: string
  readonly Near: string
  readonly OnlyPassing: boolean
  readonly Connect: boolean
  readonly Tags: readonly string[] | null
  readonly IgnoreCheckIDs: readonly string[] | null
  readonly NodeMeta: Readonly<Record<string, string>> | null
  readonly Failover: { readonly NearestN: number; readonly Datacenters: readonly string[] | null }
}

function overDns(label: string, draws: Draws, places: QueryPlaces): Question {
  const { at, dns, settings } = places
  const type = (['A', 'AAAA', 'SRV', 'TXT', 'ANY'] as const)[draws.below(5)] ?? 'A'
  const over = draws.below(2) === 0 ? 'tcp' : 'udp'
  const udpSize = draws.below(2) === 0 ? 4_096 : undefined
  const domain = settings.domains[0] ?? ''
  const name = nameIn(`${label}.query`, at, draws, domain)
  return question(`${name} ${type} over ${over.toUpperCase()}`, places, label, async (env, host, world, query) => {
    const told = await askDns(env, host, dns, { name, type, over, udpSize, timeoutMs: answerWithinMs })
    if (typeof told === 'string') return at.mustAnswer ? { fault: `is not answered: ${told}` } : undefined
    if (told.rcode === 'SERVFAIL' && !at.mustAnswer) return undefined
    const { found, datacenter } = query === undefined ? { found: [], datacenter: '' } : executed(query, world)
    const ttlS = query?.ttlS || ttlOf(places.service, settings)
    const thing = { kind: 'query', found, ttlS } as const
    const alias = aliasIn(told.answers)
    const asked = { name, domain, type, over, udpSize, thing, datacenter, isRelayed: false, alias } as const
    return { fault: nameFault(sectionsOf([], [], asked, settings), asked, settings, told) }
  })
}
