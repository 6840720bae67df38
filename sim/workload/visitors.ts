import { z } from 'zod'
import { textOf, utf8 } from '../../src/base/bytes.ts'
import type { Env } from '../../src/env/env.ts'
import type { RandomStream } from '../../src/env/random.ts'
import type { Visit } from '../checkers/access/access-facts.ts'
import { duration, rate, savedNameField, selector } from '../notation/fields.ts'
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
  readonly agent: (draw: (bound: number) => number) => AskedAgent | undefined
  /** Secrets; none yet: nobody comes. */
  readonly tokens: () => readonly string[]
  readonly onVisit: (visit: Visit) => void
}

/** One visit in this many uses the key of another visitor. */
const strangerOneIn = 3

/** Clients that come with one of many tokens each time, and ask for what is theirs or another's. */
export class Visitors {
  readonly #env: Env
  readonly #plan: VisitorPlan
  readonly #world: VisitorWorld
  readonly #draw: RandomStream
  #idle: number
  #running = false

  constructor(env: Env, plan: VisitorPlan, world: VisitorWorld) {
    this.#env = env
    this.#plan = plan
    this.#world = world
    this.#draw = env.random.stream(`visitors.${plan.name}`)
    this.#idle = plan.clients
  }

  start(): void {
    if (this.#running) return
    this.#running = true
    this.#scheduleNext()
  }

  stop(): void {
    this.#running = false
  }

  #scheduleNext(): void {
    const periodMs = 1000 / this.#plan.ratePerSecond
    this.#env.timers.after(periodMs * (0.5 + this.#draw.fraction()), () => {
      if (!this.#running) return
      this.#scheduleNext()
      if (this.#idle > 0) this.#env.detach(this.#visit())
    })
  }

  async #visit(): Promise<void> {
    const tokens = this.#world.tokens()
    const agent = this.#world.agent((bound) => this.#draw.below(bound))
    if (tokens.length === 0 || agent === undefined) return
    this.#idle--
    const number = this.#draw.below(tokens.length)
    const secret = tokens[number] ?? ''
    const owner = this.#draw.below(strangerOneIn) === 0 ? this.#draw.below(tokens.length) : number
    const key = this.#plan.key.replaceAll('#', String(owner))
    const right = this.#draw.below(2) === 0 ? 'read' : 'write'
    const callUs = this.#world.nowUs()
    const request = { target: `/v1/kv/${key}`, timeoutMs: this.#plan.timeoutMs, headers: tokenHeaders(secret) }
    const answer = await this.#env.http.request(
      agent.endpoint,
      right === 'read' ? { method: 'GET', ...request } : { method: 'PUT', ...request, body: utf8(String(number)) },
    )
    this.#idle++
    if (!answer.ok) return
    const said = verdictOf(answer.value.status, textOf(answer.value.body))
    if (said === undefined) return
    const returnUs = this.#world.nowUs()
    this.#world.onVisit({ agent: agent.name, secret, key, right, said, callUs, returnUs })
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
          // In any datacenter: each has the keys that its visitors request.
          agent: (draw) => anyAgent(run, at, draw),
          tokens: () => run.listed(tokens),
          onVisit: (visit) => invariants.tell('visit made', visit),
        })
      },
    },
  ],
})
