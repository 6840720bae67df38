import { err, ok, type Result } from '../../../base/result.ts'
import type { Closable } from '../../../env/async.ts'
import type { EndpointDefinition, QueryEndpoint } from '../../../features/contract/endpoint.ts'
import type { Answer, ReadOptions } from '../../../features/contract/reading.ts'
import type { Failure } from '../../../model/failure.ts'
import type { Raft } from '../../../raft/raft.ts'
import type { CallFailure, Rpc } from '../../../rpc/rpc.ts'
import type { EndpointRequest } from '../request.ts'
import type { Dispatch } from '../serving/dispatch.ts'
import { type Attempt, type CallTarget, deadlineOf, needsLeader } from './call-target.ts'

interface ServerTargetParts {
  readonly rpc: Rpc
  readonly raft: Raft
  readonly dispatch: Dispatch
  readonly ownAddress: string
}

/** The requests of a server: served here, or by the leader where only the leader may answer. */
export class ServerTarget implements CallTarget {
  readonly nobody = { kind: 'no-leader' } as const
  readonly #parts: ServerTargetParts

  constructor(parts: ServerTargetParts) {
    this.#parts = parts
  }

  async attempt(
    endpoint: EndpointDefinition,
    request: EndpointRequest,
    caller: Attempt,
  ): Promise<Result<unknown, CallFailure>> {
    const { read } = request
    if (this.answersHere(endpoint, read)) return this.#parts.dispatch.serve(endpoint.method, request, caller)
    const status = this.#parts.raft.status()
    const address = status.leader?.address
    if (address === undefined || address === this.#parts.ownAddress)
      return err({ kind: 'not-leader', leader: undefined })
    // A stale read whose limit this server's state exceeds goes to the leader like any other read.
    const asked =
      read?.consistency === 'stale' ? { ...request, read: { ...read, consistency: 'default' as const } } : request
    const deadlineMs = deadlineOf(request)
    return this.#parts.rpc.request(address, {
      method: endpoint.method,
      body: asked,
      deadlineMs,
      onAbort: caller.onAbort,
    })
  }

  answerNow<Args, Reply>(
    endpoint: QueryEndpoint<Args, Reply>,
    args: Args,
    read: ReadOptions,
    token: string,
  ): Result<Answer<Reply>, Failure> | undefined {
    // The lease tells whether this server leads.
    if (read.maxStaleMs > 0 && !this.answersHere(endpoint, read)) return undefined
    const answer = this.#parts.dispatch.answerNow(endpoint as QueryEndpoint, args, read, token)
    return answer?.ok === true ? ok(answer.value.of(endpoint)) : answer
  }

  answersHere(endpoint: EndpointDefinition, read: ReadOptions | undefined): boolean {
    const { role, leader, lastContactMs } = this.#parts.raft.status()
    if (role === 'leader') return true
    const tooStale = (maxMs: number): boolean => (lastContactMs ?? Number.POSITIVE_INFINITY) > maxMs
    if (needsLeader(endpoint, read, tooStale)) return false
    // A server that has just started may know less than before its restart, and less than any other server.
    return (
      read?.consistency !== 'stale' || !isOfState(endpoint) || leader === undefined || this.#parts.raft.hasCaughtUp()
    )
  }

  onHope(use: () => void): Closable {
    return this.#parts.raft.onRoleChange((status) => {
      if (status.leader !== undefined) use()
    })
  }
}

function isOfState(endpoint: EndpointDefinition): boolean {
  return endpoint.kind === 'query' || (endpoint.kind === 'server' && endpoint.leader)
}
