import type { ReceivedResponse } from '../../src/dns-wire/question.ts'
import { allInstances, healthWord, instanceWord, nodeWord, placeWord } from '../checkers/reads/service-versions.ts'
import type { TimelyAnswer, TimelyList, WantedFreshness } from '../checkers/reads/timely-facts.ts'
import type { Draws } from '../world/decisions/draws.ts'

/** One question about a service while it changes, or about all nodes. */
export interface TimelyQuestion extends Pick<TimelyAnswer, 'of' | 'how' | 'near'> {
  /** Requested freshness of a cached answer. */
  readonly wanted: WantedFreshness | undefined
}

const none: WantedFreshness = { mustRevalidate: false, maxAgeS: undefined, staleIfErrorS: undefined }
const freshness: readonly WantedFreshness[] = [
  none,
  none,
  { ...none, mustRevalidate: true },
  { ...none, maxAgeS: 0 },
  { ...none, maxAgeS: 2 },
  { ...none, maxAgeS: 1, staleIfErrorS: 3 },
  { ...none, mustRevalidate: true, staleIfErrorS: 600 },
]

const hows = ['cached', 'cached', 'default', 'consistent', 'stale'] as const
const lists: readonly TimelyList[] = ['instances', 'instances', 'health', 'health', 'nodes']

/** One question in this many executes a prepared query, if there is one. */
const foundOneIn = 3

interface Asking {
  /** The nodes that a question may name as near. */
  readonly nodes: readonly string[]
  /** Whether some questions ask for cached answers. */
  readonly cached: boolean
  /** Whether there is a prepared query for the service. */
  readonly isDefined: boolean
}

export function drawnTimely(draws: Draws, { nodes, cached, isDefined }: Asking): TimelyQuestion {
  const drawnHow = hows[draws.below(hows.length)] ?? 'default'
  const how = drawnHow === 'cached' && !cached ? 'default' : drawnHow
  const drawn = lists[draws.below(lists.length)] ?? 'instances'
  // The list of all nodes is never cached.
  const of = drawn === 'nodes' && how === 'cached' ? 'health' : drawn
  const isNear = how !== 'cached' && of !== 'nodes' && draws.below(2) === 0
  const near = isNear ? draws.oneOf(nodes, (node) => node) : undefined
  const wanted = how === 'cached' ? (freshness[draws.below(freshness.length)] ?? none) : undefined
  if (isDefined && draws.below(foundOneIn) === 0) return { of: 'found', how, near: undefined, wanted }
  return { of, how, near, wanted }
}

/** The name of the prepared query that finds a service. */
export function queryFor(service: string): string {
  return `find-${service}`
}

export function timelyTarget(service: string, { of, how, near }: TimelyQuestion): string {
  const paths = {
    instances: `/v1/catalog/service/${service}`,
    health: `/v1/health/service/${service}`,
    found: `/v1/query/${queryFor(service)}/execute`,
    nodes: '/v1/catalog/nodes',
  }
  const parameters = [...(how === 'default' ? [] : [how]), ...(near === undefined ? [] : [`near=${near}`])]
  return `${paths[of]}${parameters.length === 0 ? '' : `?${parameters.join('&')}`}`
}

export function controlOf({ mustRevalidate, maxAgeS, staleIfErrorS }: WantedFreshness): readonly [string, string][] {
  const said = [
    ...(mustRevalidate ? ['must-revalidate'] : []),
    ...(maxAgeS === undefined ? [] : [`max-age=${maxAgeS}`]),
    ...(staleIfErrorS === undefined ? [] : [`stale-if-error=${staleIfErrorS}`]),
  ]
  return said.length === 0 ? [] : [['Cache-Control', said.join(', ')]]
}

interface InstanceRow {
  readonly Node: string
  readonly ServiceID: string
  readonly ServicePort: number
  readonly ServiceTags: readonly string[]
}

interface HealthRow {
  readonly Node: { readonly Node: string }
  readonly Service: { readonly ID: string; readonly Port: number; readonly Tags: readonly string[] }
  readonly Checks: readonly { readonly CheckID: string; readonly Status: string }[]
}

interface NodeRow {
  readonly Node: string
  readonly Address: string
}

/** The content of an answer, in the form of `ServiceVersion`, and its nodes in order. */
export function listedIn(json: unknown, of: TimelyList): Pick<TimelyAnswer, 'told' | 'nodes'> {
  switch (of) {
    case 'instances': {
      const rows = json as readonly InstanceRow[]
      const words = rows.map((row) => instanceWord(row.Node, row.ServiceID, row.ServicePort, row.ServiceTags))
      return { told: allInstances(words), nodes: rows.map(({ Node }) => Node) }
    }
    case 'found':
      return healthIn((json as { readonly Nodes: readonly HealthRow[] }).Nodes)
    case 'health':
      return healthIn(json as readonly HealthRow[])
    case 'nodes': {
      const rows = json as readonly NodeRow[]
      return { told: allInstances(rows.map(({ Node, Address }) => nodeWord(Node, Address))), nodes: [] }
    }
  }
}

function healthIn(rows: readonly HealthRow[]): Pick<TimelyAnswer, 'told' | 'nodes'> {
  const words = rows.map(({ Node: { Node }, Service: { ID, Port, Tags }, Checks }) =>
    healthWord(
      instanceWord(Node, ID, Port, Tags),
      Checks.map(({ CheckID, Status }) => ({ id: CheckID, status: Status })),
    ),
  )
  return { told: allInstances(words), nodes: rows.map(({ Node }) => Node.Node) }
}

/** The last contact with a leader that a stale answer reports for its server; undefined: the server knows of none. */
export function contactIn(
  how: TimelyAnswer['how'],
  headers: { get(name: string): string | undefined },
): number | undefined {
  if (how !== 'stale' || headers.get('x-svc-knownleader') !== 'true') return undefined
  // Without the header, the answer claims to be new.
  return Number(headers.get('x-svc-lastcontact') ?? 0)
}

/** The index of an answer over HTTP; undefined: it has none. */
export function indexIn(headers: { get(name: string): string | undefined }): number | undefined {
  const index = headers.get('x-svc-index')
  return index === undefined ? undefined : Number(index)
}

/** Places of instances in a DNS answer; undefined: the agent cannot know them. */
export function offeredIn({ rcode, answers }: ReceivedResponse): string | undefined {
  if (rcode !== 'NOERROR' && rcode !== 'NXDOMAIN') return undefined
  const places = answers.flatMap((record) => (record.type === 'SRV' ? [placeWord(record.port)] : []))
  return allInstances(places)
}
