import { emptyBytes } from '../../src/base/bytes.ts'
import { err, ok, type Result } from '../../src/base/result.ts'
import type { Closable, Deferred } from '../../src/env/async.ts'
import type { Timers } from '../../src/env/clock.ts'
import type { HttpClientFailure, HttpClientRequest, HttpClientResponse } from '../../src/env/http.ts'
import { type Endpoint, endpointText, type TcpStream } from '../../src/env/net.ts'
import {
  closesConnection,
  encodeMessage,
  type HttpMessage,
  isCalled,
  joinedHeaders,
  MessageReader,
} from './http-frame.ts'

export type HttpAnswer = Result<HttpClientResponse, HttpClientFailure>

/** A request that waits for its answer. */
interface Asked {
  readonly deferred: Deferred<HttpAnswer>
  readonly limit: Closable
  /** No further request uses this connection. */
  readonly last: boolean
  readonly tailBytes: number | undefined
  readonly onBody: ((piece: Uint8Array) => void) | undefined
}

/** One connection of a client: a request, its answer, and then the next. */
export class HttpClientConnection {
  readonly #stream: TcpStream
  readonly #to: Endpoint
  readonly #timers: Timers
  /** Called when the answer has arrived, and another request may follow. */
  readonly #onIdle: (connection: HttpClientConnection) => void
  readonly #onGone: (connection: HttpClientConnection) => void
  readonly #reader = new MessageReader()
  #asked: Asked | undefined
  #open = true

  constructor(
    stream: TcpStream,
    to: Endpoint,
    timers: Timers,
    onIdle: (connection: HttpClientConnection) => void,
    onGone: (connection: HttpClientConnection) => void,
  ) {
    this.#stream = stream
    this.#to = to
    this.#timers = timers
    this.#onIdle = onIdle
    this.#onGone = onGone
    stream.onData((bytes) => this.#read(bytes))
    stream.onEnd(() => this.end())
    stream.onClose(() => {
      this.#leave()
      this.#settle(err({ kind: 'broken', to, message: 'the connection ended before the answer' }))
    })
  }

  get isOpen(): boolean {
    return this.#open
  }

  /** Sends a request, and settles with the answer or the reason why there is none. */
  ask(request: HttpClientRequest, leftMs: number, deferred: Deferred<HttpAnswer>): Promise<HttpAnswer> {
    const limit = this.#timers.after(leftMs, () => this.#giveUp(err({ kind: 'timeout', to: this.#to })), 'http.answer')
    const last = request.headers !== undefined && closesConnection(request.headers)
    this.#asked = { deferred, limit, last, tailBytes: request.tailBytes, onBody: request.onBody }
    this.#stream.write(encodeMessage(messageOf(this.#to, request)))
    return deferred.promise
  }

  /** Ends the connection after the present request. */
  end(): void {
    this.#leave()
    this.#stream.end()
  }

  #read(bytes: Uint8Array): void {
    if (this.#asked === undefined) return this.#giveUp(err({ kind: 'broken', to: this.#to, message: 'not asked' }))
    const message = this.#reader.push(bytes)
    if (message === undefined) return
    const response = message === 'malformed' ? undefined : responseOf(message)
    if (response === undefined) {
      return this.#giveUp(err({ kind: 'broken', to: this.#to, message: 'the answer is no HTTP' }))
    }
    const { last, tailBytes, onBody } = this.#asked
    const { body } = response
    const kept = tailBytes === undefined ? body : body.subarray(Math.max(0, body.length - tailBytes))
    if (onBody !== undefined && response.status === 200) {
      onBody(body)
      this.#settle(ok({ ...response, body: emptyBytes }))
    } else this.#settle(ok({ ...response, body: kept }))
    if (!this.#open) return
    if (last) this.end()
    else this.#onIdle(this)
  }

  #giveUp(answer: HttpAnswer): void {
    this.#leave()
    this.#settle(answer)
    this.#stream.close()
  }

  #settle(answer: HttpAnswer): void {
    const asked = this.#asked
    if (asked === undefined) return
    this.#asked = undefined
    asked.limit.close()
    asked.deferred.resolve(answer)
  }

  #leave(): void {
    if (!this.#open) return
    this.#open = false
    this.#onGone(this)
  }
}

function messageOf(to: Endpoint, request: HttpClientRequest): HttpMessage {
  const { method, target, headers = [], body = emptyBytes } = request
  const host = headers.some(([name]) => isCalled(name, 'host')) ? [] : [['Host', endpointText(to)] as const]
  const length = body.length === 0 ? [] : [['Content-Length', String(body.length)] as const]
  return { start: [method, target], headers: [...host, ...headers, ...length], body }
}

function responseOf({ start, headers, body }: HttpMessage): HttpClientResponse | undefined {
  return start.length === 1 ? { status: start[0], headers: joinedHeaders(headers), body } : undefined
}
