import { textOf } from '../base/bytes.ts'
import type { Closable } from '../env/async.ts'
import type { Env } from '../env/env.ts'
import { headerSaid } from '../model/naming/names.ts'
import { msOfDigits } from '../pki/der-reader.ts'
import type { AgentClient, AgentResponse } from './agent-client.ts'

/** Wait time of a blocking query; the agent holds it for up to a sixteenth longer. */
const waitMs = 60_000
const timeoutMs = 75_000
/** After a failure, or an answer without an index or hash, the pause doubles from the first to the last of these. */
const pauseMinMs = 250
const pauseMaxMs = 15_000
/** Minimum interval between requests, whatever the agent answers. */
const restMs = 20
const reasonLengthMax = 160

export interface Followed {
  readonly path: string
  readonly query?: readonly (readonly [name: string, value: string])[]
  /** By what the agent identifies the last answer. */
  readonly by: 'index' | 'hash'
  /** Returns what is wrong with an answer of status 200. */
  take(body: Uint8Array): string | undefined
}

/** Repeats a request to the agent, which each time waits for a change. */
export class Following implements Closable {
  readonly #env: Pick<Env, 'timers' | 'deferred' | 'log'>
  readonly #api: AgentClient
  readonly #what: Followed
  #known = ''
  #failures = 0
  /** Number of consecutive answers without an index or hash: the agent does not wait after such an answer, so we do. */
  #unmarked = 0
  #closed = false
  #wake: () => void = () => undefined

  constructor(env: Pick<Env, 'timers' | 'deferred' | 'log' | 'detach'>, api: AgentClient, what: Followed) {
    this.#env = env
    this.#api = api
    this.#what = what
    env.detach(this.#run())
  }

  close(): void {
    this.#closed = true
    this.#wake()
  }

  async #run(): Promise<void> {
    while (!this.#closed) {
      const problem = await this.#askOnce()
      if (this.#closed) return
      if (problem === undefined) {
        this.#failures = 0
        this.#unmarked = this.#known === '' ? this.#unmarked + 1 : 0
        await this.#pause(this.#unmarked === 0 ? restMs : growing(this.#unmarked - 1))
        continue
      }
      this.#known = ''
      this.#env.log.write(this.#failures === 0 ? 'warn' : 'debug', 'proxy', problem, { path: this.#what.path })
      await this.#pause(growing(this.#failures++))
    }
  }

  /** Returns what is wrong, if anything. */
  async #askOnce(): Promise<string | undefined> {
    const { path, query = [], by, take } = this.#what
    const waiting: readonly (readonly [string, string])[] =
      this.#known === ''
        ? []
        : [
            [by, this.#known],
            ['wait', `${waitMs / 1000}s`],
          ]
    const answer = await this.#api.ask({ method: 'GET', path, query: [...query, ...waiting], timeoutMs })
    if (this.#closed) return undefined
    if (!answer.ok) return answer.error
    if (answer.value.status !== 200) return refusalText(answer.value)
    const problem = take(answer.value.body)
    if (problem === undefined) this.#known = this.#markOf(answer.value)
    return problem
  }

  #markOf({ headers }: AgentResponse): string {
    if (this.#what.by === 'hash') return headerSaid(headers, 'contenthash') ?? ''
    const index = headerSaid(headers, 'index') ?? ''
    // A lower index comes from another life of the cluster: its present state is requested without waiting.
    return isBelow(index, this.#known) ? '' : index
  }

  async #pause(ms: number): Promise<void> {
    const over = this.#env.deferred<void>()
    const timer = this.#env.timers.after(ms, () => over.resolve())
    this.#wake = () => over.resolve()
    await over.promise
    timer.close()
  }
}

function growing(times: number): number {
  return Math.min(pauseMaxMs, pauseMinMs << Math.min(times, 8))
}

export function refusalText({ status, body }: Pick<AgentResponse, 'status' | 'body'>): string {
  return `the agent answers ${status}: ${textOf(body).trim().slice(0, reasonLengthMax)}`
}

function isBelow(index: string, known: string): boolean {
  return index.length < known.length || (index.length === known.length && index < known)
}

/** The wall clock may be set, so it is checked at least this often. */
const lookMs = 60_000
/** While there is no new leaf, the report is repeated after this. */
const sayAgainMs = 3_600_000
/** An agent renews a leaf before nine tenths of its life are over. */
const lateFraction = 0.92

/** The validity of a leaf in the agent's form: RFC 3339 in UTC. */
export interface LeafTerm {
  readonly ValidAfter: string
  readonly ValidBefore: string
}

/** Reports when the leaf of a proxy is about to expire or has expired, because its agent gives no new one. */
export class LeafExpiry implements Closable {
  readonly #env: Pick<Env, 'clock' | 'timers' | 'log'>
  readonly #service: string
  #timer: Closable | undefined
  #saidMs: number | undefined
  #saidExpired = false

  constructor(env: Pick<Env, 'clock' | 'timers' | 'log'>, service: string) {
    this.#env = env
    this.#service = service
  }

  /** Watches this leaf from now on. One whose validity cannot be parsed is not watched. */
  follow({ ValidAfter, ValidBefore }: LeafTerm): void {
    this.close()
    this.#saidMs = undefined
    this.#saidExpired = false
    const from = momentOf(ValidAfter)
    const until = momentOf(ValidBefore)
    if (from !== undefined && until !== undefined) this.#look(from + (until - from) * lateFraction, until, ValidBefore)
  }

  close(): void {
    this.#timer?.close()
  }

  #look(lateMs: number, untilMs: number, until: string): void {
    const nowMs = this.#env.clock.wallMs()
    if (nowMs >= lateMs) this.#say(nowMs >= untilMs, until)
    const nextMs = nowMs < lateMs ? lateMs : untilMs
    const waitMs = nowMs < nextMs ? Math.min(lookMs, nextMs - nowMs) : lookMs
    this.#timer = this.#env.timers.after(waitMs, () => this.#look(lateMs, untilMs, until))
  }

  #say(isExpired: boolean, until: string): void {
    const nowMs = this.#env.clock.monoMs()
    const isNew = isExpired && !this.#saidExpired
    if (this.#saidMs !== undefined && nowMs - this.#saidMs < sayAgainMs && !isNew) return
    this.#saidMs = nowMs
    this.#saidExpired = isExpired
    const text = isExpired
      ? 'The leaf certificate has expired, and the agent provides no new one: new connections fail until it does'
      : 'The leaf certificate expires soon, and the agent provides no new one'
    this.#env.log.write(isExpired ? 'error' : 'warn', 'proxy', text, { service: this.#service, until })
  }
}

function momentOf(text: string): number | undefined {
  return msOfDigits(text.replace(/\D/g, '').slice(0, 14))
}
