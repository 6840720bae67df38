import { z } from 'zod'
import { textOf, utf8 } from '../../src/base/bytes.ts'
import type { Env } from '../../src/env/env.ts'
import type { Visit } from '../checkers/access/access-facts.ts'
import { calledName } from '../cluster/group-facts.ts'
import { duration, rate, savedNameField, selector } from '../notation/fields.ts'
import type { Decisions, Draws } from '../world/decisions/decisions.ts'
import type { AskedAgent } from './asked-agents.ts'
import { answerWithinMs, anyAgent } from './asked-agents.ts'
import { tokenHeaders } from './key-client.ts'
import { workloadKind } from './kind.ts'

/** What a group of visitors does, every default applied. */
export interface VisitorPlan {
  readonly name: string
  readonly clients: number
  /** # is the number of the token whose key it is. */
  readonly key: string
  readonly ratePerSecond: number
  readonly timeoutMs: number
}

export interface VisitorWorld {
  readonly nowUs: () => number
  readonly decisions: Decisions
  readonly agent: (draws: Draws) => AskedAgent | undefined
  /** Secrets; none yet: nobody comes. */
  readonly tokens: () => readonly string[]
  /** Number of the event that happens now, in the trace; 0: nobody reads. */
  readonly eventNow: () => number
  readonly onVisit: (visit: Omit<Visit, 'datacenter'>) => void
}

/** One visit in this many uses the key of another visitor. */
const strangerOneIn = 3

/** Clients that come with one of many tokens each time, and ask for what is theirs or another's. */
export class Visitors {
  readonly #env: Env
  readonly #plan: VisitorPlan
  readonly #world: VisitorWorld
  readonly #idle: boolean[]
  /** Rises with each start: the clients of an earlier one come no more. */
  #round = 0

  constructor(env: Env, plan: VisitorPlan, world: VisitorWorld) {
    this.#env = env
    this.#plan = plan
    this.#world = world
    this.#idle = Array.from({ length: plan.clients }, () => true)
  }

  start(): void {
    this.#round++
    for (const client of this.#idle.keys()) this.#scheduleNext(client, this.#round, 1)
  }

  stop(): void {
    this.#round++
  }

  /** The nth turn of a client: all that it draws is its own. */
  #scheduleNext(client: number, round: number, nth: number): void {
    const periodMs = (1000 * this.#plan.clients) / this.#plan.ratePerSecond
    const draws = this.#world.decisions.draws('visitors', this.#plan.name, client, round, nth)
    this.#env.timers.after(periodMs * (0.5 + draws.fraction()), () => {
      if (this.#round !== round) return
      this.#scheduleNext(client, round, nth + 1)
      if (this.#idle[client] !== true || !this.#world.decisions.happens(draws)) return
      this.#world.decisions.tell(draws, () => `visit ${this.#plan.name}-${client + 1}.${round}.${nth}`)
      this.#env.detach(this.#visit(client, draws))
    })
  }

  async #visit(client: number, draws: Draws): Promise<void> {
    const tokens = this.#world.tokens()
    const agent = this.#world.agent(draws)
    if (tokens.length === 0 || agent === undefined) return
    this.#idle[client] = false
    const number = draws.below(tokens.length)
    const secret = tokens[number] ?? ''
    const owner = draws.below(strangerOneIn) === 0 ? draws.below(tokens.length) : number
    const key = this.#plan.key.replaceAll('#', String(owner))
    const right = draws.below(2) === 0 ? 'read' : 'write'
    const callUs = this.#world.nowUs()
    const calledIn = this.#world.eventNow()
    const request = { target: `/v1/kv/${key}`, timeoutMs: this.#plan.timeoutMs, headers: tokenHeaders(secret) }
    const answer = await this.#env.http.request(
      agent.endpoint,
      right === 'read' ? { method: 'GET', ...request } : { method: 'PUT', ...request, body: utf8(String(number)) },
    )
    this.#idle[client] = true
    if (!answer.ok) return
    const said = verdictOf(answer.value.status, textOf(answer.value.body))
    if (said === undefined) return
    const returnUs = this.#world.nowUs()
    this.#world.onVisit({ agent: agent.name, secret, key, right, said, callUs, returnUs, calledIn })
  }
}

/** undefined: an answer that says nothing of rights. Before 1.0 a read without them is a 404, as one of a key that is not there. */
function verdictOf(status: number, body: string): Visit['said'] | undefined {
  if (status === 200) return 'allowed'
  if (status !== 403) return undefined
  return body.includes('ACL not found') ? 'not found' : 'denied'
}

const group = z.strictObject({
  at: selector.describe('The node that they ask: chosen anew for every request.'),
  tokens: savedNameField.describe("Tokens that a 'tokens' step has saved: each visit is made with one of them."),
  key: z
    .string()
    .min(1)
    .describe('The key that a visit reads or writes: # is the number of the token, or now and then that of another.'),
  clients: z.int().min(1).max(100).default(4).describe('How many; each asks one thing at a time.'),
  rate: rate.describe('Requests of all of them together; one that still waits for an answer asks later.'),
  within: duration.optional().describe('How long a client waits for an answer; 10s if absent.'),
})

export const visitors = workloadKind({
  names: [/^[a-z][a-z0-9 -]*$/, 'visitors are named with small letters'],
  group,
  text: 'Clients with tokens of all kinds, whose requests must be allowed or refused as their rules say.',
  crews: [
    {
      machine: 'visitors',
      open: ({ at, clients, key, rate: ratePerSecond, tokens, within }, { name, env, run }) => {
        const plan = { name, clients, key, ratePerSecond, timeoutMs: within ?? answerWithinMs }
        const invariants = run.checksOf(run.cluster.datacenterNames[0] ?? '')
        return new Visitors(env, plan, {
          nowUs: () => run.simulation.nowUs,
          decisions: run.simulation.decisions,
          // In any datacenter: each has the keys that its visitors request.
          agent: (draws) => anyAgent(run, at, draws),
          tokens: () => run.listed(tokens),
          eventNow: () => invariants.eventNow(),
          onVisit: (visit) => {
            const datacenter = calledName(run.cluster, run.cluster.datacenterOf(visit.agent))
            invariants.tell('visit made', { ...visit, datacenter })
          },
        })
      },
    },
  ],
})
