import { err, ok, type Result } from '../base/result.ts'
import type { Closable, Deferred } from '../env/async.ts'
import type { Env } from '../env/env.ts'
import { type Endpoint, endpointText, type StreamEnd, type TcpStream } from '../env/net.ts'
import type { Failure } from '../model/failure.ts'
import { failureFromWire, failureToWire } from './failure-codec.ts'
import { encodeFrame, type Frame, FrameReader, frameBytesMax, type Hello, rpcProtocol } from './frame.ts'

/** Requests that one connection serves at the same time; more are refused as overloaded. Blocking queries count. */
const servedRequestsMax = 8192
/** Requests of ours that wait for their answer on one connection. */
const waitingRequestsMax = 8192
/** With more than this waiting to leave, notices are dropped and requests refused. */
const queuedBytesMax = 16 << 20
/**
 * Silence after which a peer that we are sending to is pinged, and further silence after which the connection is given
 * up.
 */
const silenceBeforePingMs = 1_000
const silenceAfterPingMs = 2_000
/** A connection on which the peer has not said hello by then is closed. */
const helloTimeoutMs = 5_000
/** How often a connection on which requests wait is looked after. */
const keepaliveMs = 1_000

/** A request did not reach its answer because the connection is gone; whether it was served is unknown. */
export interface ConnectionLost {
  readonly kind: 'connection-lost'
  readonly message: string
}

/** Another agent, as it says of itself, and what it may do. */
export interface Peer extends Hello {
  /** Whether it may act as a server: no proof is required, or it has given one. */
  readonly mayActAsServer: boolean
}

export interface ServedRequest {
  readonly peer: Peer
  readonly method: string
  readonly body: unknown
  /** Time that the caller gives, from now. */
  readonly deadlineMs: number
  onAbort(use: () => void): void
}

export interface ConnectionEvents {
  onRequest(request: ServedRequest): Promise<Result<unknown, Failure>>
  onNotice(peer: Peer, topic: string, bytes: Uint8Array): void
  onReady(connection: Connection, peer: Peer): void
  onClose(connection: Connection, why: string): void
}

interface Waiting {
  readonly deferred: Deferred<Result<unknown, Failure | ConnectionLost>>
  readonly timer: Closable
}

/** A request that is being served. Its caller may go away before the server listens for that. */
interface Served {
  abort: (() => void) | undefined
  aborted: boolean
}

/** One connection between two agents: many requests under way in both directions, and notices beside them. */
export class Connection {
  readonly #env: Env
  readonly #stream: TcpStream
  readonly #events: ConnectionEvents
  readonly #mayActAsServer: boolean
  readonly #waiting = new Map<number, Waiting>()
  readonly #reader = new FrameReader(() => this.#waiting.size > 0)
  readonly #served = new Map<number, Served>()
  #peer: Peer | undefined
  #nextId = 1
  #lastHeardMs: number
  #pingedMs: number | undefined
  #keepalive: Closable | undefined
  readonly #helloTimer: Closable
  #closed = false
  #endedByPeer = false

  constructor(env: Env, stream: TcpStream, hello: Hello, mayActAsServer: boolean, events: ConnectionEvents) {
    this.#env = env
    this.#stream = stream
    this.#events = events
    this.#mayActAsServer = mayActAsServer
    this.#lastHeardMs = env.clock.monoMs()
    stream.onData((bytes) => this.#receive(bytes))
    stream.onEnd(() => {
      this.#endedByPeer = true
      this.close(endText.ended)
    })
    stream.onClose((why) => {
      if (!this.#closed) this.#endedByPeer = why === 'ended' || why === 'reset'
      this.#over(endText[why])
    })
    stream.write(encodeFrame({ kind: 'hello', hello }))
    this.#helloTimer = env.timers.after(helloTimeoutMs, () => this.close('the peer did not say hello'))
  }

  /** The peer's description of itself; undefined until it has arrived. */
  get peer(): Peer | undefined {
    return this.#peer
  }

  get remote(): Endpoint {
    return this.#stream.remote
  }

  get open(): boolean {
    return !this.#closed
  }

  /** Whether the peer ended or broke the connection. */
  get endedByPeer(): boolean {
    return this.#endedByPeer
  }

  /** Sends a request and waits for its answer, at most `deadlineMs`. `onAbort` lets the caller cancel. */
  request(
    method: string,
    body: unknown,
    deadlineMs: number,
    onAbort?: (use: () => void) => void,
  ): Promise<Result<unknown, Failure | ConnectionLost>> {
    const deferred = this.#env.deferred<Result<unknown, Failure | ConnectionLost>>()
    if (this.#closed) {
      deferred.resolve(err({ kind: 'connection-lost', message: 'the connection is closed' }))
      return deferred.promise
    }
    if (this.#waiting.size >= waitingRequestsMax || this.#stream.queuedBytes() > queuedBytesMax) {
      deferred.resolve(err({ kind: 'overloaded', message: 'too many requests under way to a server' }))
      return deferred.promise
    }
    const id = this.#nextId++
    const frame = encodeFrame({ kind: 'request', id, method, body, deadlineMs })
    if (isTooLong(frame)) {
      deferred.resolve(err(requestTooLarge))
      return deferred.promise
    }
    const timer = this.#env.timers.after(
      deadlineMs,
      () => {
        this.#cancel(id, { kind: 'deadline-exceeded', message: `no answer to ${method} in time` })
      },
      'rpc.answer',
    )
    this.#waiting.set(id, { deferred, timer })
    this.#send(frame)
    this.#keepWatch()
    onAbort?.(() => this.#cancel(id, { kind: 'cancelled' }))
    return deferred.promise
  }

  /** Sends without an answer. Dropped when too much is queued. */
  notify(topic: string, bytes: Uint8Array): void {
    if (this.#closed || this.#stream.queuedBytes() > queuedBytesMax) return
    this.#send(encodeFrame({ kind: 'notice', topic, bytes }))
  }

  close(why: string): void {
    if (this.#closed) return
    this.#stream.close()
    this.#over(why)
  }

  #send(frame: Uint8Array): void {
    if (this.#checkPeerAlive()) this.#stream.write(frame)
  }

  /**
   * A dead peer behind a cut cable leaves TCP silent for many minutes. So every send first checks how long the peer has
   * been silent: first the peer is pinged, then the connection is given up, and the next message dials afresh.
   */
  #checkPeerAlive(): boolean {
    const now = this.#env.clock.monoMs()
    if (this.#pingedMs !== undefined) {
      if (now - this.#pingedMs <= silenceAfterPingMs) return true
      this.close('the peer does not answer')
      return false
    }
    if (now - this.#lastHeardMs > silenceBeforePingMs) {
      this.#pingedMs = now
      this.#stream.write(encodeFrame({ kind: 'ping' }))
    }
    return true
  }

  #keepWatch(): void {
    if (this.#keepalive !== undefined || this.#closed) return
    this.#keepalive = this.#env.timers.after(keepaliveMs, () => {
      this.#keepalive = undefined
      if (this.#waiting.size > 0 && this.#checkPeerAlive()) this.#keepWatch()
    })
  }

  #receive(bytes: Uint8Array): void {
    this.#lastHeardMs = this.#env.clock.monoMs()
    this.#pingedMs = undefined
    const read = this.#reader.push(bytes, (frame) => {
      if (!this.#closed) this.#take(frame)
    })
    if (!read.ok) {
      this.#env.log.write(
        'warn',
        'rpc',
        'closing a connection that does not speak our protocol',
        {
          remote: endpointText(this.#stream.remote),
          reason: read.error,
        },
        'sampled',
      )
      this.close(read.error)
    }
  }

  #take(frame: Frame): void {
    if (frame.kind === 'hello') return this.#greet(frame.hello)
    if (this.#peer === undefined) return this.close('the peer did not say hello first')
    switch (frame.kind) {
      case 'request':
        return this.#serve(this.#peer, frame.id, frame.method, frame.body, frame.deadlineMs)
      case 'answer':
        return this.#settle(frame.id, ok(frame.body))
      case 'failure':
        return this.#settle(frame.id, err(failureFromWire(frame.failure)))
      case 'cancel':
        return abort(this.#served.get(frame.id))
      case 'notice':
        return this.#events.onNotice(this.#peer, frame.topic, frame.bytes)
      case 'ping':
        this.#stream.write(encodeFrame({ kind: 'pong' }))
        return
      case 'pong':
        return
      default:
        frame satisfies never
    }
  }

  #greet(hello: Hello): void {
    if (this.#peer !== undefined) return this.close('the peer said hello twice')
    if (hello.protocol !== rpcProtocol)
      return this.close(`the peer speaks RPC protocol ${hello.protocol}, not ${rpcProtocol}`)
    this.#peer = { ...hello, mayActAsServer: this.#mayActAsServer }
    this.#helloTimer.close()
    this.#events.onReady(this, this.#peer)
  }

  #serve(peer: Peer, id: number, method: string, body: unknown, deadlineMs: number): void {
    if (this.#served.has(id)) return this.close('the peer used a request number twice')
    if (this.#served.size >= servedRequestsMax) {
      this.#stream.write(
        encodeFrame({ kind: 'failure', id, failure: { kind: 'overloaded', message: 'too many requests' } }),
      )
      return
    }
    const entry: Served = { abort: undefined, aborted: false }
    this.#served.set(id, entry)
    const onAbort = (use: () => void): void => {
      entry.abort = use
      if (entry.aborted) use()
    }
    this.#env.detach(this.#answer(id, this.#events.onRequest({ peer, method, body, deadlineMs, onAbort })))
  }

  async #answer(id: number, served: Promise<Result<unknown, Failure>>): Promise<void> {
    const result = await served
    this.#served.delete(id)
    if (this.#closed) return
    const frame: Frame = result.ok
      ? { kind: 'answer', id, body: result.value }
      : { kind: 'failure', id, failure: failureToWire(result.error) }
    const bytes = encodeFrame(frame)
    this.#stream.write(isTooLong(bytes) ? encodeFrame({ kind: 'failure', id, failure: answerTooLarge }) : bytes)
  }

  #cancel(id: number, why: Failure): void {
    if (!this.#waiting.has(id)) return
    this.#settle(id, err(why))
    if (!this.#closed) this.#stream.write(encodeFrame({ kind: 'cancel', id }))
  }

  #settle(id: number, result: Result<unknown, Failure | ConnectionLost>): void {
    const waiting = this.#waiting.get(id)
    if (waiting === undefined) return
    this.#waiting.delete(id)
    waiting.timer.close()
    waiting.deferred.resolve(result)
  }

  #over(why: string): void {
    if (this.#closed) return
    this.#closed = true
    this.#keepalive?.close()
    this.#helloTimer.close()
    for (const id of [...this.#waiting.keys()]) this.#settle(id, err({ kind: 'connection-lost', message: why }))
    for (const served of [...this.#served.values()]) abort(served)
    this.#events.onClose(this, why)
  }
}

function abort(served: Served | undefined): void {
  if (served === undefined || served.aborted) return
  served.aborted = true
  served.abort?.()
}

/** The peer would close the connection, and with it everything else that is under way. */
function isTooLong(frame: Uint8Array): boolean {
  return frame.length > 4 + frameBytesMax
}

const requestTooLarge: Failure = {
  kind: 'too-large',
  message: `the request is longer than the ${frameBytesMax} bytes that one between agents may have`,
}

const answerTooLarge: Failure = {
  kind: 'too-large',
  message: `the answer is longer than the ${frameBytesMax} bytes that one between agents may have`,
}

const endText: Record<StreamEnd, string> = {
  ended: 'the peer ended it',
  reset: 'the peer broke it',
  timeout: 'nothing came through',
  closed: 'closed here',
}
