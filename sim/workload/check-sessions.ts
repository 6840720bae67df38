import type { Env } from '../../src/env/env.ts'
import type { Endpoint } from '../../src/env/net.ts'
import { pause } from '../../src/model/pause.ts'
import type { Tell } from '../checkers/checker.ts'
import type { Decisions } from '../world/decisions/decisions.ts'
import type { Draws } from '../world/decisions/draws.ts'
import { LockClient } from './lock-client.ts'

interface SessionsWorld {
  readonly decisions: Decisions
  readonly endpointOf: (node: string) => Endpoint
  readonly tell: Tell
}

/** Instances that each lock a key, with a session bound to their own check. */
interface SessionsPlan {
  readonly name: string
  /** Name prefix of the services. */
  readonly service: string
  /** Number of services on each agent: shops-1, shops-2. */
  readonly services: number
  readonly ttlMs: number
  readonly timeoutMs: number
}

/**
 * Instances of which one at a time may work: those of one number on all agents contend for one key. The session of each
 * is bound to the check of its service, so that an instance which falls silent loses the lock. The key is then released
 * or deleted.
 */
export class CheckSessions {
  readonly #env: Env
  readonly #plan: SessionsPlan
  readonly #world: SessionsWorld
  readonly #client: LockClient
  readonly #nodes: readonly string[]
  #round = 0
  #busy = 0

  constructor(env: Env, plan: SessionsPlan, world: SessionsWorld, nodes: readonly string[]) {
    this.#env = env
    this.#plan = plan
    this.#world = world
    this.#client = new LockClient(env, plan.timeoutMs)
    this.#nodes = nodes
  }

  start(): void {
    this.#round++
    for (const node of this.#nodes) {
      for (let number = 1; number <= this.#plan.services; number++) {
        this.#env.detach(this.#contend(node, number, this.#round))
      }
    }
  }

  stop(): void {
    this.#round++
  }

  openRequests(): readonly string[] {
    return this.#busy === 0 ? [] : [`${this.#busy} of ${this.#plan.name} at sessions over checks`]
  }

  async #contend(node: string, number: number, round: number): Promise<void> {
    const { name, ttlMs } = this.#plan
    let session: string | undefined
    for (let nth = 1; this.#round === round; nth++) {
      const draws = this.#world.decisions.draws('check sessions', name, node, number, round, nth)
      await pause(this.#env, ttlMs * (0.25 + draws.fraction() / 2))
      if (this.#round !== round) return
      this.#busy++
      session = await this.#turn(node, number, session, draws)
      this.#busy--
    }
  }

  /** Returns the instance's session after this turn. */
  async #turn(node: string, number: number, session: string | undefined, draws: Draws): Promise<string | undefined> {
    const { service } = this.#plan
    const agent = this.#world.endpointOf(node)
    if (session === undefined) {
      return this.#client.create(agent, {
        Checks: ['serfHealth', `service:${service}-${number}`],
        Behavior: draws.below(2) === 0 ? 'delete' : 'release',
        LockDelay: draws.below(2) === 0 ? '1s' : '0s',
      })
    }
    const key = `${service}/working-${number}`
    const answer = await this.#client.acquire(agent, key, session, `${node}-${number}`)
    if (answer.kind === 'held') this.#world.tell('lock answered', { key, session, fence: answer.fence })
    if (answer.kind === 'no-session') return undefined
    // One in eight releases the lock by itself.
    if (answer.kind === 'held' && draws.below(8) === 0) {
      await this.#client.destroy(agent, session)
      return undefined
    }
    return session
  }
}
