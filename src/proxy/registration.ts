import { utf8 } from '../base/bytes.ts'
import { writeJson } from '../base/json.ts'
import type { Closable } from '../env/async.ts'
import type { Env } from '../env/env.ts'
import type { Endpoint } from '../env/net.ts'
import { proxyKind } from '../model/mesh-service.ts'
import type { AgentClient } from './agent-client.ts'
import { refusalText } from './following.ts'

/** Interval at which the proxy reports to the agent, which considers it missing after three intervals. */
const heartbeatMs = 10_000
const timeoutMs = 10_000
/** While the proxy does not accept connections, this is the interval of checking whether it does. */
const lookMs = 1_000

export interface RegistrationPlan {
  readonly id: string
  readonly service: string
  readonly listen: Endpoint
  /** Whether connections are accepted there, so that the registration is right. */
  isListening(): boolean
}

/** The registration of a proxy with its agent for as long as it runs, with a check that reports that it runs. */
export class Registration implements Closable {
  readonly #env: Env
  readonly #api: AgentClient
  readonly #plan: RegistrationPlan
  #timer: Closable | undefined
  /** The registration under way. */
  #telling: Promise<void> | undefined
  #closed = false

  constructor(env: Env, api: AgentClient, plan: RegistrationPlan) {
    this.#env = env
    this.#api = api
    this.#plan = plan
    this.#beat(0)
  }

  /** Deregisters the proxy after the registration under way, which must not arrive later. */
  async end(): Promise<void> {
    this.close()
    await this.#telling
    await this.#put(`/v1/agent/service/deregister/${encodeURIComponent(this.#plan.id)}`)
  }

  close(): void {
    this.#closed = true
    this.#timer?.close()
  }

  get #checkId(): string {
    return `${this.#plan.id}-ttl`
  }

  #beat(afterMs: number): void {
    this.#timer = this.#env.timers.after(afterMs, () => {
      this.#telling = this.#tell()
      this.#env.detach(this.#telling)
    })
  }

  /** An agent that does not know the check has forgotten the proxy, or never knew it. */
  async #tell(): Promise<void> {
    if (!this.#plan.isListening()) return this.#closed ? undefined : this.#beat(lookMs)
    const alive = await this.#put(`/v1/agent/check/pass/${encodeURIComponent(this.#checkId)}`)
    if (alive !== undefined && !this.#closed) {
      const problem =
        (await this.#register()) ?? (await this.#put(`/v1/agent/check/pass/${encodeURIComponent(this.#checkId)}`))
      const text = problem === undefined ? 'The proxy is registered' : 'The proxy could not be registered'
      const fields = { id: this.#plan.id, ...(problem === undefined ? {} : { why: problem }) }
      if (!this.#closed) this.#env.log.write(problem === undefined ? 'info' : 'warn', 'proxy', text, fields)
    }
    if (!this.#closed) this.#beat(heartbeatMs)
  }

  #register(): Promise<string | undefined> {
    const { id, service, listen } = this.#plan
    const address = listen.host === '0.0.0.0' || listen.host === '::' ? '' : listen.host
    return this.#put('/v1/agent/service/register', {
      Kind: proxyKind,
      ID: id,
      Name: `${service}-proxy`,
      Address: address,
      Port: listen.port,
      Proxy: { DestinationServiceName: service },
      Check: { CheckID: this.#checkId, Name: 'Connect Proxy Alive', TTL: `${(3 * heartbeatMs) / 1000}s` },
    })
  }

  async #put(path: string, body?: Parameters<typeof writeJson>[0]): Promise<string | undefined> {
    const sent = body === undefined ? {} : { body: utf8(writeJson(body)) }
    const answer = await this.#api.ask({ method: 'PUT', path, timeoutMs, ...sent })
    if (!answer.ok) return answer.error
    return answer.value.status === 200 ? undefined : refusalText(answer.value)
  }
}
