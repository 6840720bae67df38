import { z } from 'zod'
import { textOf } from '../../src/base/bytes.ts'
import type { Env } from '../../src/env/env.ts'
import type { Tell } from '../checkers/checker.ts'
import { allInstances, instanceWord } from '../checkers/reads/service-versions.ts'
import type { TimelyAnswer, WantedFreshness } from '../checkers/reads/timely-facts.ts'
import { durationRange, selector } from '../notation/fields.ts'
import type { Decisions } from '../world/decisions/decisions.ts'
import type { Draws } from '../world/decisions/draws.ts'
import { type AskedAgent, answerWithinMs, groupWorld } from './asked-agents.ts'
import { type Crew, workloadKind } from './kind.ts'

export interface AskerPlan {
  readonly name: string
  readonly service: string
  readonly clients: number
  readonly everyMs: { readonly min: number; readonly max: number }
}

export interface AskerWorld {
  readonly nowUs: () => number
  readonly decisions: Decisions
  readonly agent: (draws: Draws) => AskedAgent | undefined
  readonly nodes: readonly string[]
  readonly bootOf: (agent: string) => number
  readonly tell: Tell
}

const none: WantedFreshness = { mustRevalidate: false, maxAgeS: undefined, staleIfErrorS: undefined }
/** What is wanted of kept answers. */
const freshness: readonly WantedFreshness[] = [
  none,
  none,
  { ...none, mustRevalidate: true },
  { ...none, maxAgeS: 0 },
  { ...none, maxAgeS: 2 },
  { ...none, maxAgeS: 1, staleIfErrorS: 3 },
  { ...none, mustRevalidate: true, staleIfErrorS: 600 },
]

interface Row {
  readonly Node: string
  readonly ServiceID: string
  readonly ServicePort: number
  readonly ServiceTags: readonly string[]
}

/** Clients that ask for a service while it changes, in ways that promise how old an answer may be, or its order. */
export class Askers implements Crew {
  readonly #env: Env
  readonly #plan: AskerPlan
  readonly #world: AskerWorld
  #round = 0

  constructor(env: Env, plan: AskerPlan, world: AskerWorld) {
    this.#env = env
    this.#plan = plan
    this.#world = world
  }

  start(): void {
    this.#round++
    this.#world.tell('service followed', { service: this.#plan.service })
    for (let client = 0; client < this.#plan.clients; client++) this.#env.detach(this.#askAll(client, this.#round))
  }

  stop(): void {
    this.#round++
  }

  async #askAll(client: number, round: number): Promise<void> {
    const { name, everyMs } = this.#plan
    for (let nth = 1; this.#round === round; nth++) {
      const draws = this.#world.decisions.draws('askers', name, client, round, nth)
      await this.#pause(everyMs.min + draws.fraction() * (everyMs.max - everyMs.min))
      const agent = this.#round === round ? this.#world.agent(draws) : undefined
      if (agent !== undefined) await this.#ask(agent, draws)
    }
  }

  async #ask(agent: AskedAgent, draws: Draws): Promise<void> {
    const { service } = this.#plan
    const how = (['cached', 'cached', 'default', 'consistent'] as const)[draws.below(4)] ?? 'default'
    const near = how !== 'cached' && draws.below(2) === 0 ? draws.oneOf(this.#world.nodes, (node) => node) : undefined
    const wanted = how === 'cached' ? (freshness[draws.below(freshness.length)] ?? none) : undefined
    const parameters = [...(how === 'default' ? [] : [how]), ...(near === undefined ? [] : [`near=${near}`])]
    const calledUs = this.#world.nowUs()
    const boot = this.#world.bootOf(agent.name)
    const answer = await this.#env.http.request(agent.endpoint, {
      method: 'GET',
      target: `/v1/catalog/service/${service}${parameters.length === 0 ? '' : `?${parameters.join('&')}`}`,
      timeoutMs: answerWithinMs,
      headers: wanted === undefined ? [] : controlOf(wanted),
    })
    if (!answer.ok || answer.value.status !== 200 || this.#world.bootOf(agent.name) !== boot) return
    const { body, headers } = answer.value
    const rows = JSON.parse(textOf(body)) as readonly Row[]
    const words = rows.map((row) => instanceWord(row.Node, row.ServiceID, row.ServicePort, row.ServiceTags))
    const kept =
      wanted === undefined ? undefined : { wanted, hit: headers.get('x-cache') ?? 'nothing', age: headers.get('age') }
    const nodes = rows.map(({ Node }) => Node)
    const told: TimelyAnswer = {
      service,
      agent: agent.name,
      how,
      near,
      instances: allInstances(words),
      nodes,
      calledUs,
      kept,
    }
    this.#world.tell('service told', told)
  }

  #pause(forMs: number): Promise<void> {
    const over = this.#env.deferred<void>()
    this.#env.timers.after(forMs, () => over.resolve())
    return over.promise
  }
}

function controlOf({ mustRevalidate, maxAgeS, staleIfErrorS }: WantedFreshness): readonly [string, string][] {
  const said = [
    ...(mustRevalidate ? ['must-revalidate'] : []),
    ...(maxAgeS === undefined ? [] : [`max-age=${maxAgeS}`]),
    ...(staleIfErrorS === undefined ? [] : [`stale-if-error=${staleIfErrorS}`]),
  ]
  return said.length === 0 ? [] : [['Cache-Control', said.join(', ')]]
}

const group = z.strictObject({
  at: selector.describe('The agents that they ask: chosen anew for each question.'),
  service: z.string().min(1).describe('The service that they ask for.'),
  clients: z.int().min(1).max(100).default(4).describe('How many; each asks one thing at a time.'),
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
      open: ({ at, service, clients, every: everyMs }, { name, env, run }) => {
        const world = groupWorld(run, { at })
        const datacenter = run.cluster.datacenterNames[0]
        return new Askers(
          env,
          { name, service, clients, everyMs },
          {
            nowUs: world.nowUs,
            decisions: world.decisions,
            agent: world.server,
            nodes: run.cluster.nodeNames.filter((node) => run.cluster.datacenterOf(node) === datacenter),
            bootOf: world.bootOf,
            tell: (fact, told) => world.invariants.tell(fact, told),
          },
        )
      },
    },
  ],
})
