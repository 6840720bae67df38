import type { Result } from '../../../base/result.ts'
import type { Closable } from '../../../env/async.ts'
import type { EndpointDefinition, QueryEndpoint } from '../../../features/contract/endpoint.ts'
import type { Answer, ReadOptions } from '../../../features/contract/reading.ts'
import type { Failure } from '../../../model/failure.ts'
import type { CallFailure } from '../../../rpc/rpc.ts'
import { type EndpointRequest, waitOf } from '../request.ts'

/** One try; its abort handler replaces that of the try before. */
export interface Attempt {
  onAbort(use: () => void): void
}

/**
 * Where the requests of one agent go: a server serves them or asks the leader, a client asks one of the servers it
 * knows.
 */
export interface CallTarget {
  /** One attempt at the server that must answer. */
  attempt(
    endpoint: EndpointDefinition,
    request: EndpointRequest,
    caller: Attempt,
  ): Promise<Result<unknown, CallFailure>>
  /** Answers a non-blocking read in this turn from the agent's own state; undefined: an attempt is needed. */
  answerNow<Args, Reply>(
    endpoint: QueryEndpoint<Args, Reply>,
    args: Args,
    read: ReadOptions,
    token: string,
  ): Result<Answer<Reply>, Failure> | undefined
  /** Whether this agent currently answers such a read itself. */
  answersHere(endpoint: EndpointDefinition, read: ReadOptions): boolean
  /** Calls `use` when an attempt that found no server may succeed now. */
  onHope(use: () => void): Closable
  /** The failure of a request that was held in vain and never sent. */
  readonly nobody: Failure
}

/** Timeout of an attempt, after which another server is tried. */
const attemptMs = 10_000

/** Timeout of a request. A blocking read's own wait is added, with room for its jitter. */
export function deadlineOf(request: EndpointRequest): number {
  const { read } = request
  return attemptMs + (read === undefined || read.minIndex === 0 ? 0 : waitOf(read) * 2)
}

/** Whether only the leader may answer. `tooStale`: this server's state is older than the caller allows. */
export function needsLeader(
  endpoint: EndpointDefinition,
  read: ReadOptions | undefined,
  tooStale: (maxStaleMs: number) => boolean,
): boolean {
  if (endpoint.kind === 'write') return true
  if (endpoint.kind === 'server' && !endpoint.leader) return false
  if (read?.consistency !== 'stale') return true
  return endpoint.kind === 'query' && read.maxStaleMs > 0 && tooStale(read.maxStaleMs)
}
