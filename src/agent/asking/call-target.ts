import type { Result } from '../../base/result.ts'
import type { Closable } from '../../env/async.ts'
import type { Answer, ReadOptions } from '../../features/contract/reading.ts'
import type { EndpointDefinition, QueryEndpoint } from '../../features/contract/server-context.ts'
import type { Failure } from '../../model/failure.ts'
import type { CallFailure } from '../../rpc/rpc.ts'
import { type AgentRequest, waitOf } from '../serving/request.ts'

/** One try; its abort handler replaces that of the try before. */
export interface Attempt {
  onAbort(use: () => void): void
}

/** Where the requests of one agent go: a server asks itself or the leader, a client asks one of the servers it knows. */
export interface CallTarget {
  /** One attempt at the server that must answer. */
  attempt(endpoint: EndpointDefinition, request: AgentRequest, caller: Attempt): Promise<Result<unknown, CallFailure>>
  /** The answer to a read that does not wait, where this agent has it and need ask nobody; undefined: by an attempt. */
  answerNow<Args, Reply>(
    endpoint: QueryEndpoint<Args, Reply>,
    args: Args,
    read: ReadOptions,
    token: string,
  ): Result<Answer<Reply>, Failure> | undefined
  /** Whether this agent, as things are, answers such a read itself. */
  answersHere(endpoint: EndpointDefinition, read: ReadOptions): boolean
  /** Calls `use` when a try that found nobody may find somebody now. */
  onHope(use: () => void): Closable
  /** What a caller learns when it was held in vain and nothing was sent. */
  readonly nobody: Failure
}

/** An attempt at a server that does not answer is given up after this, and tried elsewhere. */
const attemptMs = 10_000

/** How long an answer is waited for. A blocking read's own wait comes on top, with room for its jitter. */
export function deadlineOf(request: AgentRequest): number {
  const { read } = request
  return attemptMs + (read === undefined || read.minIndex === 0 ? 0 : waitOf(read) * 2)
}

/** Whether only the leader may answer. `tooStale`: this server's knowledge is older than the caller allows. */
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
