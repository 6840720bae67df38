import { err, ok, type Result } from '../base/result.ts'
import type { Closable } from '../env/async.ts'
import type { Env } from '../env/env.ts'
import { type Endpoint, endpointText, type SendingTime, type StreamEnd, type TcpStream } from '../env/net.ts'
import type { Failure } from '../model/failure.ts'
import { failureFromWire } from './failure-codec.ts'
import { encodeFrame, type Frame, frameBytesMax, type Hello, helloBytesMax, rpcProtocol } from './frame.ts'
import { FrameReader } from './frame-reader.ts'
import { Liveness } from './liveness.ts'
import { type Answer, RequestsInFlight, type RpcCall } from './requests-in-flight.ts'
import { type Peer, type ServedRequest, ServedRequests } from './served-requests.ts'

/** Maximum number of bytes that wait to be sent; beyond it, notices are dropped, requests refused, and answers wait. */
const queuedBytesMax = 16 << 20
/**
 * Beyond this, the connection is closed: no request or answer is queued on a congested connection, so these are small
 * frames, such as answers to the pings of a peer that reads nothing.
 */
const unreadBytesMax = 2 * queuedBytesMax
/** A connection whose peer has not sent its hello within this time is closed. */
const helloTimeoutMs = 5_000
export interface ConnectionEvents {
  onRequest(request: ServedRequest): Promise<Result<unknown, Failure>>
  /** Whether a request of this method is a write. */
  isWrite(method: string): boolean
  onNotice(peer: Peer, topic: string, bytes: Uint8Array): void
  /** `heldBytes` may be greater now. */
  onHeld(connection: Connection): void
  /** The peer has sent its hello. */
  onReady(connection: Connection, peer: Peer): void
  onClose(connection: Connection, why: string): void
}

/** One connection between two agents: many requests under way in both directions, and notices beside them. */
export class Connection {
  readonly #env: Env
  readonly #stream: TcpStream
  readonly #events: ConnectionEvents
  readonly #mayActAsServer: boolean
  readonly #reader = new FrameReader({
    awaitsAnswers: () => !this.#requests.isEmpty,
    bytesMax: () => (this.#peer === undefined ? helloBytesMax : frameBytesMax),
  })
  readonly #requests: RequestsInFlight
  readonly #served: ServedRequests
  readonly #liveness: Liveness
  readonly #helloTimer: Closable
  #peer: Peer | undefined
  #closed = false
  #endedByPeer = false

  constructor(env: Env, stream: TcpStream, hello: Hello, mayActAsServer: boolean, events: ConnectionEvents) {
    this.#env = env
    this.#stream = stream
    this.#events = events
    this.#mayActAsServer = mayActAsServer
    const write = (frame: Uint8Array): void => this.#write(frame)
    this.#served = new ServedRequests({
      env,
      write,
      onRequest: (request) => events.onRequest(request),
      isWrite: (method) => events.isWrite(method),
      isCongested: () => this.#isCongested,
    })
    this.#requests = new RequestsInFlight({
      env,
      isCongested: () => this.#isCongested,
      send: (frame) => this.#sendRequest(frame),
      sendCancel: write,
    })
    this.#liveness = new Liveness({
      env,
      ping: () => write(encodeFrame({ kind: 'ping' })),
      dead: () => this.close('the peer does not answer'),
      isAwaited: () => !this.#requests.isEmpty,
    })
    stream.onData((bytes) => this.#receive(bytes))
    stream.onDrain(() => this.#served.sendReady())
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

  /**
   * Bytes that this agent holds for the peer: a frame that has not arrived whole, requests that are being served, and
   * what the peer has not read.
   */
  get heldBytes(): number {
    return this.#closed ? 0 : this.#reader.held + this.#served.bytes + this.#stream.queuedBytes()
  }

  /** Sends a request and waits for its answer. It is not sent if the connection is over, or its peer is found dead. */
  request(call: RpcCall): Promise<Answer> {
    if (!this.#closed && this.#liveness.check() && this.open) return this.#requests.send(call)
    const deferred = this.#env.deferred<Answer>()
    const message = `cannot reach ${endpointText(this.#stream.remote)}: the connection to it was just closed`
    deferred.resolve(err({ kind: 'unreachable', message }))
    return deferred.promise
  }

  /** Sends without an answer. Dropped when too much is queued. */
  notify(topic: string, bytes: Uint8Array, when: SendingTime): void {
    if (this.#closed || this.#isCongested) return
    this.#send(encodeFrame({ kind: 'notice', topic, bytes }), when)
  }

  close(why: string): void {
    if (this.#closed) return
    this.#stream.close()
    this.#over(why)
  }

  get #isCongested(): boolean {
    return this.#stream.queuedBytes() > queuedBytesMax
  }

  #write(frame: Uint8Array): void {
    if (this.#stream.queuedBytes() > unreadBytesMax) this.close('the peer does not read')
    else this.#put(frame)
  }

  #put(frame: Uint8Array, when: SendingTime = 'now'): void {
    this.#stream.write(frame, when)
    if (!this.#closed) this.#events.onHeld(this)
  }

  #sendRequest(frame: Uint8Array): void {
    this.#send(frame)
    this.#liveness.watch()
  }

  #send(frame: Uint8Array, when: SendingTime = 'now'): void {
    if (this.#liveness.check()) this.#put(frame, when)
  }

  #receive(bytes: Uint8Array): void {
    this.#liveness.heard()
    // Under a steady load the queue may never become empty.
    this.#served.sendReady()
    const read = this.#reader.push(bytes, (frame, size) => {
      if (!this.#closed) this.#take(frame, size)
    })
    if (!read.ok) {
      this.#env.log.write(
        'warn',
        'rpc',
        'closing a connection that does not follow the protocol between agents',
        { remote: endpointText(this.#stream.remote), reason: read.error },
        'sampled',
      )
      this.close(read.error)
    } else if (!this.#closed) this.#events.onHeld(this)
  }

  #take(frame: Frame, size: number): void {
    if (frame.kind === 'hello') return this.#greet(frame.hello)
    if (this.#peer === undefined) return this.close('the peer did not say hello first')
    switch (frame.kind) {
      case 'request':
        if (!this.#served.serve(this.#peer, frame, size)) this.close('the peer used a request number twice')
        return
      case 'answer':
        return this.#requests.settle(frame.id, ok(frame.body))
      case 'failure':
        return this.#requests.settle(frame.id, err(failureFromWire(frame.failure)))
      case 'cancel':
        return this.#served.abort(frame.id)
      case 'notice':
        return this.#events.onNotice(this.#peer, frame.topic, frame.bytes)
      case 'ping':
        return this.#write(encodeFrame({ kind: 'pong' }))
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

  #over(why: string): void {
    if (this.#closed) return
    this.#closed = true
    this.#liveness.stop()
    this.#helloTimer.close()
    this.#requests.lost(why)
    this.#served.lost()
    this.#events.onClose(this, why)
  }
}

const endText: Record<StreamEnd, string> = {
  ended: 'the peer closed it',
  reset: 'the peer reset it',
  timeout: 'nothing arrived in time',
  closed: 'closed here',
}
