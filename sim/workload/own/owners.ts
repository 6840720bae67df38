import { utf8 } from '../../../src/base/bytes.ts'
import type { Env } from '../../../src/env/env.ts'
import type { HttpClientResponse } from '../../../src/env/http.ts'
import { ownKeys } from '../../checkers/keys/own-keys.ts'
import { OwnTree } from '../../checkers/keys/own-tree.ts'
import { expectedText, type Told, toldText } from '../../checkers/keys/own-words.ts'
import type { Draws } from '../../world/decisions/draws.ts'
import type { AskedAgent, GroupWorld } from '../asked-agents.ts'
import { forDatacenter, tokenHeaders } from '../key-client.ts'
import type { Asking, OwnOperation, OwnRequest } from './request.ts'

/** What a group does, with all defaults applied. */
export interface OwnersPlan {
  readonly name: string
  readonly clients: number
  readonly ratePerSecond: number
  readonly timeoutMs: number
  /** The operations of this run. */
  readonly operations: readonly (readonly [name: string, operation: OwnOperation])[]
}

/** A client, and its present keys. */
interface Owner {
  readonly number: number
  isIdle: boolean
  tree: OwnTree
  /** Number of trees that it has begun. */
  trees: number
  /** When it began the present tree. */
  beganUs: number
}

/**
 * Clients with their own keys and sessions: each alone writes below its prefix, one request at a time, so that it knows
 * exactly what every answer must say. If no answer tells the outcome of a request, the client gives up all of these
 * keys and begins with others, so that its knowledge is always complete.
 */
export class Owners {
  readonly #env: Env
  readonly #plan: OwnersPlan
  readonly #world: GroupWorld
  readonly #owners: readonly Owner[]
  readonly #open = new Set<string>()
  /** Incremented at each start, so that turns of an earlier round have no effect. */
  #round = 0

  constructor(env: Env, plan: OwnersPlan, world: GroupWorld) {
    this.#env = env
    this.#plan = plan
    this.#world = world
    const { clients } = plan
    const none = { isIdle: true, trees: 1, beganUs: 0 }
    this.#owners = Array.from({ length: clients }, (_, number) => ({ number, ...none, tree: new OwnTree() }))
  }

  start(): void {
    this.#round++
    for (const owner of this.#owners) this.#scheduleNext(owner, this.#round, 1)
  }

  /** No new request begins; open ones continue to their end. */
  stop(): void {
    this.#round++
  }

  openRequests(): readonly string[] {
    return [...this.#open]
  }

  #scheduleNext(owner: Owner, round: number, nth: number): void {
    const { name, clients, ratePerSecond } = this.#plan
    const draws = this.#world.decisions.draws('owners', name, owner.number, round, nth)
    this.#env.timers.after(((1000 * clients) / ratePerSecond) * (0.5 + draws.fraction()), () => {
      if (this.#round !== round) return
      this.#scheduleNext(owner, round, nth + 1)
      if (!owner.isIdle || !this.#world.decisions.happens(draws)) return
      const value = `${this.#nameOf(owner)}.${round}.${nth}`
      this.#world.decisions.tell(draws, () => `own operation ${value}`)
      this.#env.detach(this.#turn(owner, draws, value))
    })
  }

  #nameOf({ number }: Owner): string {
    return `${this.#plan.name.replaceAll(' ', '-')}-${number + 1}`
  }

  async #turn(owner: Owner, draws: Draws, value: string): Promise<void> {
    const server = this.#world.server(draws)
    if (server === undefined) return
    if (this.#isOver(owner)) this.#beginAnew(owner)
    const { tree } = owner
    const prefix = `own/${this.#nameOf(owner)}.${owner.trees}/`
    const ttlMinMs = this.#world.invariants.of(ownKeys).sessionTtlMinMs
    const asking: Asking = { tree, prefix, draws, value, node: server.name, ttlMinMs }
    const operation = this.#drawn(tree, draws)
    if (operation === undefined) return
    owner.isIdle = false
    await this.#ask(owner, server, operation.request(asking), draws)
    owner.isIdle = true
  }

  /** Draws by weight among the possible operations. */
  #drawn(tree: OwnTree, draws: Draws): OwnOperation | undefined {
    const possible = this.#plan.operations.filter(([, { isPossible }]) => isPossible?.(tree) !== false)
    const sum = possible.reduce((weights, [, { weight }]) => weights + weight, 0)
    if (sum === 0) return undefined
    let left = draws.below(sum)
    return possible.find(([, { weight }]) => {
      left -= weight
      return left < 0
    })?.[1]
  }

  #isOver({ tree, beganUs }: Owner): boolean {
    return this.#world.invariants.of(ownKeys).isOver({ beganUs, sessions: tree.sessions.map(({ id }) => id) })
  }

  #beginAnew(owner: Owner): void {
    owner.tree = new OwnTree()
    owner.trees++
    owner.beganUs = this.#world.nowUs()
  }

  async #ask(owner: Owner, server: AskedAgent, request: OwnRequest, draws: Draws): Promise<void> {
    const { invariants } = this.#world
    const [path] = request.target.split('?')
    const what = `${request.method} ${path}`
    const calledIn = invariants.eventNow()
    const sessions = owner.tree.sessions.map(({ id }) => id).filter((id) => !request.target.endsWith(id))
    this.#open.add(what)
    const answer = await this.#send(server, request, draws)
    this.#open.delete(what)
    const told = answer === undefined ? undefined : request.told(answer)
    if (told === undefined) {
      if (request.isHarmless) return
      invariants.of(ownKeys).left()
      return this.#beginAnew(owner)
    }
    const expected = [request.expected, ...(request.or === undefined ? [] : [request.or])]
    const texts = expected.map((one) => ({ must: expectedText(one), told: toldText(told, one) }))
    const isAsExpected = texts.some((text) => text.must === text.told)
    const who = `${this.#nameOf(owner)} at ${server.name}`
    const { beganUs } = owner
    const judged = texts[0] ?? { must: '', told: '' }
    invariants.tell('own answer', {
      who,
      what: `${what}${bodyText(request)}`,
      ...judged,
      isAsExpected,
      beganUs,
      sessions,
      calledIn,
    })
    if (isAsExpected) this.#takesEffect(owner, request, told)
    else this.#beginAnew(owner)
  }

  #takesEffect(owner: Owner, request: OwnRequest, told: Told): void {
    owner.tree = request.done(told)
    const { lock } = told
    if (lock !== undefined) this.#world.invariants.tell('lock answered', lock)
  }

  async #send(
    { endpoint }: AskedAgent,
    { method, target, body }: OwnRequest,
    draws: Draws,
  ): Promise<HttpClientResponse | undefined> {
    const isFresh = this.#world.invariants.excusesStaleDefault || draws.below(2) === 0
    const asked = method === 'GET' && isFresh ? `${target}${target.includes('?') ? '&' : '?'}consistent` : target
    const answer = await this.#env.http.request(endpoint, {
      method,
      target: forDatacenter(asked, endpoint.datacenter),
      timeoutMs: this.#plan.timeoutMs,
      headers: tokenHeaders(endpoint.token),
      ...(body === undefined ? {} : { body: utf8(body) }),
    })
    return answer.ok ? answer.value : undefined
  }
}

/** The body of a transaction, because its path does not describe it. */
function bodyText({ target, body }: OwnRequest): string {
  return target === '/v1/txn' && body !== undefined ? ` ${body}` : ''
}
