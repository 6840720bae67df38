import { textOf, utf8 } from '../../src/base/bytes.ts'
import type { Env } from '../../src/env/env.ts'
import type { Endpoint } from '../../src/env/net.ts'
import type { RegistrationChange } from '../checkers/registrations/registration-facts.ts'

/** Requests changes of services and checks from agents, over the simulated network. */
export class AgentClient {
  readonly #env: Env
  readonly #timeoutMs: number

  constructor(env: Env, timeoutMs: number) {
    this.#env = env
    this.#timeoutMs = timeoutMs
  }

  /** The outcome stays open unless the answer is a success, or says that the agent has no such check. */
  async put(agent: Endpoint, target: string, body?: object): Promise<Exclude<RegistrationChange['outcome'], 'open'>> {
    const answer = await this.#env.http.request(agent, {
      method: 'PUT',
      target,
      timeoutMs: this.#timeoutMs,
      body: utf8(body === undefined ? '' : JSON.stringify(body)),
    })
    if (!answer.ok) return 'unknown'
    if (answer.value.status === 200) return 'done'
    return noSuchCheck.test(textOf(answer.value.body)) ? 'not held' : 'unknown'
  }
}

const noSuchCheck = /does not have associated TTL|Unknown check|No service registered with ID/
