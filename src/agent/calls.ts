import { z } from 'zod'
import { err, ok, type Result } from '../base/result.ts'
import type { Closable } from '../env/async.ts'
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
  /** Ends of the pauses under way, one for each request held. */
  readonly #pauses = new Set<() => void>()
  readonly #watching: Closable

  constructor(parts: { env: Env; config: AgentConfig; rpc: Rpc; raft: Raft; dispatch: Dispatch; origin: string }) {
    this.#env = parts.env
    this.#config = parts.config
    this.#rpc = parts.rpc
    this.#raft = parts.raft
    this.#dispatch = parts.dispatch
    this.#origin = parts.origin
    this.#watching = this.#raft.onRoleChange((status) => {
      if (status.leader !== undefined) this.#endPauses()
    })
  }

  stop(): void {
    this.#stopped = true
    this.#watching.close()
    this.#endPauses()
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
   * may have reached a leader, only an answer tells its fate: whatever ends the holding then, but for a refusal that every
   * attempt would meet, the caller learns that the outcome is unknown.
   */
  async #hold(
    options: CallOptions,
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
      if (mayHaveBeenServed(failure)) unknown = { kind: 'outcome-unknown', message: failure.message }
      if (!isPassing(failure)) return err(failure.kind === 'overloaded' ? (unknown ?? failure) : failure)
      const now = this.#env.clock.monoMs()
      failingSinceMs ??= now
      const leftMs = failingSinceMs + this.#config.rpcHoldTimeoutMs - now
      if (leftMs <= 0) return err(unknown ?? { kind: 'no-leader' })
      await this.#pause(leftMs, caller)
    }
  }

  #pause(limitMs: number, caller: HeldCaller): Promise<void> {
    const deferred = this.#env.deferred<void>()
    const drawn = pauseMinMs + this.#env.random.stream('calls.pause').below(pauseMaxMs - pauseMinMs)
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

/** Who waits for a held request. What it is waiting in at the moment is told when it goes away, at once if it has gone. */
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

type Uncertain = Extract<CallFailure, { kind: 'connection-lost' | 'outcome-unknown' | 'deadline-exceeded' }>
type Passing = Uncertain | Extract<CallFailure, { kind: 'not-leader' | 'unreachable' | 'shutting-down' }>

/** The request may have been served although no answer came. */
function mayHaveBeenServed(failure: CallFailure): failure is Uncertain {
  return (
    failure.kind === 'connection-lost' || failure.kind === 'outcome-unknown' || failure.kind === 'deadline-exceeded'
  )
}

/** Failures that a new leader, or a little patience, may mend. An uncertain write may be repeated, for it carries an identity. */
function isPassing(failure: CallFailure): failure is Passing {
  return (
    mayHaveBeenServed(failure) ||
    failure.kind === 'not-leader' ||
    failure.kind === 'unreachable' ||
    failure.kind === 'shutting-down'
  )
}
