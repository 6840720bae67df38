import { utf8 } from '../../src/base/bytes.ts'
import type { TypeName } from '../../src/dns-wire/message.ts'
import type { ReceivedResponse } from '../../src/dns-wire/question.ts'
import type { Env } from '../../src/env/env.ts'
import type { Endpoint } from '../../src/env/net.ts'
import { askDns } from '../workload/dns-client.ts'
import type { Simulation } from '../world/simulation.ts'
import { type Answer, answerOf } from './answers.ts'

interface Passing {
  passUntil(isSo: () => boolean, spanMs: number): Promise<boolean>
}

export interface DriverRequest {
  readonly method: string
  readonly target: string
  readonly headers?: readonly (readonly [name: string, value: string])[]
  readonly bodyText?: string
  /** In place of `bodyText`. */
  readonly bodyBytes?: Uint8Array
  readonly timeoutMs: number
}

export interface DriverQuestion {
  /** Absolute, with the final dot. */
  readonly name: string
  readonly type: TypeName
  readonly over: 'udp' | 'tcp'
  readonly timeoutMs: number
}

/** Asks on behalf of the scenario's own steps, from a machine of its own. */
export class Driver {
  /** Answers by the names that steps saved them under. */
  readonly answers = new Map<string, Answer>()
  readonly #simulation: Simulation
  readonly #host: string
  #env: Env | undefined

  constructor(simulation: Simulation, host: string) {
    this.#simulation = simulation
    this.#host = host
    simulation.addNode({ name: 'driver', host }).boot((env) => {
      this.#env = env
    })
  }

  /** The answer, or why there is none. Time passes meanwhile. */
  async ask(run: Passing, to: Endpoint, request: DriverRequest): Promise<Answer | string> {
    let outcome: Answer | string | undefined
    const { method, target, headers = [], bodyText, timeoutMs } = request
    const body = request.bodyBytes ?? (bodyText === undefined ? undefined : utf8(bodyText))
    const sent = { method, target, headers, timeoutMs, ...(body === undefined ? {} : { body }) }
    const ask = async (env: Env): Promise<void> => {
      const answered = await env.http.request(to, sent)
      outcome = answered.ok ? answerOf(answered.value) : answered.error.kind
    }
    this.#simulation.after(0, () => this.#env?.detach(ask(this.#env)))
    await run.passUntil(() => outcome !== undefined, timeoutMs * 2)
    return outcome ?? 'the run ended first'
  }

  /** The DNS answer, or why there is none. Time passes meanwhile. */
  async resolve(run: Passing, to: Endpoint, question: DriverQuestion): Promise<ReceivedResponse | string> {
    let outcome: ReceivedResponse | string | undefined
    const ask = async (env: Env): Promise<void> => {
      outcome = await askDns(env, this.#host, to, question)
    }
    this.#simulation.after(0, () => this.#env?.detach(ask(this.#env)))
    await run.passUntil(() => outcome !== undefined, question.timeoutMs * 2)
    return outcome ?? 'the run ended first'
  }
}
