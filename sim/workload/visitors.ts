import { textOf, utf8 } from '../../src/base/bytes.ts'
import type { Env } from '../../src/env/env.ts'
import type { RandomStream } from '../../src/env/random.ts'
import type { Visit } from '../checkers/access/access-facts.ts'
import type { AskedAgent } from './client-group.ts'
import { tokenHeaders } from './key-client.ts'

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
