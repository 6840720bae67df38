import { z } from 'zod'
import { executedTruth } from '../../checkers/reads/executed-truth.ts'
import { nameTruth } from '../../checkers/reads/name-truth.ts'
import { readTruth } from '../../checkers/reads/read-truth.ts'
import { settingsTold } from '../../checkers/reads/settings-told.ts'
import { calledName, knowsOf } from '../../cluster/group-facts.ts'
import { dnsEndpoint, httpEndpoint } from '../../cluster/node-identity.ts'
import { durationRange, selector } from '../../notation/fields.ts'
import type { Draws } from '../../world/decisions/draws.ts'
import { type Place, type WorkloadRun, workloadKind } from '../kind.ts'
import { Comparers, type ComparerWorld } from './comparers.ts'
import { heldIn } from './held-service.ts'
import { drawnHttp, httpQuestion } from './http-questions.ts'
import { drawnName, type NamePlace, nameQuestion } from './name-questions.ts'
import { type EditorWorld, QueryEditors } from './query-editors.ts'
import { queryQuestion } from './query-questions.ts'
import type { AskedAt, Question } from './question.ts'

/** An agent that has been in contact with its leader for this long must answer. */
const settledUs = 10_000_000

const comparer = z.strictObject({
  at: selector.describe(
    'The agents to which they send; one is chosen for each request. Requests to agents of other datacenters have ?dc=.',
  ),
  service: z.string().min(1).describe('The service; its name must be a DNS label.'),
  clients: z.int().min(1).max(100).default(4).describe('Number of clients; each sends one request at a time.'),
  datacenter: z.string().optional().describe('The datacenter of the service; the first if absent.'),
  tags: z.array(z.string()).default([]).describe('Tags to ask with.'),
  'node meta': z
    .array(z.string().regex(/^[^:]+:.*$/, 'write key:value'))
    .default([])
    .describe('Pairs of node metadata for requests: zone:north.'),
  queries: z
    .boolean()
    .default(false)
    .describe('Whether prepared queries for the service are defined, changed and deleted, and executed.'),
  every: durationRange.default({ min: 100, max: 500 }).describe('Pause between an answer and the next request.'),
})

export const comparers = workloadKind({
  names: [/^[a-z][a-z0-9 -]*$/, 'comparers are named with small letters'],
  group: comparer,
  text: 'Clients that request a service from any agent in every way, and compare each answer with what the agents hold.',
  isLast: true,
  judgedBy: 'contact',
  crews: [
    {
      machine: 'comparers',
      open: (group, { name, env, host, run }) => {
        const { clients, every: everyMs } = group
        return new Comparers(env, host, { clients, everyMs }, worldOf({ name, run }, group))
      },
    },
    {
      machine: 'query-editor',
      isWanted: ({ queries }) => queries,
      open: (group, { name, env, run }) => new QueryEditors(env, editorWorld({ name, run }, group)),
    },
  ],
})

function worldOf({ name, run }: Pick<Place, 'name' | 'run'>, group: z.output<typeof comparer>): ComparerWorld {
  const { cluster, simulation } = run
  const datacenter = group.datacenter ?? cluster.datacenterNames[0] ?? ''
  const checks = run.checksOf(datacenter)
  let names = 0
  const truths = { E7: checks.of(readTruth), N1: checks.of(nameTruth), Q2: checks.of(executedTruth) }
  return {
    draws: (nth) => simulation.decisions.draws('comparers', name, nth),
    question: (draws) => {
      const at = agentIn(run, draws, group, datacenter)
      return at === undefined ? undefined : drawn(run, draws, at, { ...group, datacenter }, () => names++)
    },
    changed: (law) => truths[law].changed(),
    compared: (law, what, fault) => truths[law].compared(what, fault),
  }
}

function drawn(
  run: WorkloadRun,
  draws: Draws,
  at: AskedAt,
  { service, datacenter, tags, 'node meta': nodeMeta, queries }: z.output<typeof comparer> & { datacenter: string },
  nextTurn: () => number,
): Question | undefined {
  const { cluster } = run
  const look = () => heldIn(run, datacenter, service)
  const nodes = cluster.nodeNames.filter((node) => cluster.datacenterOf(node) === datacenter)
  const identity = cluster.identityOf(at.name)
  const asking = { service, tags, nodeMeta }
  if (queries && draws.below(3) === 0) return drawnQuery(run, draws, at, { service, datacenter, tags, nodes })
  if (draws.below(2) === 0) {
    const place = namePlace(run, draws, at)
    if (place === undefined) return undefined
    const asked = drawnName(draws, asking, place, { nodes, look, turn: nextTurn() })
    return nameQuestion({ ...place, asked, to: dnsEndpoint(identity) }, look)
  }
  const drawn = drawnHttp(draws, asking, at, nodes)
  const to = httpEndpoint(identity)
  return drawn === undefined ? undefined : httpQuestion({ service, ...drawn, at, to }, () => look()?.instances)
}

/**
 * An agent with recursors is half the time asked for names that it passes on, if its first recursor is an agent of the
 * service's datacenter.
 */
function namePlace(run: WorkloadRun, draws: Draws, at: AskedAt): NamePlace | undefined {
  const { cluster } = run
  const settingsOf = (name: string) => run.checksOf(cluster.datacenterOf(name)).of(settingsTold).dnsOf(name)
  const settings = settingsOf(at.name)
  if (settings === undefined) return undefined
  const [recursor] = settings.recursors
  const other = cluster.nodeNames.find((name) => cluster.identityOf(name).host === recursor?.host)
  const isThere = other !== undefined && calledName(cluster, cluster.datacenterOf(other)) === at.of
  const relayed = isThere && draws.below(2) === 0 ? settingsOf(other) : undefined
  const domains = relayed?.domains.filter((domain) => !settings.domains.includes(domain)) ?? []
  if (other === undefined || relayed === undefined || domains.length === 0)
    return { at, settings, domains: settings.domains, isRelayed: false }
  const asked = { name: at.name, of: at.of, mustAnswer: hasLongContact(run, other) }
  return { at: asked, settings: relayed, domains, isRelayed: true }
}

function drawnQuery(
  run: WorkloadRun,
  draws: Draws,
  at: AskedAt,
  {
    service,
    datacenter,
    tags,
    nodes,
  }: { service: string; datacenter: string } & Record<'tags' | 'nodes', readonly string[]>,
): Question | undefined {
  const { cluster } = run
  const identity = cluster.identityOf(at.name)
  const settings = run.checksOf(cluster.datacenterOf(at.name)).of(settingsTold).dnsOf(at.name)
  if (settings === undefined) return undefined
  const { book } = run.checksOf(datacenter).of(executedTruth)
  const look = () => {
    const held = new Map(cluster.datacenterNames.map((each) => [calledName(cluster, each), heldIn(run, each, service)]))
    if ([...held.values()].includes(undefined)) return undefined
    const others = [...held.keys()].filter((each) => each !== at.of)
    return { others, held: (each: string) => held.get(each)?.instances ?? [] }
  }
  const places = { book, at, http: httpEndpoint(identity), dns: dnsEndpoint(identity), settings }
  return queryQuestion(draws, { ...places, service, tags, nodes, look })
}

/** Time between two changes of a prepared query. */
const editEveryMs = { min: 1_000, max: 4_000 }

function editorWorld({ name, run }: Pick<Place, 'name' | 'run'>, group: z.output<typeof comparer>): EditorWorld {
  const { cluster, simulation } = run
  const datacenter = group.datacenter ?? cluster.datacenterNames[0] ?? ''
  const isHere = (node: string): boolean => cluster.datacenterOf(node) === datacenter
  return {
    draws: (nth) => simulation.decisions.draws('query editors', name, nth),
    endpoint: (draws) => {
      const asked = run.select(group.at).filter((node) => isHere(node) && cluster.isRunning(node))
      const node = draws.oneOf(asked, (each) => each)
      return node === undefined ? undefined : httpEndpoint(cluster.identityOf(node))
    },
    book: run.checksOf(datacenter).of(executedTruth).book,
    asking: { service: group.service, tags: group.tags, nodeMeta: group['node meta'] },
    nodes: cluster.nodeNames.filter(isHere),
    others: ['nowhere', ...cluster.datacenterNames.filter((each) => each !== datacenter)],
    everyMs: editEveryMs,
  }
}

function agentIn(
  run: WorkloadRun,
  draws: Draws,
  group: Pick<z.output<typeof comparer>, 'at'>,
  datacenter: string,
): AskedAt | undefined {
  const { cluster } = run
  const asked = run.select(group.at).filter((node) => cluster.isRunning(node) && knowsOf(cluster, node, datacenter))
  const name = draws.oneOf(asked, (each) => each)
  if (name === undefined) return undefined
  const of = calledName(cluster, datacenter)
  if (cluster.datacenterOf(name) !== datacenter) return { name, datacenter: of, of, mustAnswer: false }
  return { name, of, mustAnswer: hasLongContact(run, name) }
}

function hasLongContact(run: WorkloadRun, agent: string): boolean {
  const sinceUs = run.contactSinceUs(agent)
  return sinceUs !== undefined && run.simulation.nowUs - sinceUs >= settledUs
}
