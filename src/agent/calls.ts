import { z } from 'zod'
import { err, ok, type Result } from '../base/result.ts'
import type { Env } from '../env/env.ts'
import type {
  Answer,
  CallOptions,
  EndpointDefinition,
  QueryEndpoint,
  ReadOptions,
  ServerEndpoint,
  WriteEndpoint,
  WriteIdentity,
} from '../features/manifest.ts'
import type { Failure } from '../model/failure.ts'
import type { Raft, RaftStatus } from '../raft/raft.ts'
import type { CallFailure, Rpc } from '../rpc/rpc.ts'
import type { AgentConfig } from './agent-config.ts'
import type { Dispatch } from './dispatch.ts'
import { ownAddress } from './introductions.ts'
import { type AgentRequest, waitOf } from './request.ts'

/** An attempt at a leader that does not answer is given up after this, and tried elsewhere. */
const attemptMs = 10_000
/** Pause before the next attempt while no leader is known: drawn between these, cut short when a leader appears. */
const pauseMinMs = 50
const pauseMaxMs = 150

const answerSchema = z.object({
  value: z.unknown(),
  meta: z.object({ index: z.number(), knownLeader: z.boolean(), lastContactMs: z.number() }),
})

/** One try at a leader; its abort handler replaces that of the try before. */
interface Attempt {
  onAbort(use: () => void): void
}

/** How the requests of one server agent find the server that answers them, and are held while there is none. */
export class Calls {
  readonly #env: Env
  readonly #config: AgentConfig
  readonly #rpc: Rpc
  readonly #raft: Raft
  readonly #dispatch: Dispatch
  readonly #origin: string
  #sequence = 0
  #stopped = false
  #leaderWaits = new Set<() => void>()

  constructor(parts: { env: Env; config: AgentConfig; rpc: Rpc; raft: Raft; dispatch: Dispatch; origin: string }) {
    this.#env = parts.env
    this.#config = parts.config
    this.#rpc = parts.rpc
    this.#raft = parts.raft
    this.#dispatch = parts.dispatch
    this.#origin = parts.origin
    this.#raft.onRoleChange((status) => {
      if (status.leader !== undefined) this.#wakeWaiting()
    })
  }

  stop(): void {
    this.#stopped = true
    this.#wakeWaiting()
  }

  /** The identity stays the same over all attempts, so that however often it is sent it takes effect once. */
  async write<Args, Reply>(
    endpoint: WriteEndpoint<Args, Reply>,
    args: Args,
    options: CallOptions,
  ): Promise<Result<Reply, Failure>> {
    const identity: WriteIdentity = { origin: this.#origin, sequence: this.#sequence++ }
    const result = await this.#hold(options, (caller) =>
      this.#atLeader(endpoint, { args, identity }, attemptMs, caller),
    )
    return result as Result<Reply, Failure>
  }

  async query<Args, Reply>(
    endpoint: QueryEndpoint<Args, Reply>,
    args: Args,
    read: ReadOptions,
    options: CallOptions,
  ): Promise<Result<Answer<Reply>, Failure>> {
    const elsewhere = this.#otherDatacenter(read)
    if (elsewhere !== undefined) return err(elsewhere)
    const asked = this.#tooStale(read) ? { ...read, consistency: 'default' as const } : read
    const deadlineMs = attemptMs + (asked.minIndex === 0 ? 0 : waitOf(asked) * 2)
    const result =
      asked.consistency === 'stale'
        ? await this.#dispatch.serve(endpoint.method, { args, read: asked }, options)
        : await this.#hold(options, (caller) => this.#atLeader(endpoint, { args, read: asked }, deadlineMs, caller))
    if (!result.ok) return result
    const answer = answerSchema.safeParse(result.value)
    if (!answer.success) return err({ kind: 'refused', message: `${endpoint.method}: malformed answer` })
    return ok(answer.data as Answer<Reply>)
  }

  async ask<Args, Reply>(
    endpoint: ServerEndpoint<Args, Reply>,
    args: Args,
    read: ReadOptions,
    options: CallOptions,
  ): Promise<Result<Reply, Failure>> {
    const elsewhere = this.#otherDatacenter(read)
    if (elsewhere !== undefined) return err(elsewhere)
    const result =
      endpoint.leader && read.consistency !== 'stale'
        ? await this.#hold(options, (caller) => this.#atLeader(endpoint, { args, read }, attemptMs, caller))
        : await this.#dispatch.serve(endpoint.method, { args, read }, options)
    return result as Result<Reply, Failure>
  }

  #otherDatacenter(read: ReadOptions): Failure | undefined {
    if (read.datacenter === '' || read.datacenter === this.#config.datacenter) return undefined
    return { kind: 'unknown-datacenter', datacenter: read.datacenter }
  }

  /** A stale read that names a bound goes to the leader when this server has not heard from it for longer. */
  #tooStale(read: ReadOptions): boolean {
    if (read.consistency !== 'stale' || read.maxStaleMs === 0) return false
    const status = this.#raft.status()
    return status.role !== 'leader' && (status.lastContactMs ?? Number.POSITIVE_INFINITY) > read.maxStaleMs
  }

  async #atLeader(
    endpoint: EndpointDefinition,
    request: AgentRequest,
    deadlineMs: number,
    caller: Attempt,
  ): Promise<Result<unknown, CallFailure>> {
    const status: RaftStatus = this.#raft.status()
    if (status.role === 'leader') return this.#dispatch.serve(endpoint.method, request, caller)
    const address = status.leader?.address
    if (address === undefined || address === ownAddress(this.#config))
      return err({ kind: 'not-leader', leader: undefined })
    return this.#rpc.request(address, { method: endpoint.method, body: request, deadlineMs, onAbort: caller.onAbort })
  }

  /**
   * Tries until a leader has answered, for at most the hold time after the first attempt that found none. Once an attempt
   * may have reached a leader and no later one told its fate, the caller learns that the outcome is unknown.
   */
  async #hold(
    options: CallOptions,
    attempt: (caller: Attempt) => Promise<Result<unknown, CallFailure>>,
  ): Promise<Result<unknown, Failure>> {
    let aborted = false
    let abortAttempt: (() => void) | undefined
    options.onAbort?.(() => {
      aborted = true
      abortAttempt?.()
    })
    const caller: Attempt = {
      onAbort: (use) => {
        abortAttempt = use
      },
    }
    let failingSinceMs: number | undefined
    let unknown: string | undefined
    for (;;) {
      if (this.#stopped) return err({ kind: 'shutting-down' })
      const result = await attempt(caller)
      if (result.ok) return result
      const failure = result.error
      if (!isPassing(failure)) return err(failure)
      if (failure.kind === 'connection-lost' || failure.kind === 'outcome-unknown') unknown = failure.message
      const now = this.#env.clock.monoMs()
      failingSinceMs ??= now
      const leftMs = failingSinceMs + this.#config.rpcHoldTimeoutMs - now
      if (aborted) return err({ kind: 'cancelled' })
      if (leftMs <= 0)
        return err(unknown === undefined ? { kind: 'no-leader' } : { kind: 'outcome-unknown', message: unknown })
      await this.#pause(leftMs)
    }
  }

  #pause(limitMs: number): Promise<void> {
    const deferred = this.#env.deferred<void>()
    const drawn = pauseMinMs + this.#env.random.stream('calls.pause').below(pauseMaxMs - pauseMinMs)
    const end = (): void => {
      timer.close()
      this.#leaderWaits.delete(end)
      deferred.resolve()
    }
    const timer = this.#env.timers.after(Math.min(drawn, limitMs), end)
    this.#leaderWaits.add(end)
    return deferred.promise
  }

  #wakeWaiting(): void {
    for (const wake of [...this.#leaderWaits]) wake()
  }
}

type Passing = Extract<
  CallFailure,
  { kind: 'not-leader' | 'unreachable' | 'connection-lost' | 'outcome-unknown' | 'shutting-down' }
>

/** Failures that a new leader, or a little patience, may mend. `outcome-unknown` is safe to repeat because writes carry an identity. */
function isPassing(failure: CallFailure): failure is Passing {
  switch (failure.kind) {
    case 'not-leader':
    case 'unreachable':
    case 'connection-lost':
    case 'outcome-unknown':
    case 'shutting-down':
      return true
    default:
      return false
  }
}
