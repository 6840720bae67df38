import { err, type Result } from '../base/result.ts'
import type { Closable, Deferred } from '../env/async.ts'
import type { Env } from '../env/env.ts'
import type { Failure } from '../model/failure.ts'
import { tooLong } from './failure-codec.ts'
import { encodeFrame } from './frame.ts'

/** Maximum number of our requests that wait for their answer on one connection. */
const waitingRequestsMax = 8192

/** A request got no answer because the connection is gone; whether it was served is unknown. */
export interface ConnectionLost {
  readonly kind: 'connection-lost'
  readonly message: string
}

/** The request never left this agent, so it was certainly not served. */
interface Unreachable {
  readonly kind: 'unreachable'
  readonly message: string
}

export interface RpcCall {
  readonly method: string
  readonly body: unknown
  /** Maximum time for which the caller waits for the answer. */
  readonly deadlineMs: number
  /** Lets the caller cancel. */
  readonly onAbort?: ((use: () => void) => void) | undefined
}

export type CallFailure = Failure | ConnectionLost | Unreachable

export type Answer = Result<unknown, CallFailure>

interface Waiting {
  readonly deferred: Deferred<Answer>
  readonly timer: Closable
}

export interface RequestsInFlightParts {
  readonly env: Pick<Env, 'deferred' | 'timers'>
  /** Whether so many bytes wait to be sent on the connection that nothing more may be sent. */
  readonly isCongested: () => boolean
  readonly send: (request: Uint8Array) => void
  /** Tells the peer that the caller no longer waits. */
  readonly sendCancel: (frame: Uint8Array) => void
}

/**
 * Requests of this agent on one connection, from when they are sent until their answer, their deadline or the
 * connection's end.
 */
export class RequestsInFlight {
  readonly #parts: RequestsInFlightParts
  readonly #waiting = new Map<number, Waiting>()
  #nextId = 1

  constructor(parts: RequestsInFlightParts) {
    this.#parts = parts
  }

  get isEmpty(): boolean {
    return this.#waiting.size === 0
  }

  send({ method, body, deadlineMs, onAbort }: RpcCall): Promise<Answer> {
    const { env, isCongested, send } = this.#parts
    const deferred = env.deferred<Answer>()
    if (this.#waiting.size >= waitingRequestsMax || isCongested()) {
      deferred.resolve(err({ kind: 'overloaded', message: 'too many requests under way to a server' }))
      return deferred.promise
    }
    const id = this.#nextId++
    const frame = encodeFrame({ kind: 'request', id, method, body, deadlineMs })
    const refusal = tooLong(frame, 'request')
    if (refusal !== undefined) {
      deferred.resolve(err(refusal))
      return deferred.promise
    }
    const timer = env.timers.after(deadlineMs, () => this.#late(id, method), 'rpc.answer')
    this.#waiting.set(id, { deferred, timer })
    send(frame)
    onAbort?.(() => this.#cancel(id, { kind: 'cancelled' }))
    return deferred.promise
  }

  /** The peer has answered. An answer that is no longer awaited is dropped. */
  settle(id: number, answer: Answer): void {
    const waiting = this.#waiting.get(id)
    if (waiting === undefined) return
    this.#waiting.delete(id)
    waiting.timer.close()
    waiting.deferred.resolve(answer)
  }

  /** The connection is gone, and every request with it. */
  lost(why: string): void {
    for (const id of [...this.#waiting.keys()]) this.settle(id, err({ kind: 'connection-lost', message: why }))
  }

  #late(id: number, method: string): void {
    this.#cancel(id, { kind: 'deadline-exceeded', message: `no answer to ${method} in time` })
  }

  #cancel(id: number, why: Failure): void {
    if (!this.#waiting.has(id)) return
    this.settle(id, err(why))
    this.#parts.sendCancel(encodeFrame({ kind: 'cancel', id }))
  }
}
