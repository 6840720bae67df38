import { z } from 'zod'
import { utf8 } from '../base/bytes.ts'
import { jsonOrUndefined, writeJson } from '../base/json.ts'
import { err, ok, type Result } from '../base/result.ts'
import type { Deferred } from '../env/async.ts'
import type { Env } from '../env/env.ts'
import type { AgentApi } from './agent-api.ts'
import { refusalText } from './following.ts'

const authorizeTimeoutMs = 10_000
const authorizeAnswer = z.object({ Authorized: z.boolean(), Reason: z.string() })

/** The error says why not, as a clause for the log. */
type Verdict = Result<undefined, string>

/**
 * Whether clients may connect to a service, which its agent is asked for each connection. Those of one client that come while it is
 * being asked about him wait for the next question, and share it: so each is judged by a question that was put after it came, as if it
 * alone had asked, and a client that comes often costs the agent one question at a time. There are never more of them than connections.
 */
export class Authorizing {
  readonly #env: Pick<Env, 'deferred' | 'detach'>
  readonly #api: AgentApi
  readonly #service: string
  /** By the URI of the client that the agent is being asked about: who waits for the question after that. */
  readonly #underWay = new Map<string, Deferred<Verdict> | undefined>()

  constructor(env: Pick<Env, 'deferred' | 'detach'>, api: AgentApi, service: string) {
    this.#env = env
    this.#api = api
    this.#service = service
  }

  /** Where the agent cannot be asked, nobody may. */
  ask(uri: string): Promise<Verdict> {
    if (!this.#underWay.has(uri)) return this.#asked(uri)
    const next = this.#underWay.get(uri) ?? this.#env.deferred<Verdict>()
    this.#underWay.set(uri, next)
    return next.promise
  }

  async #asked(uri: string): Promise<Verdict> {
    this.#underWay.set(uri, undefined)
    const verdict = await this.#question(uri)
    const next = this.#underWay.get(uri)
    this.#underWay.delete(uri)
    if (next !== undefined) this.#env.detach(this.#asked(uri).then(next.resolve))
    return verdict
  }

  async #question(uri: string): Promise<Verdict> {
    const answer = await this.#api.ask({
      method: 'POST',
      path: '/v1/agent/connect/authorize',
      body: utf8(writeJson({ Target: this.#service, ClientCertURI: uri, ClientCertSerial: '' })),
      timeoutMs: authorizeTimeoutMs,
    })
    if (!answer.ok) return answer
    if (answer.value.status !== 200) return err(refusalText(answer.value))
    const read = authorizeAnswer.safeParse(jsonOrUndefined(answer.value.body))
    if (!read.success) return err('the agent does not say whether it may')
    return read.data.Authorized ? ok(undefined) : err(read.data.Reason)
  }
}
