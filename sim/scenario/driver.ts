import { textOf, utf8 } from '../../src/base/bytes.ts'
import type { TypeName } from '../../src/dns-wire/message.ts'
import type { ReceivedResponse } from '../../src/dns-wire/question.ts'
import type { Env } from '../../src/env/env.ts'
import type { HttpClientRequest } from '../../src/env/http.ts'
import type { Endpoint } from '../../src/env/net.ts'
import type { Simulation } from '../simulation/simulation.ts'
import { askDns } from '../workload/dns-client.ts'
import { tokenHeaders } from '../workload/key-client.ts'
import { type Answer, answerOf } from './answers.ts'

interface Passing {
  passUntil(isSo: () => boolean, spanMs: number): Promise<boolean>
}

export interface DriverRequest {
  readonly method: string
  readonly target: string
  readonly headers?: readonly (readonly [name: string, value: string])[]
  readonly bodyText?: string
  /** Replaces `bodyText`. */
  readonly bodyBytes?: Uint8Array
  /** The secret of a token; absent: the operator's token. */
  readonly token?: string
  readonly timeoutMs: number
}

/** A request that is over: for the laws that hold only where they know what clients asked. */
export interface DrivenExchange {
  readonly target: string
  readonly calledUs: number
  /** Undefined: there was no answer. */
  readonly status: number | undefined
}

interface DriverOptions {
  readonly host: string
  /** The operator's token; empty: none. */
  readonly operatorToken: () => string
  /** A request is sent. */
  readonly onRequest: (to: Endpoint, target: string, body: () => string | undefined) => void
  readonly onExchange: (exchange: DrivenExchange) => void
}

export interface DriverQuestion {
  /** Absolute, with the final dot. */
  readonly name: string
  readonly type: TypeName
  readonly over: 'udp' | 'tcp'
  readonly timeoutMs: number
}

/** Sends the requests of the scenario's own steps, from a machine of its own. */
export class Driver {
  /** Answers by the names under which steps saved them. */
  readonly answers = new Map<string, Answer>()
  /** Values that steps keep for later ones, by name. */
  readonly kept = new Map<string, string>()
  readonly #simulation: Simulation
  readonly #options: DriverOptions
  #env: Env | undefined

  constructor(simulation: Simulation, options: DriverOptions) {
    this.#simulation = simulation
    this.#options = options
    simulation.addNode({ name: 'driver', host: options.host }).boot((env) => {
      this.#env = env
    })
  }

  /** The operator's token; empty: none. */
  get operatorToken(): string {
    return this.#options.operatorToken()
  }

  /** The answer, or why there is none. Time passes meanwhile. */
  async ask(run: Passing, to: Endpoint, request: DriverRequest): Promise<Answer | string> {
    const outcome = await this.perform(run, request.timeoutMs * 2, (env) => this.#exchange(env, to, request))
    return outcome ?? 'the run ended first'
  }

  /** As `ask`, without waiting: `told` receives the answer, or why there is none. */
  send(to: Endpoint, request: DriverRequest, told: (answer: Answer | string) => void): void {
    this.begin((env) => this.#exchange(env, to, request), told)
  }

  async #exchange(env: Env, to: Endpoint, request: DriverRequest): Promise<Answer | string> {
    const { method, target, bodyText, timeoutMs } = request
    const headers = [...tokenHeaders(request.token ?? this.operatorToken), ...(request.headers ?? [])]
    const body = request.bodyBytes ?? (bodyText === undefined ? undefined : utf8(bodyText))
    const sent = { method, target, headers, timeoutMs, ...(body === undefined ? {} : { body }) }
    const answered = await this.request(env, to, sent)
    return answered.ok ? answerOf(answered.value) : answered.error.kind
  }

  /** Sends a request of a task; the checkers learn what it permits, and what came of it. */
  async request(env: Env, to: Endpoint, request: HttpClientRequest): ReturnType<Env['http']['request']> {
    const { target, body } = request
    this.#options.onRequest(to, target, () => (body === undefined ? undefined : textOf(body)))
    const calledUs = this.#simulation.nowUs
    const answered = await env.http.request(to, request)
    this.#options.onExchange({ target, calledUs, status: answered.ok ? answered.value.status : undefined })
    return answered
  }

  /**
   * Runs a task on the driver's machine, which takes time; undefined: the run ended first, or the task took too long.
   */
  async perform<T>(run: Passing, withinMs: number, task: (env: Env) => Promise<T>): Promise<T | undefined> {
    let outcome: { readonly value: T } | undefined
    const work = async (env: Env): Promise<void> => {
      outcome = { value: await task(env) }
    }
    this.#simulation.after(0, () => this.#env?.detach(work(this.#env)))
    await run.passUntil(() => outcome !== undefined, withinMs)
    return outcome?.value
  }

  /** Runs a task on the driver's machine without waiting. `told` receives its result. */
  begin<T>(task: (env: Env) => Promise<T>, told: (value: T) => void): void {
    const work = async (env: Env): Promise<void> => told(await task(env))
    this.#simulation.after(0, () => this.#env?.detach(work(this.#env)))
  }

  /** The DNS answer, or why there is none. Time passes meanwhile. */
  async resolve(run: Passing, to: Endpoint, question: DriverQuestion): Promise<ReceivedResponse | string> {
    const outcome = await this.perform(run, question.timeoutMs * 2, (env) =>
      askDns(env, this.#options.host, to, question),
    )
    return outcome ?? 'the run ended first'
  }
}
