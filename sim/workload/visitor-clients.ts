import { utf8 } from '../../src/base/bytes.ts'
import type { Env } from '../../src/env/env.ts'
import type { HttpClientResponse } from '../../src/env/http.ts'
import type { View, Visit } from '../checkers/access/access-facts.ts'
import type { Facts } from '../checkers/facts.ts'
import type { Decisions } from '../world/decisions/decisions.ts'
import type { Draws } from '../world/decisions/draws.ts'
import type { AskedAgent } from './asked-agents.ts'
import { tokenHeaders } from './key-client.ts'
import { VisitMemory } from './visit-memory.ts'
import { keyRequest, type VisitOperation, visitRequest } from './visit-operations.ts'
import type { VisitRequest } from './visit-request.ts'
import { namesShown, toldBy } from './visit-verdict.ts'

/** What a group of visitors does, with all defaults applied. */
export interface VisitorPlan {
  readonly name: string
  readonly clients: number
  /** The key that is read or written; # is the number of the token that owns it. Undefined: things of these names. */
  readonly key: string | undefined
  readonly names: readonly string[]
  readonly operations: readonly VisitOperation[]
  /** The token of the operator that prepares a visit; undefined: no operation that needs one is drawn. */
  readonly operator: (() => string) | undefined
  readonly ratePerSecond: number
  readonly timeoutMs: number
}

export interface VisitorWorld {
  readonly nowUs: () => number
  readonly decisions: Decisions
  readonly agent: (draws: Draws) => AskedAgent | undefined
  /** Secrets; while there are none, no visitor makes a request. */
  readonly tokens: () => readonly string[]
  readonly datacenterOf: (agent: string) => string
  /** Names of the nodes of a datacenter. */
  readonly nodesOf: (datacenter: string) => readonly string[]
  /** Number of the present trace event; 0: no trace is recorded. */
  readonly eventNow: () => number
  /**
   * A request is sent with a mark that the replicated state has once it has taken effect; `tookEffect` is called then.
   */
  readonly onBegun: (agent: string, mark: string, tookEffect: () => void) => void
  /** A request with a mark was answered with success. */
  readonly onAcknowledged: (told: Facts['visit acknowledged']) => void
  readonly onVisit: (visit: Omit<Visit, 'datacenter'>) => void
  readonly onListAsked: (agent: string, view: View) => void
  readonly onListShown: (visit: ComparedVisit, view: View, names: ReadonlySet<string>) => void
}

type ComparedVisit = Omit<Visit, 'datacenter' | 'said' | 'needs'>

/** One visit in this many uses the key of another visitor. */
const strangerOneIn = 3

/** Clients that use one of many tokens each time, and request what the token or another one owns. */
export class Visitors {
  readonly #env: Env
  readonly #plan: VisitorPlan
  readonly #world: VisitorWorld
  readonly #idle: boolean[]
  /** By datacenter. */
  readonly #memories = new Map<string, VisitMemory>()
  /** Incremented at each start: clients of an earlier round make no further requests. */
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

  /** Schedules the nth turn of a client, whose draws are its own. */
  #scheduleNext(client: number, round: number, nth: number): void {
    const periodMs = (1000 * this.#plan.clients) / this.#plan.ratePerSecond
    const draws = this.#world.decisions.draws('visitors', this.#plan.name, client, round, nth)
    this.#env.timers.after(periodMs * (0.5 + draws.fraction()), () => {
      if (this.#round !== round) return
      this.#scheduleNext(client, round, nth + 1)
      if (this.#idle[client] !== true || !this.#world.decisions.happens(draws)) return
      this.#world.decisions.tell(draws, () => `visit ${this.#plan.name}-${client + 1}.${round}.${nth}`)
      this.#env.detach(this.#visit(client, draws, `${client + 1}.${round}.${nth}`))
    })
  }

  async #visit(client: number, draws: Draws, turn: string): Promise<void> {
    const tokens = this.#world.tokens()
    const agent = this.#world.agent(draws)
    if (tokens.length === 0 || agent === undefined) return
    this.#idle[client] = false
    const number = draws.below(tokens.length)
    const request = this.#requestOf(draws, agent.name, { number, tokens: tokens.length, turn })
    await this.#answer(agent, request, tokens[number] ?? '')
    this.#idle[client] = true
  }

  async #answer(agent: AskedAgent, request: VisitRequest, secret: string): Promise<void> {
    const { what, mark, needs, first, lists } = request
    if (first !== undefined) {
      const prepared = await this.#ask(agent, first, this.#plan.operator?.() ?? '')
      if (!prepared.ok || prepared.value.status !== 200) return
    }
    const calledIn = this.#world.eventNow()
    const visit = { agent: agent.name, secret, what, callUs: this.#world.nowUs(), calledIn }
    if (lists !== undefined) this.#world.onListAsked(agent.name, lists.view)
    const answer = this.#ask(agent, request, secret)
    if (mark !== undefined) this.#world.onBegun(agent.name, mark, () => this.#done(visit, needs))
    const answered = await answer
    if (!answered.ok) return
    if (mark !== undefined && answered.value.status === 200) {
      this.#world.onAcknowledged({ mark, what, agent: agent.name, calledIn })
    }
    this.#compare(visit, answered.value, request)
    const told = toldBy(answered.value, request)
    if (told !== undefined) this.#world.onVisit({ ...visit, ...told, returnUs: this.#world.nowUs() })
  }

  /** Reports what a list has, and what it must have had if the token may see it. */
  #compare(visit: Omit<ComparedVisit, 'returnUs'>, answered: HttpClientResponse, request: VisitRequest): void {
    const names = request.lists && namesShown(answered, request)
    if (request.lists === undefined || names === undefined) return
    const returnUs = this.#world.nowUs()
    this.#world.onListShown({ ...visit, returnUs }, request.lists.view, names)
  }

  #ask(
    { endpoint }: AskedAgent,
    { method, target, body }: Pick<VisitRequest, 'method' | 'target' | 'body'>,
    secret: string,
  ) {
    return this.#env.http.request(endpoint, {
      method,
      target,
      timeoutMs: this.#plan.timeoutMs,
      headers: tokenHeaders(secret),
      ...(body === undefined ? {} : { body: utf8(body) }),
    })
  }

  /**
   * The request has taken effect, whatever its answer says: that may be lost, or may be a refusal that came too late.
   */
  #done(visit: Omit<Visit, 'datacenter' | 'said' | 'needs' | 'returnUs'>, needs: Visit['needs']): void {
    const what = `${visit.what}, which took effect`
    this.#world.onVisit({ ...visit, what, needs, said: 'allowed', returnUs: this.#world.nowUs() })
  }

  /** `number`: that of the token; mostly its own key is requested, sometimes that of another. */
  #requestOf(
    draws: Draws,
    agent: string,
    { number, tokens, turn }: { readonly number: number; readonly tokens: number; readonly turn: string },
  ): VisitRequest {
    const { key, names, operations, name: group } = this.#plan
    if (key !== undefined) {
      const owner = draws.below(strangerOneIn) === 0 ? draws.below(tokens) : number
      return keyRequest(draws, key.replaceAll('#', String(owner)), String(number))
    }
    const datacenter = this.#world.datacenterOf(agent)
    const oneOf = (all: readonly string[]): string => all[draws.below(Math.max(1, all.length))] ?? ''
    const operation = operations[draws.below(operations.length)] ?? 'read'
    const [name, other, node] = [oneOf(names), oneOf(names), oneOf(this.#world.nodesOf(datacenter))]
    const memory = this.#memoryOf(datacenter)
    return visitRequest(operation, { name, other, node, mark: `${group}-${turn}`, memory }, draws)
  }

  #memoryOf(datacenter: string): VisitMemory {
    const known = this.#memories.get(datacenter)
    if (known !== undefined) return known
    const memory = new VisitMemory(this.#world.nowUs)
    this.#memories.set(datacenter, memory)
    return memory
  }
}
