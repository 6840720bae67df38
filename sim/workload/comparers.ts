import { z } from 'zod'
import { textOf } from '../../src/base/bytes.ts'
import type { DnsRecord } from '../../src/dns-wire/message.ts'
import type { Env } from '../../src/env/env.ts'
import { telling } from '../checkers/registrations/owing.ts'
import { type AskedFor, type HeldInstance, inOrder, readTruth, toldOf } from '../checkers/registrations/read-truth.ts'
import { calledName, knowsOf } from '../cluster/group-facts.ts'
import { dnsEndpoint, httpEndpoint } from '../cluster/node-identity.ts'
import { durationRange, selector } from '../notation/fields.ts'
import type { Draws } from '../world/decisions/decisions.ts'
import { askDns } from './dns-client.ts'
import { type Place, type WorkloadRun, workloadKind } from './kind.ts'

/** What is held must have been so for this long: caches are refreshed, followers have caught up. */
const stableMs = 1_000
const answerWithinMs = 5_000
/** How often a question is asked that is not answered as it should be, while what is held stays as it is. */
const asksMax = 3

interface ComparerPlan {
  readonly name: string
  readonly service: string
  readonly clients: number
  readonly tags: readonly string[]
  readonly nodeMeta: readonly string[]
  readonly everyMs: { readonly min: number; readonly max: number }
}

/** What comparers know of the run, besides what they are told. */
export interface ComparerWorld {
  readonly draws: (nth: number) => Draws
  /** An agent to ask, and the datacenter to name if it is not its own. */
  readonly agent: (draws: Draws) => { readonly name: string; readonly datacenter?: string } | undefined
  /** Undefined: some agent has not told everything, or cannot. */
  readonly held: () => readonly HeldInstance[] | undefined
  /** Names, as `toldOf` has them; undefined: no answer. */
  readonly ask: (
    env: Env,
    host: string,
    agent: { readonly name: string; readonly datacenter?: string },
    asked: AskedFor,
  ) => Promise<string | undefined>
  readonly truth: { changed(): void; compared(what: string, expected: string, told: string): void }
}

/** Clients that ask any agent for a service in any way, and compare the answer with what the agents hold. */
export class Comparers {
  readonly #env: Env
  readonly #host: string
  readonly #plan: ComparerPlan
  readonly #world: ComparerWorld
  #round = 0
  #asked = 0

  constructor(env: Env, host: string, plan: ComparerPlan, world: ComparerWorld) {
    this.#env = env
    this.#host = host
    this.#plan = plan
    this.#world = world
  }

  start(): void {
    this.#round++
    for (let client = 0; client < this.#plan.clients; client++) this.#env.detach(this.#compareAll(this.#round))
  }

  stop(): void {
    this.#round++
  }

  async #compareAll(round: number): Promise<void> {
    while (this.#round === round) {
      const draws = this.#world.draws(++this.#asked)
      const { min, max } = this.#plan.everyMs
      await this.#pause(min + draws.fraction() * (max - min))
      if (this.#round === round) await this.#compare(draws, round)
    }
  }

  async #compare(draws: Draws, round: number): Promise<void> {
    const { held, agent, ask, truth } = this.#world
    const asked = this.#question(draws)
    const expected = (): string | undefined => {
      const now = held()
      return now === undefined ? undefined : `${toldOf(now, asked)}${JSON.stringify(now)}`
    }
    const before = expected()
    const node = agent(draws)
    // Nothing was asked, so nothing is left out.
    if (before === undefined || node === undefined) return
    let told: string | undefined
    for (let nth = 1; nth <= asksMax; nth++) {
      await this.#pause(stableMs)
      if (this.#round !== round) return
      if (expected() !== before) return
      told = await ask(this.#env, this.#host, node, asked)
      if (this.#round !== round) return
      if (expected() !== before || told === undefined) return truth.changed()
      if (told === toldOf(held() ?? [], asked)) break
    }
    const what = `${textOfAsked(this.#plan.service, asked, node.datacenter)} at ${node.name}`
    truth.compared(what, toldOf(held() ?? [], asked), told ?? '')
  }

  #question(draws: Draws): AskedFor {
    const { tags, nodeMeta } = this.#plan
    const face = (['health', 'health', 'catalog', 'dns'] as const)[draws.below(4)] ?? 'health'
    const tag = draws.below(3) === 0 ? tags[draws.below(Math.max(1, tags.length))] : undefined
    const ofTag = tag === undefined ? {} : { tag }
    if (face === 'dns') return { face, ...ofTag }
    const pair = draws.below(4) === 0 ? nodeMeta[draws.below(Math.max(1, nodeMeta.length))] : undefined
    const [key = '', value = ''] = pair?.split(':') ?? []
    const how = [undefined, undefined, 'near=_agent', 'cached', 'stale', 'consistent'][draws.below(6)]
    return {
      face,
      ...ofTag,
      ...(pair === undefined ? {} : { nodeMeta: [key, value] as const }),
      ...(how === undefined ? {} : { how }),
      ...(face === 'health' && draws.below(2) === 0 ? { passing: true } : {}),
    }
  }

  #pause(forMs: number): Promise<void> {
    const over = this.#env.deferred<void>()
    this.#env.timers.after(forMs, () => over.resolve())
    return over.promise
  }
}

/** The target of a request, or the name asked for over DNS. */
function textOfAsked(service: string, { face, passing, tag, nodeMeta, how }: AskedFor, datacenter?: string): string {
  if (face === 'dns') {
    return `${tag === undefined ? '' : `${tag}.`}${service}.service.${datacenter === undefined ? '' : `${datacenter}.`}svc.`
  }
  const parameters = [
    passing === true ? 'passing' : undefined,
    tag === undefined ? undefined : `tag=${tag}`,
    nodeMeta === undefined ? undefined : `node-meta=${nodeMeta.join(':')}`,
    how,
    datacenter === undefined ? undefined : `dc=${datacenter}`,
  ].filter((parameter) => parameter !== undefined)
  return `/v1/${face}/service/${service}${parameters.length === 0 ? '' : `?${parameters.join('&')}`}`
}

interface Row {
  readonly Node: string | { readonly Node: string }
  readonly Service?: { readonly ID: string; readonly Port: number }
  readonly ServiceID?: string
  readonly ServicePort?: number
}

function nameOfRow({ Node, Service, ServiceID, ServicePort }: Row): string {
  const node = typeof Node === 'string' ? Node : Node.Node
  return `${node}/${Service?.ID ?? ServiceID}:${Service?.Port ?? ServicePort}`
}

function placesIn(record: DnsRecord): readonly string[] {
  return record.type === 'SRV' ? [`${/^([^.]+)\.node\./.exec(record.target)?.[1] ?? ''}:${record.port}`] : []
}

function worldOf({ name, run }: Pick<Place, 'name' | 'run'>, group: z.output<typeof comparer>): ComparerWorld {
  const { cluster, simulation } = run
  const datacenter = group.datacenter ?? cluster.datacenterNames[0] ?? ''
  const checks = run.checksOf(datacenter)
  return {
    draws: (nth) => simulation.decisions.draws('comparers', name, nth),
    agent: (draws) => {
      const asked = run.select(group.at).filter((node) => cluster.isRunning(node) && knowsOf(cluster, node, datacenter))
      const node = draws.oneOf(asked, (each) => each)
      if (node === undefined) return undefined
      return cluster.datacenterOf(node) === datacenter
        ? { name: node }
        : { name: node, datacenter: calledName(cluster, datacenter) }
    },
    held: () => heldIn(run, datacenter, group.service),
    ask: async (env, host, agent, asked) => {
      const identity = cluster.identityOf(agent.name)
      const text = textOfAsked(group.service, asked, agent.datacenter)
      if (asked.face !== 'dns') {
        const request = { method: 'GET', target: text, timeoutMs: answerWithinMs }
        const answer = await env.http.request(httpEndpoint(identity), request)
        if (!answer.ok || answer.value.status !== 200) return undefined
        return inOrder((JSON.parse(textOf(answer.value.body)) as readonly Row[]).map(nameOfRow))
      }
      const question = { name: text, type: 'SRV', over: 'tcp', timeoutMs: answerWithinMs } as const
      const answer = await askDns(env, host, dnsEndpoint(identity), question)
      if (typeof answer === 'string' || (answer.rcode !== 'NOERROR' && answer.rcode !== 'NXDOMAIN')) return undefined
      return inOrder(answer.answers.flatMap(placesIn))
    },
    truth: checks.of(readTruth),
  }
}

/** Undefined: an agent of the datacenter does not run, or is not in contact, or has not told all that it holds since. */
function heldIn(run: WorkloadRun, datacenter: string, service: string): readonly HeldInstance[] | undefined {
  const { cluster } = run
  const checks = run.checksOf(datacenter)
  const held: HeldInstance[] = []
  for (const node of cluster.nodeNames) {
    if (cluster.datacenterOf(node) !== datacenter) continue
    const local = cluster.agentOf(node)?.local
    const contactUs = run.contactSinceUs(node)
    if (local === undefined || contactUs === undefined) return undefined
    const own = local.services().filter((each) => each.service === service)
    if (own.length > 0 && !checks.of(telling).isAtOnce(node, contactUs, run.simulation.nowUs)) return undefined
    const nodeMeta = checks.of(readTruth).metaOf(node)
    for (const { id, port, tags } of own) {
      const its = local.checks().filter(({ serviceId }) => serviceId === id || serviceId === '')
      held.push({ node, id, port, tags, nodeMeta, statuses: its.map(({ status }) => status) })
    }
  }
  return held
}

const comparer = z.strictObject({
  at: selector.describe(
    'The agents that they ask: chosen anew for each question; also those of other datacenters, with ?dc=.',
  ),
  service: z.string().min(1).describe('The service; its name is a label of DNS.'),
  clients: z.int().min(1).max(100).default(4).describe('How many; each asks one thing at a time.'),
  datacenter: z.string().optional().describe('Where the service is; the first datacenter if absent.'),
  tags: z.array(z.string()).default([]).describe('Tags to ask with.'),
  'node meta': z
    .array(z.string().regex(/^[^:]+:.*$/, 'write key:value'))
    .default([])
    .describe('Pairs of metadata of nodes to ask with: zone:north.'),
  every: durationRange.default({ min: 100, max: 500 }).describe('Time between an answer and the next question.'),
})

export const comparers = workloadKind({
  names: [/^[a-z][a-z0-9 -]*$/, 'comparers are named with small letters'],
  group: comparer,
  text: 'Clients that ask any agent for a service in any way, and compare the answer with what the agents hold.',
  isLast: true,
  crews: [
    {
      machine: 'comparers',
      open: (group, { name, env, host, run }) => {
        const { service, clients, tags, 'node meta': nodeMeta, every: everyMs } = group
        return new Comparers(
          env,
          host,
          { name, service, clients, tags, nodeMeta, everyMs },
          worldOf({ name, run }, group),
        )
      },
    },
  ],
})
