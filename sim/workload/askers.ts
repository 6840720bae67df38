import { z } from 'zod'
import { textOf, utf8 } from '../../src/base/bytes.ts'
import { decodeResponse } from '../../src/dns-wire/question.ts'
import type { Env } from '../../src/env/env.ts'
import type { Endpoint } from '../../src/env/net.ts'
import { pause } from '../../src/model/pause.ts'
import type { Tell } from '../checkers/checker.ts'
import { dnsEndpoint } from '../cluster/node-identity.ts'
import { durationRange, selector } from '../notation/fields.ts'
import type { Decisions } from '../world/decisions/decisions.ts'
import type { Draws } from '../world/decisions/draws.ts'
import { type AskedAgent, answerWithinMs, groupWorld } from './asked-agents.ts'
import { exchangeBurst } from './dns-burst.ts'
import { askDns } from './dns-client.ts'
import { drawnPause } from './drawn-pause.ts'
import { type Crew, workloadKind } from './kind.ts'
import { drawnBurst } from './name-bursts.ts'
import {
  contactIn,
  controlOf,
  drawnTimely,
  indexIn,
  listedIn,
  offeredIn,
  queryFor,
  timelyTarget,
} from './timely-questions.ts'

export interface AskerPlan {
  readonly name: string
  readonly service: string
  readonly clients: number
  /** Whether half of the questions are asked over DNS. */
  readonly names: boolean
  /** Whether some questions ask for cached answers. */
  readonly cached: boolean
  /** Whether some questions execute a prepared query for the service. */
  readonly queries: boolean
  /** Address of the clients' machine. */
  readonly host: string
  readonly everyMs: { readonly min: number; readonly max: number }
}

export interface AskerWorld {
  readonly nowUs: () => number
  readonly decisions: Decisions
  readonly agent: (draws: Draws) => AskedAgent | undefined
  readonly nodes: readonly string[]
  readonly bootOf: (agent: string) => number
  readonly dnsAt: (agent: string) => Endpoint
  readonly tell: Tell
}

/** Pause between attempts to define the prepared query. */
const defineAgainMs = 1_000
/** Part of the refusal of a second definition. */
const isDefinedAlready = 'aliases an existing query name'

/** Clients that request a service while it changes, in ways that limit the answer's age or define its order. */
export class Askers implements Crew {
  readonly #env: Env
  readonly #plan: AskerPlan
  readonly #world: AskerWorld
  #round = 0
  /** Whether the prepared query exists. */
  #isDefined = false

  constructor(env: Env, plan: AskerPlan, world: AskerWorld) {
    this.#env = env
    this.#plan = plan
    this.#world = world
  }

  start(): void {
    this.#round++
    this.#world.tell('service followed', { service: this.#plan.service })
    if (this.#plan.queries && !this.#isDefined) this.#env.detach(this.#define(this.#round))
    for (let client = 0; client < this.#plan.clients; client++) this.#env.detach(this.#askAll(client, this.#round))
  }

  stop(): void {
    this.#round++
  }

  /** Defines the query, which never changes. If it is refused because another group has defined it, that one serves. */
  async #define(round: number): Promise<void> {
    const { name, service } = this.#plan
    for (let nth = 1; this.#round === round && !this.#isDefined; nth++) {
      await pause(this.#env, defineAgainMs)
      const agent = this.#world.agent(this.#world.decisions.draws('askers', name, 'define', round, nth))
      if (this.#round !== round || agent === undefined) continue
      const answer = await this.#env.http.request(agent.endpoint, {
        method: 'POST',
        target: '/v1/query',
        timeoutMs: answerWithinMs,
        headers: [],
        body: utf8(JSON.stringify({ Name: queryFor(service), Service: { Service: service } })),
      })
      this.#isDefined =
        answer.ok && (answer.value.status === 200 || textOf(answer.value.body).includes(isDefinedAlready))
    }
  }

  async #askAll(client: number, round: number): Promise<void> {
    const { name, everyMs } = this.#plan
    for (let nth = 1; this.#round === round; nth++) {
      const draws = this.#world.decisions.draws('askers', name, client, round, nth)
      await drawnPause(this.#env, draws, everyMs)
      const agent = this.#round === round ? this.#world.agent(draws) : undefined
      if (agent !== undefined) await this.#ask(agent, draws)
    }
  }

  async #ask(agent: AskedAgent, draws: Draws): Promise<void> {
    const { service, names, cached } = this.#plan
    if (names && draws.below(2) === 0) return draws.below(3) === 0 ? this.#askOften(agent, draws) : this.#askName(agent)
    const { nodes } = this.#world
    const question = drawnTimely(draws, { nodes, cached, isDefined: this.#isDefined })
    const { of, how, near, wanted } = question
    const calledUs = this.#world.nowUs()
    const boot = this.#world.bootOf(agent.name)
    const answer = await this.#env.http.request(agent.endpoint, {
      method: 'GET',
      target: timelyTarget(service, question),
      timeoutMs: answerWithinMs,
      headers: wanted === undefined ? [] : controlOf(wanted),
    })
    if (!answer.ok || this.#world.bootOf(agent.name) !== boot) return
    const { body, headers, status } = answer.value
    if (status !== 200) {
      if (wanted !== undefined)
        this.#world.tell('service not told', { service, of, agent: agent.name, calledUs, wanted, status })
      return
    }
    const kept =
      wanted === undefined ? undefined : { wanted, hit: headers.get('x-cache') ?? 'nothing', age: headers.get('age') }
    const listed = listedIn(JSON.parse(textOf(body)), of)
    const lastContactMs = contactIn(how, headers)
    this.#world.tell('service told', {
      service,
      of,
      agent: agent.name,
      how,
      near,
      ...listed,
      calledUs,
      index: indexIn(headers),
      lastContactMs,
      kept,
    })
  }

  /** Over TCP, so that nothing is truncated or sent twice. */
  async #askName({ name }: AskedAgent): Promise<void> {
    const { service, host } = this.#plan
    const calledUs = this.#world.nowUs()
    const boot = this.#world.bootOf(name)
    const question = { name: nameOf(service), type: 'SRV', over: 'tcp', timeoutMs: answerWithinMs } as const
    const answer = await askDns(this.#env, host, this.#world.dnsAt(name), question)
    if (typeof answer === 'string' || this.#world.bootOf(name) !== boot) return
    this.#world.tell('name told', { service, agent: name, calledUs, offered: offeredIn(answer) })
  }

  /** Many questions at once over one connection, and between them messages that are not questions. */
  async #askOften({ name: agent }: AskedAgent, draws: Draws): Promise<void> {
    const { service } = this.#plan
    const { nowUs, bootOf, dnsAt, tell } = this.#world
    const calledUs = nowUs()
    const boot = bootOf(agent)
    const sent = drawnBurst(draws, nameOf(service))
    const packets = sent.map(({ packet }) => packet)
    const replies = await exchangeBurst(this.#env, dnsAt(agent), packets, { draws, timeoutMs: answerWithinMs })
    if (replies === undefined || bootOf(agent) !== boot) return
    const read = replies.messages.map((bytes) => decodeResponse(bytes)).flatMap((each) => (each.ok ? [each.value] : []))
    const told = read.map(({ id, rcode, question }) => ({ id, rcode: String(rcode), isFor: question?.name ?? '' }))
    const { isWhole } = replies
    tell('names pipelined', { agent, sent, replies: told, name: nameOf(service), isWhole })
    for (const answer of read) {
      if (sent.some(({ id, wants }) => wants === 'answer' && id === answer.id))
        tell('name told', { service, agent, calledUs, offered: offeredIn(answer) })
    }
  }
}

function nameOf(service: string): string {
  return `${service}.service.svc.`
}

const group = z.strictObject({
  at: selector.describe('The agents that they ask: chosen anew for each question.'),
  service: z.string().min(1).describe('The service that they ask for.'),
  clients: z.int().min(1).max(100).default(4).describe('How many; each asks one thing at a time.'),
  names: z
    .boolean()
    .default(false)
    .describe('Whether half of the questions are asked over DNS, a third of these many at once over one connection.'),
  cached: z.boolean().default(true).describe('Whether some of the questions are for cached answers.'),
  queries: z
    .boolean()
    .default(false)
    .describe('Whether some of the questions execute a prepared query for the service, which these clients define.'),
  every: durationRange.default({ min: 50, max: 400 }).describe('Time between an answer and the next question.'),
})

export const askers = workloadKind({
  names: [/^[a-z][a-z0-9 -]*$/, 'askers are named with small letters'],
  group,
  text: 'Clients that ask for a service while it changes, in ways that promise how old an answer may be, or its order.',
  isLast: true,
  crews: [
    {
      machine: 'askers',
      open: ({ at, service, clients, names, cached, queries, every: everyMs }, { name, env, host, run }) => {
        const world = groupWorld(run, { at })
        const datacenter = run.cluster.datacenterNames[0]
        return new Askers(
          env,
          { name, service, clients, names, cached, queries, host, everyMs },
          {
            nowUs: world.nowUs,
            decisions: world.decisions,
            agent: world.server,
            nodes: run.cluster.nodeNames.filter((node) => run.cluster.datacenterOf(node) === datacenter),
            bootOf: world.bootOf,
            dnsAt: (agent) => dnsEndpoint(run.cluster.identityOf(agent)),
            tell: (fact, told) => world.invariants.tell(fact, told),
          },
        )
      },
    },
  ],
})
