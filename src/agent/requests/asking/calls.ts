import type { z } from 'zod'
import { err, ok, type Result } from '../../../base/result.ts'
import { isRecord } from '../../../base/shape.ts'
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
import { datacenterOf, type EndpointRequest, withRestOfWait } from '../request.ts'
import { Served } from '../serving/seen-results.ts'
import type { CallTarget } from './call-target.ts'
import type { Elsewhere } from './datacenter-target.ts'
import { HeldRequests } from './holding.ts'
import { SharedWaits, Watchers } from './shared-waits.ts'

/** Minimum interval between warnings that the default token does not exist. */
const tellDefaultMs = 60_000

interface CallParts {
  readonly env: Env
  /** Answers requests for this agent's own datacenter; absent: nothing answers them yet. */
  readonly target?: CallTarget | undefined
  /** Answers requests for other datacenters, which are refused if it is absent. */
  readonly elsewhere?: Elsewhere | undefined
  readonly datacenter: string
  /** How long a request waits for a leader. */
  readonly holdMs: number
  /** Names this agent and boot in the identity of its writes. */
  readonly origin: string
  /** The token of calls without one. */
  readonly standInToken?: () => string
}

/** What the calls of one agent share, whichever servers answer them. */
class CallsInCommon {
  readonly held: HeldRequests
  readonly watchers = new Watchers()
  readonly waits: SharedWaits
  readonly watching: Closable[] = []
  sequence = 0
  toldDefaultMs = Number.NEGATIVE_INFINITY

  constructor({ env, holdMs }: CallParts) {
    this.held = new HeldRequests(env, holdMs)
    this.waits = new SharedWaits(env)
  }
}

/** Finds the server that answers each request of one agent, and holds requests while there is none. */
export class Calls {
  readonly #env: Env
  readonly #parts: CallParts
  readonly #target: CallTarget | undefined
  readonly #elsewhere: Elsewhere | undefined
  readonly #datacenter: string
  readonly #standIn: () => string
  readonly #common: CallsInCommon

  private constructor(
    parts: CallParts,
    common: CallsInCommon,
    newTargets: readonly (CallTarget | Elsewhere | undefined)[],
  ) {
    this.#env = parts.env
    this.#parts = parts
    this.#target = parts.target
    this.#elsewhere = parts.elsewhere
    this.#datacenter = parts.datacenter
    this.#standIn = parts.standInToken ?? (() => '')
    this.#common = common
    for (const one of newTargets) if (one !== undefined) common.watching.push(one.onHope(() => common.held.hope()))
  }

  static of(parts: CallParts): Calls {
    return new Calls(parts, new CallsInCommon(parts), [parts.target, parts.elsewhere])
  }

  /** The same calls with a target for this agent's own datacenter. Identities, waits and held requests are shared. */
  with(target: CallTarget): Calls {
    return new Calls({ ...this.#parts, target }, this.#common, [target])
  }

  stop(): void {
    const { held, watching, waits } = this.#common
    held.stop()
    for (const one of watching) one.close()
    waits.stop()
  }

  /** The identity stays the same over all attempts, so that the write takes effect once however often it is sent. */
  async write<Args, Reply>(
    endpoint: WriteEndpoint<Args, Reply>,
    args: Args,
    options: CallOptions,
  ): Promise<Result<Reply, Failure>> {
    const identity: WriteIdentity = { origin: this.#parts.origin, sequence: this.#common.sequence++ }
    const to = options.datacenter === undefined ? {} : { datacenter: options.datacenter }
    const request = { args, identity, ...to, ...this.#tokenPart(options) }
    // A server that sends a malformed answer received the request nevertheless, and may have made the change.
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
      const isHere = !this.#common.held.isStopped && this.#isHere(read.datacenter)
      const now = isHere ? this.#target?.answerNow(endpoint, args, read, this.tokenOf(options)) : undefined
      if (now?.ok === false) this.#noteDefault(now, options)
      return now ?? this.#query(endpoint, args, read, options)
    }
    const { client } = options
    const begun = client === undefined ? ok(undefined) : this.#common.watchers.begin(client)
    if (!begun.ok) return begun
    try {
      return await this.#wait(endpoint, args, read, options)
    } finally {
      if (client !== undefined) this.#common.watchers.end(client)
    }
  }

  /** If this server answers the read itself, callers with the same request share its result anyway. */
  async #wait<Args, Reply>(
    endpoint: QueryEndpoint<Args, Reply>,
    args: Args,
    read: ReadOptions,
    options: CallOptions,
  ): Promise<Result<Answer<Reply>, Failure>> {
    if (this.#isHere(read.datacenter) && this.#target?.answersHere(endpoint, read) === true)
      return this.#query(endpoint, args, read, options)
    const token = this.tokenOf(options)
    const ask = (asked: ReadOptions, call: CallOptions) => this.#query(endpoint, args, asked, { ...call, token })
    return this.#common.waits.wait(endpoint, args, read, ask, { ...options, token })
  }

  /** Warns that the agent's default token does not exist, so that every call without a token of its own is refused. */
  #noteDefault(result: Result<unknown, Failure>, { token }: CallOptions): void {
    if (result.ok || result.error.kind !== 'token-not-found') return
    if ((token !== undefined && token !== '') || this.#standIn() === '') return
    const nowMs = this.#env.clock.monoMs()
    if (nowMs < this.#common.toldDefaultMs + tellDefaultMs) return
    this.#common.toldDefaultMs = nowMs
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
    const { value, meta: given } = isRecord(result.value) ? result.value : {}
    const meta = readMeta.readDirectly(given)
    if (meta === undefined || !isReply(endpoint, value)) return err(malformedAnswer(endpoint))
    return ok({ value, meta })
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
    request: EndpointRequest,
    options: CallOptions,
  ): Promise<Result<unknown, Failure>> {
    const changes = endpoint.kind === 'write'
    const datacenter = datacenterOf(request)
    const target = this.#isHere(datacenter) ? this.#target : this.#elsewhere?.targetOf(datacenter)
    if (target === undefined) return err({ kind: 'unknown-datacenter', datacenter })
    const { clock } = this.#env
    const beganMs = clock.monoMs()
    return this.#common.held.hold(options, { changes, nobody: target.nobody }, (caller) =>
      target.attempt(endpoint, withRestOfWait(request, clock.monoMs() - beganMs), caller),
    )
  }

  /** The token of a call: its own, or the default one. */
  tokenOf({ token }: CallOptions): string {
    return token === undefined || token === '' ? this.#standIn() : token
  }

  #tokenPart(options: CallOptions): Pick<EndpointRequest, 'token'> {
    const token = this.tokenOf(options)
    return token === '' ? {} : { token }
  }

  #isHere(datacenter: string): boolean {
    return datacenter === '' || datacenter === this.#datacenter
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
