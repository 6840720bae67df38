import { z } from 'zod'
import { err, ok, type Result } from '../../../base/result.ts'
import type { Closable } from '../../../env/async.ts'
import type { Env } from '../../../env/env.ts'
import type { CallOptions } from '../../../features/contract/call.ts'
import type { WriteIdentity } from '../../../features/contract/command.ts'
import type {
  EndpointDefinition,
  QueryEndpoint,
  ServerEndpoint,
  WriteEndpoint,
} from '../../../features/contract/endpoint.ts'
import type { Answer, ReadOptions } from '../../../features/contract/reading.ts'
import { isReply, readMeta } from '../../../features/contract/reply.ts'
import { type Failure, malformedAnswerText } from '../../../model/failure.ts'
import type { CallFailure } from '../../../rpc/rpc.ts'
import { type AgentRequest, datacenterOf } from '../request.ts'
import { Served } from '../serving/seen-results.ts'
import type { Attempt, CallTarget } from './call-target.ts'
import type { Elsewhere } from './datacenter-target.ts'
import { SharedWaits, Watchers } from './shared-waits.ts'

/**
 * Range of the random pause before the next attempt while no server can answer; the pause ends early when one appears.
 */
const pauseMinMs = 50
const pauseMaxMs = 150

/** Minimum interval between warnings that the default token does not exist. */
const tellDefaultMs = 60_000

const answerSchema = z.object({ value: z.unknown(), meta: readMeta })

/** Finds the server that answers each request of one agent, and holds requests while there is none. */
export class Calls {
  readonly #env: Env
  readonly #target: CallTarget
  readonly #elsewhere: Elsewhere | undefined
  readonly #datacenter: string
  readonly #holdMs: number
  readonly #origin: string
  readonly #standIn: () => string
  readonly #watchers = new Watchers()
  readonly #shared: SharedWaits
  #sequence = 0
  #toldDefaultMs = Number.NEGATIVE_INFINITY
  #stopped = false
  /** Callbacks that end the pauses under way, one for each held request. */
  readonly #pauses = new Set<() => void>()
  readonly #watching: readonly Closable[]

  /**
   * `origin` names this agent and boot in the identity of its writes; `holdMs` is how long a request waits for a
   * leader. `elsewhere` serves requests for other datacenters, which are refused if it is absent. `standInToken` is
   * used for calls without a token.
   */
  constructor(parts: {
    readonly env: Env
    readonly target: CallTarget
    readonly elsewhere?: Elsewhere | undefined
    readonly datacenter: string
    readonly holdMs: number
    readonly origin: string
    readonly standInToken?: () => string
  }) {
    this.#env = parts.env
    this.#shared = new SharedWaits(parts.env)
    this.#target = parts.target
    this.#datacenter = parts.datacenter
    this.#holdMs = parts.holdMs
    this.#origin = parts.origin
    this.#standIn = parts.standInToken ?? (() => '')
    this.#elsewhere = parts.elsewhere
    this.#watching = [this.#target, this.#elsewhere].flatMap((one) => one?.onHope(() => this.#endPauses()) ?? [])
  }

  stop(): void {
    this.#stopped = true
    for (const watching of this.#watching) watching.close()
    this.#shared.stop()
    this.#endPauses()
  }

  /** The identity stays the same over all attempts, so that the write takes effect once however often it is sent. */
  async write<Args, Reply>(
    endpoint: WriteEndpoint<Args, Reply>,
    args: Args,
    options: CallOptions,
  ): Promise<Result<Reply, Failure>> {
    const identity: WriteIdentity = { origin: this.#origin, sequence: this.#sequence++ }
    const to = options.datacenter === undefined ? {} : { datacenter: options.datacenter }
    const request = { args, identity, ...to, ...this.#tokenPart(options) }
    // A server that answers something else has been asked for the change all the same, and may have made it.
    const malformed = { kind: 'outcome-unknown', message: malformedAnswerText(endpoint.method) } as const
    return replied(endpoint, await this.forward(endpoint, request, options), malformed)
  }

  async query<Args, Reply>(
    endpoint: QueryEndpoint<Args, Reply>,
    args: Args,
    read: ReadOptions,
    options: CallOptions,
  ): Promise<Result<Answer<Reply>, Failure>> {
    if (read.minIndex === 0) {
      const isHere = !this.#stopped && this.#isHere(read.datacenter)
      const now = isHere ? this.#target.answerNow(endpoint, args, read, this.tokenOf(options)) : undefined
      if (now?.ok === false) this.#noteDefault(now, options)
      return now ?? this.#query(endpoint, args, read, options)
    }
    const { client } = options
    const begun = client === undefined ? ok(undefined) : this.#watchers.begin(client)
    if (!begun.ok) return begun
    try {
      return await this.#wait(endpoint, args, read, options)
    } finally {
      if (client !== undefined) this.#watchers.end(client)
    }
  }

  /** If this server answers the read itself, callers with the same request share its result anyway. */
  async #wait<Args, Reply>(
    endpoint: QueryEndpoint<Args, Reply>,
    args: Args,
    read: ReadOptions,
    options: CallOptions,
  ): Promise<Result<Answer<Reply>, Failure>> {
    if (this.#isHere(read.datacenter) && this.#target.answersHere(endpoint, read))
      return this.#query(endpoint, args, read, options)
    const token = this.tokenOf(options)
    const ask = (asked: ReadOptions, call: CallOptions) => this.#query(endpoint, args, asked, { ...call, token })
    const answer = await this.#shared.wait(endpoint as QueryEndpoint, args, read, ask, { ...options, token })
    return answer as Result<Answer<Reply>, Failure>
  }

  /** Warns that the agent's default token does not exist, so that every call without a token of its own is refused. */
  #noteDefault(result: Result<unknown, Failure>, { token }: CallOptions): void {
    if (result.ok || result.error.kind !== 'token-not-found') return
    if ((token !== undefined && token !== '') || this.#standIn() === '') return
    const nowMs = this.#env.clock.monoMs()
    if (nowMs < this.#toldDefaultMs + tellDefaultMs) return
    this.#toldDefaultMs = nowMs
    this.#env.log.write(
      'warn',
      'acl',
      'the default token of this agent does not exist: requests without a token are refused',
    )
  }

  async #query<Args, Reply>(
    endpoint: QueryEndpoint<Args, Reply>,
    args: Args,
    read: ReadOptions,
    options: CallOptions,
  ): Promise<Result<Answer<Reply>, Failure>> {
    const result = await this.forward(endpoint, { args, read, ...this.#tokenPart(options) }, options)
    this.#noteDefault(result, options)
    if (!result.ok) return result
    if (result.value instanceof Served) return ok(result.value.of(endpoint))
    const answer = answerSchema.safeParse(result.value)
    if (!answer.success) return err(malformedAnswer(endpoint))
    const { value, meta } = answer.data
    return isReply(endpoint, value) ? ok({ value, meta }) : err(malformedAnswer(endpoint))
  }

  async ask<Args, Reply>(
    endpoint: ServerEndpoint<Args, Reply>,
    args: Args,
    read: ReadOptions,
    options: CallOptions,
  ): Promise<Result<Reply, Failure>> {
    const result = await this.forward(endpoint, { args, read, ...this.#tokenPart(options) }, options)
    return replied(endpoint, result, malformedAnswer(endpoint))
  }

  /** Forwards a request, this agent's own or another's, to the server that must answer it. */
  async forward(
    endpoint: EndpointDefinition,
    request: AgentRequest,
    options: CallOptions,
  ): Promise<Result<unknown, Failure>> {
    const changes = endpoint.kind === 'write'
    const datacenter = datacenterOf(request)
    const target = this.#isHere(datacenter) ? this.#target : this.#elsewhere?.targetOf(datacenter)
    if (target === undefined) return err({ kind: 'unknown-datacenter', datacenter })
    return this.#hold(options, { changes, nobody: target.nobody }, (caller) =>
      target.attempt(endpoint, request, caller),
    )
  }

  /** The token of a call: its own, or the default one. */
  tokenOf({ token }: CallOptions): string {
    return token === undefined || token === '' ? this.#standIn() : token
  }

  #tokenPart(options: CallOptions): Pick<AgentRequest, 'token'> {
    const token = this.tokenOf(options)
    return token === '' ? {} : { token }
  }

  #isHere(datacenter: string): boolean {
    return datacenter === '' || datacenter === this.#datacenter
  }

  /**
   * Retries until a server has answered, for at most the hold time after the first attempt without an answer. Once an
   * attempt of a write may have reached a leader, only an answer tells its outcome. Whatever ends the holding then,
   * except a refusal that every attempt would meet, is reported to the caller as an unknown outcome. A read has no
   * outcome to lose.
   */
  async #hold(
    options: CallOptions,
    { changes, nobody }: { readonly changes: boolean; readonly nobody: Failure },
    attempt: (caller: Attempt) => Promise<Result<unknown, CallFailure>>,
  ): Promise<Result<unknown, Failure>> {
    const caller = new HeldCaller(options)
    let failingSinceMs: number | undefined
    let unknown: Failure | undefined
    for (;;) {
      if (this.#stopped) return err(unknown ?? { kind: 'shutting-down' })
      if (caller.aborted) return err({ kind: 'cancelled' })
      const result = await attempt(caller)
      if (result.ok) return result
      const failure = result.error
      if (changes && mayHaveBeenServed(failure)) unknown = { kind: 'outcome-unknown', message: failure.message }
      if (!isPassing(failure)) return err(isMomentary(failure) ? (unknown ?? failure) : failure)
      const now = this.#env.clock.monoMs()
      failingSinceMs ??= now
      const leftMs = failingSinceMs + this.#holdMs - now
      if (leftMs <= 0) return err(unknown ?? nobody)
      await this.#pause(leftMs, caller)
    }
  }

  #pause(limitMs: number, caller: HeldCaller): Promise<void> {
    const deferred = this.#env.deferred<void>()
    const drawn = pauseMinMs + this.#env.random.draws('calls.pause').below(pauseMaxMs - pauseMinMs)
    const end = (): void => {
      timer.close()
      this.#pauses.delete(end)
      deferred.resolve()
    }
    const timer = this.#env.timers.after(Math.min(drawn, limitMs), end)
    this.#pauses.add(end)
    caller.onAbort(end)
    return deferred.promise
  }

  #endPauses(): void {
    for (const end of [...this.#pauses]) end()
  }
}

/**
 * The waiting caller of a held request. The current attempt is aborted when the caller disconnects, at once if it
 * already has.
 */
class HeldCaller implements Attempt {
  #tell: (() => void) | undefined
  #aborted = false

  constructor(options: CallOptions) {
    options.onAbort?.(() => {
      this.#aborted = true
      this.#tell?.()
    })
  }

  get aborted(): boolean {
    return this.#aborted
  }

  readonly onAbort = (use: () => void): void => {
    this.#tell = use
    if (this.#aborted) use()
  }
}

function replied<Reply>(
  endpoint: { readonly reply: z.ZodType<Reply> },
  result: Result<unknown, Failure>,
  malformed: Failure,
): Result<Reply, Failure> {
  if (!result.ok) return result
  const { value } = result
  return isReply(endpoint, value) ? ok(value) : err(malformed)
}

function malformedAnswer({ method }: { readonly method: string }): Failure {
  return { kind: 'malformed-answer', method }
}

type Uncertain = Extract<CallFailure, { kind: 'connection-lost' | 'outcome-unknown' | 'deadline-exceeded' }>
type Passing = Uncertain | Extract<CallFailure, { kind: 'not-leader' | 'unreachable' | 'shutting-down' }>

/** Whether the request may have been served although no answer came. */
function mayHaveBeenServed(failure: CallFailure): failure is Uncertain {
  return (
    failure.kind === 'connection-lost' || failure.kind === 'outcome-unknown' || failure.kind === 'deadline-exceeded'
  )
}

/** Whether this attempt's refusal says nothing about the attempts before it. */
function isMomentary({ kind }: CallFailure): boolean {
  return kind === 'overloaded' || kind === 'rate-limited' || kind === 'disk-full'
}

/**
 * Failures that may pass with a new leader or a retry. An uncertain write may be repeated, because it carries an
 * identity.
 */
function isPassing(failure: CallFailure): failure is Passing {
  return (
    mayHaveBeenServed(failure) ||
    failure.kind === 'not-leader' ||
    failure.kind === 'unreachable' ||
    failure.kind === 'shutting-down'
  )
}
