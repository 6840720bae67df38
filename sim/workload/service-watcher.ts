import { z } from 'zod'
import { textOf } from '../../src/base/bytes.ts'
import { formatDuration } from '../../src/base/duration.ts'
import type { Env } from '../../src/env/env.ts'
import type { Endpoint } from '../../src/env/net.ts'
import { headerSaid } from '../../src/model/naming/names.ts'
import { pause } from '../../src/model/pause.ts'
import { dnsEndpoint, httpEndpoint } from '../cluster/node-identity.ts'
import { duration, selector } from '../notation/fields.ts'
import { askDns } from './dns-client.ts'
import { workloadKind } from './kind.ts'

/** A blocking query of a watcher waits this long on the agent, plus a little for the answer. */
const waitS = 10
const answerWithinMs = 20_000
const pollMs = 200
const dnsWithinMs = 4_000
/** A blocking query that lasts longer was accepted, and waits for a change. */
const heldMs = 1_000
const cannotTell = 'SERVFAIL'

export interface WatcherPlan {
  readonly service: string
  /** The number of healthy instances below which the service must not fall once it has reached it. */
  readonly atLeast: number
  /**
   * Longest time without an answer, or with a failure as the answer; undefined: a missing answer is allowed for any
   * time, but a failure is not.
   */
  readonly silentMsMax: number | undefined
  /** Address of the watcher itself. */
  readonly host: string
}

export interface WatchedAgent {
  readonly name: string
  readonly http: Endpoint
  readonly dns: Endpoint
}

/**
 * A client of a service that watches it at one agent all the time, by blocking queries and by DNS. Once an answer has
 * had all instances, an answer with fewer is a gap. A missing answer is no gap unless the plan limits the silence,
 * because the scenario decides what the network loses.
 */
export class ServiceWatcher {
  readonly #env: Env
  readonly #plan: WatcherPlan
  readonly #agent: WatchedAgent
  readonly #onGap: (what: string) => void
  #running = false
  #seen = { http: false, dns: false }
  /** Since when there was no useful answer, after the first one. */
  #silentSinceMs: { http: number | undefined; dns: number | undefined } = { http: undefined, dns: undefined }
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
      const askedMs = this.#env.clock.monoMs()
      const request = { method: 'GET', target, timeoutMs: answerWithinMs }
      const answer = await this.#env.http.request(this.#agent.http, request)
      if (answer.ok && answer.value.status === 200) {
        const instances = JSON.parse(textOf(answer.value.body)) as readonly unknown[]
        this.#index = Number(headerSaid(answer.value.headers, 'index') ?? 0)
        this.#judge('http', instances.length)
      } else {
        // While a question was held, there was no silence: that begins when its connection broke.
        const brokeMs = this.#env.clock.monoMs()
        if (brokeMs - askedMs > heldMs) this.#silentSinceMs.http = undefined
        this.#heardNothing('http', brokeMs)
        await pause(this.#env, pollMs)
      }
    }
  }

  async #poll(): Promise<void> {
    const { service, silentMsMax } = this.#plan
    const name = `${service}.service.svc.`
    // An agent that is paused takes a question and does not answer it: a client that wants an answer in time asks again.
    const timeoutMs = silentMsMax === undefined ? dnsWithinMs : Math.min(dnsWithinMs, Math.ceil(silentMsMax / 3))
    while (this.#running) {
      const askedMs = this.#env.clock.monoMs()
      const question = { name, type: 'SRV', over: 'tcp', timeoutMs } as const
      const answer = await askDns(this.#env, this.#plan.host, this.#agent.dns, question)
      if (typeof answer === 'string') this.#heardNothing('dns', askedMs)
      else if (answer.rcode === cannotTell && this.#plan.silentMsMax !== undefined) this.#heardNothing('dns', askedMs)
      else this.#judge('dns', answer.answers.length)
      await pause(this.#env, pollMs)
    }
  }

  #judge(over: 'http' | 'dns', instances: number): void {
    const { service, atLeast } = this.#plan
    this.#silentSinceMs[over] = undefined
    if (instances >= atLeast) this.#seen[over] = true
    else if (this.#seen[over] && this.#running) {
      this.#onGap(
        `${this.#agent.name} has ${instances} of ${atLeast} instances of ${service} over ${over.toUpperCase()}`,
      )
    }
  }

  /** Judged at each failed question, so that a silence that never ends is found as well. */
  #heardNothing(over: 'http' | 'dns', beganMs: number): void {
    const { service, silentMsMax } = this.#plan
    if (silentMsMax === undefined || !this.#seen[over] || !this.#running) return
    const now = this.#env.clock.monoMs()
    const since = this.#silentSinceMs[over] ?? beganMs
    this.#silentSinceMs[over] = since
    if (now - since <= silentMsMax) return
    const forMs = formatDuration(Math.round(now - since))
    this.#onGap(`${this.#agent.name} has said nothing of ${service} over ${over.toUpperCase()} for ${forMs}`)
  }
}

const watcher = z.strictObject({
  at: selector.describe('The agents at which the service is watched, each over HTTP (blocking queries) and DNS.'),
  service: z.string().min(1),
  'at least': z
    .int()
    .min(1)
    .describe('Minimum number of healthy instances, once it was reached; an answer with fewer fails the run.'),
  'silent for at most': duration
    .optional()
    .describe(
      'Maximum time for which an agent may give no answer, or SERVFAIL over DNS. If absent, a missing answer is never a gap, and SERVFAIL always is.',
    ),
})

export const watchers = workloadKind({
  names: [/^[a-z][a-z0-9 -]*$/, 'watchers are named with small letters'],
  group: watcher,
  text: 'Clients that watch a service all the time; the service must never be missing.',
  isLast: true,
  crews: [
    {
      machine: 'watchers',
      open: (group, { name, env, host, run }) => {
        const { service, 'at least': atLeast, 'silent for at most': silentMsMax } = group
        return run.select(group.at).map((node) => {
          const identity = run.cluster.identityOf(node)
          const agent = { name: node, http: httpEndpoint(identity), dns: dnsEndpoint(identity) }
          const plan = { service, atLeast, silentMsMax, host }
          return new ServiceWatcher(env, plan, agent, (what) => run.fail(['watchers', name], what))
        })
      },
    },
  ],
})
