import { err, ok, type Result } from '../../../base/result.ts'
import { isRecord } from '../../../base/shape.ts'
import type { Closable } from '../../../env/async.ts'
import type { EndpointDefinition, QueryEndpoint } from '../../../features/contract/endpoint.ts'
import type { Answer, ReadOptions } from '../../../features/contract/reading.ts'
import { readMeta } from '../../../features/contract/reply.ts'
import type { Failure } from '../../../model/failure.ts'
import { type ModifyIndex, noChange } from '../../../model/log-position.ts'
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
  /** Of this server's own state. */
  readonly stateIndex: () => ModifyIndex
}

/** The requests of a server: served here, or by the leader where only the leader may answer. */
export class ServerTarget implements CallTarget {
  readonly nobody = { kind: 'no-leader' } as const
  readonly #parts: ServerTargetParts
  /** The greatest index with which the leader answered a stale read in this server's place. */
  #passedOn: ModifyIndex = noChange

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
    const isStale = read?.consistency === 'stale'
    const asked = isStale ? { ...request, read: { ...read, consistency: 'default' as const } } : request
    const deadlineMs = deadlineOf(request)
    const answer = await this.#parts.rpc.request(address, {
      method: endpoint.method,
      body: asked,
      deadlineMs,
      onAbort: caller.onAbort,
    })
    if (isStale && answer.ok) this.#passesOn(answer.value)
    return answer
  }

  #passesOn(answer: unknown): void {
    const meta = readMeta.readDirectly(isRecord(answer) ? answer['meta'] : undefined)
    if (meta !== undefined && meta.index > this.#passedOn) this.#passedOn = meta.index
  }

  answerNow<Args, Reply>(
    endpoint: QueryEndpoint<Args, Reply>,
    args: Args,
    read: ReadOptions,
    token: string,
  ): Result<Answer<Reply>, Failure> | undefined {
    // The lease tells whether this server leads.
    if ((read.maxStaleMs > 0 || this.#passedOn > noChange) && !this.answersHere(endpoint, read)) return undefined
    const answer = this.#parts.dispatch.answerNow(endpoint as QueryEndpoint, args, read, token)
    return answer?.ok === true ? ok(answer.value.of(endpoint)) : answer
  }

  answersHere(endpoint: EndpointDefinition, read: ReadOptions | undefined): boolean {
    const { role, leader, lastContactMs } = this.#parts.raft.status()
    if (role === 'leader') return true
    const tooStale = (maxMs: number): boolean => (lastContactMs ?? Number.POSITIVE_INFINITY) > maxMs
    if (needsLeader(endpoint, read, tooStale)) return false
    if (read?.consistency !== 'stale' || !isOfState(endpoint) || leader === undefined) return true
    // A server that has just started may know less than before its restart, and less than any other server.
    return this.#parts.raft.hasCaughtUp() && !this.#wouldGoBack()
  }

  /** Whether a stale read here might find an older state than an earlier one, which the leader answered. */
  #wouldGoBack(): boolean {
    if (this.#parts.stateIndex() < this.#passedOn) return true
    this.#passedOn = noChange
    return false
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
