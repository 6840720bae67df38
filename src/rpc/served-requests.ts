import type { Result } from '../base/result.ts'
import type { Env } from '../env/env.ts'
import type { Failure } from '../model/failure.ts'
import { failureToWire, tooLong } from './failure-codec.ts'
import { encodeFrame, type Frame, type Hello } from './frame.ts'

/**
 * Maximum number of requests that one connection serves at the same time, including blocking queries, and of bytes in
 * their frames: some 500 writes of the longest values. Further ones are refused as overloaded.
 */
const servedRequestsMax = 8192
const servedBytesMax = 256 << 20

/** Another agent: its own description, and its rights. */
export interface Peer extends Hello {
  /** Whether it may act as a server: no proof is required, or it has given one. */
  readonly mayActAsServer: boolean
}

export interface ServedRequest {
  readonly peer: Peer
  readonly method: string
  readonly body: unknown
  /** The caller's timeout, from now on. */
  readonly deadlineMs: number
  onAbort(use: () => void): void
}

/** A request that is being served. Its caller may disconnect before the handler listens for that. */
interface Served {
  /** Size of its frame. */
  readonly size: number
  abort: (() => void) | undefined
  aborted: boolean
}

export interface ServedRequestsParts {
  readonly env: Pick<Env, 'detach'>
  readonly onRequest: (request: ServedRequest) => Promise<Result<unknown, Failure>>
  /** Whether a request of this method is a write. */
  readonly isWrite: (method: string) => boolean
  /** Whether so many bytes wait to be sent on the connection that answers wait for `sendReady`. */
  readonly isCongested: () => boolean
  readonly write: (frame: Uint8Array) => void
}

/**
 * Requests of the peer of one connection that are being served, and their answers. While the connection is congested,
 * answers wait as results, most of which the state holds anyway, and are encoded one after another once there is room:
 * the bytes of a thousand long lists for a peer that does not read them would fill the memory.
 */
export class ServedRequests {
  readonly #parts: ServedRequestsParts
  readonly #served = new Map<number, Served>()
  /** Sends each answer that waits for room, in the order in which they were made; bounded by the requests. */
  #ready: (() => void)[] = []
  #isLost = false
  #bytes = 0

  constructor(parts: ServedRequestsParts) {
    this.#parts = parts
  }

  /** Size of the frames of all requests that are being served: the peer makes this agent hold them. */
  get bytes(): number {
    return this.#bytes
  }

  /** False: a request with this number is being served already, which no correct peer sends. */
  serve(peer: Peer, { id, method, body, deadlineMs }: Extract<Frame, { kind: 'request' }>, size: number): boolean {
    const { env, onRequest, write } = this.#parts
    if (this.#served.has(id)) return false
    if (this.#served.size >= servedRequestsMax || this.#bytes + size > servedBytesMax) {
      write(encodeFrame({ kind: 'failure', id, failure: { kind: 'overloaded', message: 'too many requests' } }))
      return true
    }
    const entry: Served = { size, abort: undefined, aborted: false }
    this.#served.set(id, entry)
    this.#bytes += size
    const onAbort = (use: () => void): void => {
      entry.abort = use
      if (entry.aborted) use()
    }
    env.detach(this.#answer(id, method, entry, onRequest({ peer, method, body, deadlineMs, onAbort })))
    return true
  }

  /** The caller no longer waits. */
  abort(id: number): void {
    const served = this.#served.get(id)
    if (served !== undefined) abort(served)
  }

  /** The connection is gone, and with it every caller: no further answer is sent. */
  lost(): void {
    this.#isLost = true
    this.#ready = []
    for (const served of [...this.#served.values()]) abort(served)
  }

  /** Sends the answers that have waited, as long as there is room. Those that the peer no longer waits for are dropped. */
  sendReady(): void {
    while (this.#ready.length > 0 && !this.#parts.isCongested()) this.#ready.shift()?.()
  }

  async #answer(id: number, method: string, entry: Served, served: Promise<Result<unknown, Failure>>): Promise<void> {
    const result = await served
    if (this.#isLost || (this.#ready.length === 0 && !this.#parts.isCongested())) return this.#send(id, method, result)
    this.#ready.push(() => {
      if (entry.aborted) this.#over(id)
      else this.#send(id, method, result)
    })
  }

  #over(id: number): void {
    this.#bytes -= this.#served.get(id)?.size ?? 0
    this.#served.delete(id)
  }

  #send(id: number, method: string, result: Result<unknown, Failure>): void {
    this.#over(id)
    if (this.#isLost) return
    const answer = encodeFrame(
      result.ok
        ? { kind: 'answer', id, body: result.value }
        : { kind: 'failure', id, failure: failureToWire(result.error) },
    )
    const failure = tooLong(answer, this.#parts.isWrite(method) ? 'answer to a write' : 'answer')
    this.#parts.write(failure === undefined ? answer : encodeFrame({ kind: 'failure', id, failure }))
  }
}

function abort(served: Served): void {
  if (served.aborted) return
  served.aborted = true
  served.abort?.()
}
