import { textOf, utf8 } from '../../src/base/bytes.ts'
import type { Env } from '../../src/env/env.ts'
import type { HttpClientResponse } from '../../src/env/http.ts'
import type { Endpoint } from '../../src/env/net.ts'
import { headerSaid } from '../../src/model/naming/names.ts'

/** `unknown`: no answer, or one that leaves the outcome open. */
export type LockAnswer =
  | { readonly kind: 'held'; readonly fence: number }
  | { readonly kind: 'refused' | 'no-session' | 'unknown' }

/** A client of the session and lock endpoints of the HTTP API, over the simulated network. */
export class LockClient {
  readonly #env: Env
  readonly #timeoutMs: number

  constructor(env: Env, timeoutMs: number) {
    this.#env = env
    this.#timeoutMs = timeoutMs
  }

  /** The new session's ID; undefined if no creation is known. */
  async create(agent: Endpoint, body: object): Promise<string | undefined> {
    const answer = await this.#put(agent, '/v1/session/create', JSON.stringify(body))
    return answer?.status === 200 ? (JSON.parse(textOf(answer.body)) as { readonly ID: string }).ID : undefined
  }

  /** False: the session has ended. */
  async renew(agent: Endpoint, session: string): Promise<boolean | undefined> {
    const answer = await this.#put(agent, `/v1/session/renew/${session}`)
    return answer?.status === 200 ? true : answer?.status === 404 ? false : undefined
  }

  async destroy(agent: Endpoint, session: string): Promise<void> {
    await this.#put(agent, `/v1/session/destroy/${session}`)
  }

  async acquire(agent: Endpoint, key: string, session: string, value: string): Promise<LockAnswer> {
    const answer = await this.#put(agent, `/v1/kv/${key}?acquire=${session}&fence`, value)
    if (answer === undefined) return { kind: 'unknown' }
    const text = textOf(answer.body).trim()
    if (answer.status === 500 && text.includes('invalid session')) return { kind: 'no-session' }
    if (answer.status !== 200) return { kind: 'unknown' }
    return text === 'true' ? { kind: 'held', fence: Number(headerSaid(answer.headers, 'fence')) } : { kind: 'refused' }
  }

  /** Whether the lock was released; undefined: not known. */
  async release(agent: Endpoint, key: string, session: string, value: string): Promise<boolean | undefined> {
    const answer = await this.#put(agent, `/v1/kv/${key}?release=${session}`, value)
    return answer?.status === 200 ? textOf(answer.body).trim() === 'true' : undefined
  }

  /** Writes the key without a lock, as any client may while another session holds it. */
  async write(agent: Endpoint, key: string, value: string): Promise<void> {
    await this.#put(agent, `/v1/kv/${key}`, value)
  }

  async #put(agent: Endpoint, target: string, body = ''): Promise<HttpClientResponse | undefined> {
    const answer = await this.#env.http.request(agent, {
      method: 'PUT',
      target,
      timeoutMs: this.#timeoutMs,
      body: utf8(body),
    })
    return answer.ok ? answer.value : undefined
  }
}
