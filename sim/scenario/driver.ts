import { utf8 } from '../../src/base/bytes.ts'
import type { Env } from '../../src/env/env.ts'
import type { Endpoint } from '../../src/env/net.ts'
import type { Simulation } from '../world/simulation.ts'
import { type Answer, answerOf } from './answers.ts'

export interface DriverRequest {
  readonly method: string
  readonly target: string
  readonly headers?: readonly (readonly [name: string, value: string])[]
  readonly bodyText?: string
  readonly timeoutMs: number
}

/** Asks on behalf of the scenario's own steps, from a machine of its own. */
export class Driver {
  /** Answers by the names that steps saved them under. */
  readonly answers = new Map<string, Answer>()
  readonly #simulation: Simulation
  #env: Env | undefined

  constructor(simulation: Simulation, host: string) {
    this.#simulation = simulation
    simulation.addNode({ name: 'driver', host }).boot((env) => {
      this.#env = env
    })
  }

  /** The answer, or why there is none. Time passes meanwhile. */
  async ask(
    run: { passUntil(isSo: () => boolean, spanMs: number): Promise<boolean> },
    to: Endpoint,
    request: DriverRequest,
  ): Promise<Answer | string> {
    let outcome: Answer | string | undefined
    const { method, target, headers = [], bodyText, timeoutMs } = request
    const sent = { method, target, headers, timeoutMs, ...(bodyText === undefined ? {} : { body: utf8(bodyText) }) }
    const ask = async (env: Env): Promise<void> => {
      const answered = await env.http.request(to, sent)
      outcome = answered.ok ? answerOf(answered.value) : answered.error.kind
    }
    this.#simulation.after(0, () => this.#env?.detach(ask(this.#env)))
    await run.passUntil(() => outcome !== undefined, timeoutMs * 2)
    return outcome ?? 'the run ended first'
  }
}
