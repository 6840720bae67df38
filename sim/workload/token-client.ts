import { textOf, utf8 } from '../../src/base/bytes.ts'
import type { Env } from '../../src/env/env.ts'
import type { Endpoint } from '../../src/env/net.ts'
import { answerWithinMs } from './asked-agents.ts'
import { tokenHeaders } from './key-client.ts'

/** A client of the access control endpoints of the HTTP API with one token, over the simulated network. */
export class TokenClient {
  readonly #env: Env
  readonly #secret: () => string

  constructor(env: Env, secret: () => string) {
    this.#env = env
    this.#secret = secret
  }

  /** Creates the policy, or replaces its rules if one of this name exists. */
  async putPolicy(agent: Endpoint, name: string, Rules: string): Promise<boolean> {
    const listed = await this.ask(agent, 'GET', '/v1/acl/policies')
    if (listed === undefined) return false
    const known = (JSON.parse(listed) as readonly { readonly ID: string; readonly Name: string }[]).find(
      ({ Name }) => Name === name,
    )
    const body = { Name: name, Rules }
    const target = known === undefined ? '/v1/acl/policy' : `/v1/acl/policy/${known.ID}`
    const put = await this.ask(agent, 'PUT', target, known === undefined ? body : { ID: known.ID, ...body })
    return put !== undefined
  }

  /** The body of the answer; undefined: the request failed, or its outcome is unknown. */
  async ask(agent: Endpoint, method: string, target: string, body?: object): Promise<string | undefined> {
    const answer = await this.#env.http.request(agent, {
      method,
      target,
      timeoutMs: answerWithinMs,
      headers: tokenHeaders(this.#secret()),
      ...(body === undefined ? {} : { body: utf8(JSON.stringify(body)) }),
    })
    return answer.ok && answer.value.status === 200 ? textOf(answer.value.body) : undefined
  }
}
