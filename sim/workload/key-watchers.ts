import type { Env } from '../../src/env/env.ts'
import type { Consistency } from '../../src/features/contract/reading.ts'
import { pause } from '../../src/model/pause.ts'
import { monotoneIndex } from '../checkers/clients/monotone-index.ts'
import { type AskedAgent, type GroupWorld, mayBeOld } from './asked-agents.ts'
import { KeyClient, type ListAnswer } from './key-client.ts'

/** A blocking query waits this long on the agent, plus up to a sixteenth; the client waits a little longer. */
const waitMs = 10_000
const answerWithinMs = 12_000
/** Pause after a request without an answer; the next one may go to another agent. */
const askAgainMs = 200

export interface WatchersPlan {
  readonly name: string
  readonly prefix: string
  /** Every key that may exist under the prefix. */
  readonly keys: readonly string[]
  readonly watchers: number
  readonly consistencies: readonly Consistency[]
  /** Pause between an answer and the next question. */
  readonly pauseMs: { readonly min: number; readonly max: number }
}

/** Watchers that follow all keys of a group by blocking queries; for each question, an agent is chosen anew. */
export class KeyWatchers {
  readonly #env: Env
  readonly #plan: WatchersPlan
  readonly #world: GroupWorld
  readonly #client: KeyClient
  /** The present round; answers to questions of an earlier round are ignored. */
  #round = 0
  readonly #indexes: number[]

  constructor(env: Env, plan: WatchersPlan, world: GroupWorld) {
    this.#env = env
    this.#plan = plan
    this.#world = world
    this.#client = new KeyClient(env, answerWithinMs)
    this.#indexes = Array.from({ length: plan.watchers }, () => 0)
    for (const at of this.#indexes.keys())
      world.invariants.tell('watcher follows', { watcher: this.#nameOf(at), prefix: plan.prefix })
  }

  /** Every watcher asks anew, and forgets its earlier question and agent. */
  start(): void {
    this.#round++
    for (const watcher of this.#indexes.keys()) this.#env.detach(this.#follow(watcher, this.#round))
  }

  stop(): void {
    this.#round++
  }

  #nameOf(watcher: number): string {
    return `watcher ${watcher + 1} of ${this.#plan.name}`
  }

  async #follow(watcher: number, round: number): Promise<void> {
    const { consistencies, pauseMs } = this.#plan
    for (let nth = 1; this.#round === round; nth++) {
      const draws = this.#world.decisions.draws('watchers', this.#plan.name, watcher, round, nth)
      const agent = this.#world.server(draws)
      const consistency = consistencies[draws.below(consistencies.length)] as Consistency
      const isAnswered = agent !== undefined && (await this.#ask(watcher, round, agent, consistency))
      const spanMs = pauseMs.max - pauseMs.min
      const ownMs = pauseMs.min + (spanMs > 0 ? Math.floor(draws.fraction() * spanMs) : 0)
      const restMs = isAnswered ? ownMs : askAgainMs
      if (restMs > 0) await pause(this.#env, restMs)
    }
  }

  async #ask(watcher: number, round: number, agent: AskedAgent, consistency: Consistency): Promise<boolean> {
    const indexes = this.#world.invariants.of(monotoneIndex)
    const waited = this.#indexes[watcher] as number
    const boot = this.#world.bootOf(agent.name)
    const scope =
      consistency === 'stale'
        ? `list '${this.#plan.prefix}' at ${agent.name}, boot ${boot}`
        : `list '${this.#plan.prefix}', ${consistency} reads`
    const floor = indexes.began(scope)
    const answer = await this.#client.list(agent.endpoint, this.#plan.prefix, consistency, { index: waited, waitMs })
    if (answer === undefined || this.#round !== round) return answer !== undefined
    // As for reads: the answer of a server from its own state is judged, unless the scenario excuses stale answers.
    const isSameBoot = this.#world.bootOf(agent.name) === boot
    if (consistency === 'stale' && agent.isServer && !isSameBoot) indexes.let('restarted meanwhile')
    else if (consistency === 'default' && this.#world.invariants.excusesStaleDefault) indexes.let('stale default reads')
    else if (consistency !== 'stale' || agent.isServer)
      indexes.answered(scope, floor, answer.index, consistency === 'stale' && mayBeOld(agent, answer.knowsLeader))
    this.#takeOver(watcher, agent, answer)
    return true
  }

  /** If the index fell, the watcher begins anew, as the API tells its clients to do: another agent may be behind. */
  #takeOver(watcher: number, agent: AskedAgent, { index, rows }: ListAnswer): void {
    const { invariants } = this.#world
    const isBehind = index < (this.#indexes[watcher] as number)
    this.#indexes[watcher] = isBehind ? 0 : index
    invariants.tell('keys listed', { asked: this.#plan.keys, found: rows, where: agent.name })
    invariants.tell('watcher answered', { watcher: this.#nameOf(watcher), rows })
  }
}
