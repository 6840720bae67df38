import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { emptyBytes } from '../base/bytes.ts'
import { bodyBytesMax, type HttpHandler, type HttpRequest, type HttpResponse } from '../env/http.ts'
import type { Endpoint } from '../env/net.ts'
import type { Log } from '../env/observe.ts'
import { type HeldBodies, isWithoutBody, readBody } from './http-body.ts'
import { type Exchange, TakenRequest, WaitingExchanges } from './http-exchange.ts'
import { framingProblem } from './http-framing.ts'
import type { ClientConnection, ClientsMemory } from './http-memory.ts'
import {
  type BodyTexts,
  type CompressedBodies,
  isWhole,
  type WholeResponse,
  writeResponse,
  writeStream,
} from './http-response.ts'
import { endpointOf } from './net-failures.ts'
import { messageOf } from './system-error.ts'

/**
 * Maximum number of requests sent on one connection before the answer to the first; a client that sends more is cut
 * off.
 */
export const pipelinedRequestsMax = 256
/** Time that a client which has ended its side waits for its answer; afterwards its request counts as abandoned. */
const halfClosedGraceMs = 1_000
/** Timeout for an answer that makes no progress; then its connection is closed. */
const stalledAnswerMs = 60_000

/** State that the connections of one listener share. */
export interface HttpServing {
  readonly handler: HttpHandler
  readonly log: Log
  readonly bodies: HeldBodies
  readonly memory: ClientsMemory
  readonly compressed: CompressedBodies
  readonly texts: BodyTexts
  /** Callbacks that end the streams being sent. */
  readonly streams: Set<() => void>
  /** The listener is closed: each connection ends with the next answer. */
  closing: boolean
}

function plainText(status: number, body: string): WholeResponse {
  return { status, headers: [['Content-Type', 'text/plain; charset=utf-8']], body }
}

/** Answer to a request whose body does not fit among the held ones. */
const noRoom = plainText(503, 'Too many request bodies at a time')
/** Answer to a request whose body does not come in its time. */
const tooSlow = plainText(408, 'Request Timeout: the body comes too slowly')

/** An answer of this file itself is always one that HTTP can carry. */
function fail(cause: unknown): never {
  throw cause
}

/** The requests of one connection, one after another: of two consecutive writes, the first takes effect first. */
export class HttpConnection implements ClientConnection {
  readonly #socket: Socket
  readonly #serving: HttpServing
  readonly #waiting = new WaitingExchanges()
  #current: Exchange | undefined
  /** The end of the last request is uncertain: further bytes on this connection are not served. */
  #refusing = false
  #gone = false
  /** The bytes of the answer that is being sent are also sent to others. */
  #sendsShared = false
  #remote: Endpoint | undefined
  #grace: NodeJS.Timeout | undefined
  readonly #onHeld = (): void => {
    this.#socket.setTimeout(stalledAnswerMs)
    this.#serving.memory.grown(this)
  }

  constructor(socket: Socket, serving: HttpServing) {
    this.#socket = socket
    this.#serving = serving
    socket.once('end', () => {
      this.#grace = setTimeout(() => this.#abort(), halfClosedGraceMs)
    })
    socket.once('close', () => {
      serving.memory.gone(this)
      this.#abort()
    })
  }

  get remote(): Endpoint {
    this.#remote ??= endpointOf(this.#socket.remoteAddress, this.#socket.remotePort)
    return this.#remote
  }

  /** An answer that others get, too, takes no memory of its own, unless it is encrypted for this client. */
  get heldBytes(): number {
    if (this.#socket.destroyed) return 0
    const isCommon = this.#sendsShared && !('encrypted' in this.#socket)
    return this.#waiting.bytes + (isCommon ? 0 : this.#socket.writableLength)
  }

  close(): void {
    this.#socket.destroy()
  }

  get busy(): boolean {
    return this.#current !== undefined
  }

  /** Whether the next answer ends the connection. */
  get refusing(): boolean {
    return this.#refusing
  }

  take(request: IncomingMessage, response: ServerResponse, target: string): void {
    if (this.#refusing) return
    if (this.#waiting.length >= pipelinedRequestsMax) {
      this.#socket.destroy()
      return
    }
    // An error of the connection is also reported as its end.
    response.on('error', () => undefined)
    request.on('error', () => undefined)
    const problem = framingProblem(request)
    this.#refusing = problem !== undefined
    const exchange: Exchange = { request, response, target, aborts: [], problem }
    if (this.#current === undefined) return this.#serve(exchange)
    this.#waiting.push(exchange)
    this.#serving.memory.grown(this)
  }

  /** Begins with the next request, if one waits. */
  #serveNext(): void {
    this.#current = undefined
    const next = this.#waiting.shift()
    if (next !== undefined) this.#serve(next)
  }

  #serve(exchange: Exchange): void {
    this.#current = exchange
    if (exchange.problem !== undefined)
      return this.#refuse(exchange, plainText(400, `Bad Request: ${exchange.problem}`))
    // Most requests have no body; for them, the route's limit is not looked up.
    if (isWithoutBody(exchange.request)) return this.#ask(exchange, emptyBytes)
    void this.#serveWithBody(exchange)
  }

  #served(): void {
    if (this.#socket.destroyed) this.#waiting.clear()
    // Node sets the limit for idle connections after the last answer, but here the next request is already read.
    else if (this.#waiting.length > 0) this.#socket.setTimeout(0)
    this.#serveNext()
  }

  async #serveWithBody(exchange: Exchange): Promise<void> {
    const { request } = exchange
    const { bodies } = this.#serving
    const { body, release } = await readBody(request, bodies, this.remote.host, this.#bodyBytesMax(exchange))
    if (body === 'broken') return this.#served()
    if (body === 'no-room') return this.#answer(exchange, noRoom)
    if (body === 'too-slow') return this.#refuse(exchange, tooSlow)
    return this.#ask(exchange, body, release)
  }

  /** `release` is called once the request was handled. */
  #ask(exchange: Exchange, body: Uint8Array | 'too-large', release?: () => void): void {
    const answered = (answer: HttpResponse): void => {
      release?.()
      this.#answer(exchange, answer)
    }
    const failed = (cause: unknown): void => answered(this.#internalError(cause))
    this.#handled(this.#requestOf(exchange, body)).then(answered, failed)
  }

  #handled(request: HttpRequest): Promise<HttpResponse> {
    try {
      return this.#serving.handler(request)
    } catch (cause) {
      return Promise.reject(cause)
    }
  }

  #answer(exchange: Exchange, answer: HttpResponse): void {
    const { response } = exchange
    if (response.destroyed || this.#socket.destroyed) return this.#served()
    if (!isWhole(answer)) return void this.#stream(exchange, answer).then(() => this.#served())
    this.#sendsShared = answer.shared === true
    this.#whenSent(exchange, () => this.#served())
    const { closing } = this.#serving
    this.#write(exchange, answer, closing, (cause) => {
      this.#write(exchange, this.#internalError(cause), closing, fail)
    })
  }

  /** `unsendable` is called with the reason if HTTP cannot carry the answer; `last`: the connection ends with it. */
  #write(
    { request, response }: Exchange,
    answer: WholeResponse,
    last: boolean,
    unsendable: (cause: unknown) => void,
  ): void {
    const { compressed, texts } = this.#serving
    try {
      writeResponse(request, response, answer, { last, compressed, texts, onHeld: this.#onHeld })?.catch(unsendable)
    } catch (cause) {
      unsendable(cause)
    }
  }

  /** Calls `use` after the end of the answer, or of the connection. */
  #whenSent({ response }: Exchange, use: () => void): void {
    if (response.destroyed) use()
    else response.once('close', use)
  }

  /** The connection ends with this answer. */
  #refuse(exchange: Exchange, answer: WholeResponse): void {
    this.#refusing = true
    this.#whenSent(exchange, () => {
      this.#socket.destroySoon()
      this.#served()
    })
    this.#write(exchange, answer, true, fail)
  }

  #bodyBytesMax({ request, target }: Exchange): number {
    return this.#serving.handler.bodyBytesMaxOf?.(request.method ?? '', target) ?? bodyBytesMax
  }

  /** While it is read, the stream may be silent for any time. */
  async #stream({ response, aborts }: Exchange, answer: HttpResponse): Promise<void> {
    const { streams, closing } = this.#serving
    // A client that has ended its side of the connection has left: nothing else would show that for a silent stream.
    aborts.push(() => response.destroy())
    if (this.#gone) response.destroy()
    this.#socket.setTimeout(0)
    let end = (): void => {}
    await writeStream(
      response,
      answer,
      () => this.#serving.memory.grown(this),
      (ending) => {
        end = ending
        streams.add(end)
        if (closing) end()
      },
    )
    streams.delete(end)
  }

  #requestOf(exchange: Exchange, body: Uint8Array | 'too-large'): HttpRequest {
    const onAbort = (use: () => void): void => {
      if (this.#gone) setImmediate(use)
      else exchange.aborts.push(use)
    }
    return new TakenRequest(exchange, body, this.remote, onAbort)
  }

  /** For a bug in the handler. The caller learns no details. */
  #internalError(cause: unknown): WholeResponse {
    this.#serving.log.write('error', 'http', 'a request could not be answered', { error: messageOf(cause) }, 'sampled')
    return plainText(500, 'Internal error')
  }

  #abort(): void {
    clearTimeout(this.#grace)
    if (this.#socket.destroyed) this.#waiting.clear()
    if (this.#gone) return
    this.#gone = true
    for (const use of this.#current?.aborts.splice(0) ?? []) use()
  }
}
