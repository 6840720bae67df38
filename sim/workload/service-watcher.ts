import { textOf } from '../../src/base/bytes.ts'
import type { Env } from '../../src/env/env.ts'
import type { Endpoint } from '../../src/env/net.ts'
import { askDns } from './dns-client.ts'

/** A blocking query of a watcher waits this long on the agent, and a little more for the answer. */
const waitS = 10
const answerWithinMs = 20_000
const pollMs = 200
const dnsWithinMs = 4_000

export interface WatcherPlan {
  readonly service: string
  /** How many healthy instances there are at every moment, once there were so many. */
  readonly atLeast: number
  /** Where the watcher itself is. */
  readonly host: string
}

export interface WatchedAgent {
  readonly name: string
  readonly http: Endpoint
  readonly dns: Endpoint
}

/**
 * Somebody who uses a service and looks at one agent for it all the time, by blocking queries and by DNS. From the first
 * answer with all instances on, an answer with fewer is a gap. No answer is none: the network is the scenario's business.
 */
export class ServiceWatcher {
  readonly #env: Env
  readonly #plan: WatcherPlan
  readonly #agent: WatchedAgent
  readonly #onGap: (what: string) => void
  #running = false
  #seen = { http: false, dns: false }
  #index = 0

  constructor(env: Env, plan: WatcherPlan, agent: WatchedAgent, onGap: (what: string) => void) {
    this.#env = env
    this.#plan = plan
    this.#agent = agent
    this.#onGap = onGap
  }

  start(): void {
    if (this.#running) return
    this.#running = true
    this.#env.detach(this.#watch())
    this.#env.detach(this.#poll())
  }

  stop(): void {
    this.#running = false
  }

  async #watch(): Promise<void> {
    while (this.#running) {
      const target = `/v1/health/service/${this.#plan.service}?passing&index=${this.#index}&wait=${waitS}s`
      const request = { method: 'GET', target, timeoutMs: answerWithinMs }
      const answer = await this.#env.http.request(this.#agent.http, request)
      if (answer.ok && answer.value.status === 200) {
        const instances = JSON.parse(textOf(answer.value.body)) as readonly unknown[]
        this.#index = Number(answer.value.headers.get('x-svc-index') ?? 0)
        this.#judge('http', instances.length)
      } else await this.#pause()
    }
  }

  async #poll(): Promise<void> {
    const name = `${this.#plan.service}.service.svc.`
    while (this.#running) {
      const question = { name, type: 'SRV', over: 'tcp', timeoutMs: dnsWithinMs } as const
      const answer = await askDns(this.#env, this.#plan.host, this.#agent.dns, question)
      if (typeof answer !== 'string') this.#judge('dns', answer.answers.length)
      await this.#pause()
    }
  }

  #judge(over: 'http' | 'dns', instances: number): void {
    const { service, atLeast } = this.#plan
    if (instances >= atLeast) this.#seen[over] = true
    else if (this.#seen[over] && this.#running) {
      this.#onGap(
        `${this.#agent.name} has ${instances} of ${atLeast} instances of ${service} over ${over.toUpperCase()}`,
      )
    }
  }

  #pause(): Promise<void> {
    const over = this.#env.deferred<void>()
    this.#env.timers.after(pollMs, () => over.resolve())
    return over.promise
  }
}
