import type { Deferred } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import type { GossipEffect, GossipEvent } from '../core/types.ts'
import type { PoolAnswer, PoolAnswers, PoolQuestion } from '../pool.ts'

type QueryEffect = Extract<GossipEffect, { kind: 'query-acked' | 'query-answered' | 'query-over' }>

interface Open {
  readonly acks: string[]
  readonly answers: PoolAnswer[]
  readonly enough: (answers: readonly PoolAnswer[]) => boolean
  readonly deferred: Deferred<PoolAnswers>
}

/** Queries of this agent that are under way: at most as many as the core allows. */
export class Questions {
  readonly #env: Pick<Env, 'deferred'>
  readonly #take: (event: GossipEvent) => void
  readonly #open = new Map<number, Open>()
  #token = 0

  constructor(env: Pick<Env, 'deferred'>, take: (event: GossipEvent) => void) {
    this.#env = env
    this.#take = take
  }

  /** Settles with the answers so far when they are enough, when time is up, or when the pool stops. */
  ask(question: PoolQuestion): Promise<PoolAnswers> {
    const token = ++this.#token
    const { name, payload, filters = [], relayFactor = 0, timeoutMs, enough = () => false } = question
    const deferred = this.#env.deferred<PoolAnswers>()
    this.#open.set(token, { acks: [], answers: [], enough, deferred })
    this.#take({ kind: 'query-asked', request: { token, name, payload, filters, relayFactor, timeoutMs } })
    return deferred.promise
  }

  hear(effect: QueryEffect): void {
    const open = this.#open.get(effect.token)
    if (open === undefined) return
    if (effect.kind === 'query-over') return this.#close(effect.token, open)
    const { from } = effect
    if (effect.kind === 'query-acked') {
      open.acks.push(from)
      return
    }
    open.answers.push({ from, payload: effect.payload })
    if (!open.enough(open.answers)) return
    this.#close(effect.token, open)
    this.#take({ kind: 'query-ended', token: effect.token })
  }

  stop(): void {
    for (const [token, open] of [...this.#open]) this.#close(token, open)
  }

  #close(token: number, { acks, answers, deferred }: Open): void {
    this.#open.delete(token)
    deferred.resolve({ acks, answers })
  }
}
