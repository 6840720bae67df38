import { emptyBytes, textOf, utf8 } from '../../src/base/bytes.ts'
import type { Closable } from '../../src/env/async.ts'
import { bodyBytesMax, type HttpHandler, type HttpRequest, type HttpResponse } from '../../src/env/http.ts'
import type { TcpStream } from '../../src/env/net.ts'
import type { Log } from '../../src/env/observe.ts'
import type { OpenRequest } from '../world/boot.ts'
import type { ShownAnswer } from '../world/kernel.ts'
import {
  areSendable,
  closesConnection,
  encodeMessage,
  type HttpMessage,
  joinedHeaders,
  MessageReader,
} from './http-frame.ts'

/**
 * As in production: a client must begin a request within this time after connecting or after the last answer, and has
 * this time for it, and a further millisecond for each so many bytes.
 */
const requestTimeoutMs = 120_000
const bytesPerMs = 64

export interface HttpServing {
  readonly handler: HttpHandler
  readonly log: Log
  readonly monoMs: () => number
  /** Calls `act` in a turn of its own. */
  readonly soon: (act: () => void) => void
  readonly after: (delayMs: number, act: () => void) => Closable
  /** Called with each answer. */
  readonly said: ((target: string, text: () => string, answer: ShownAnswer) => void) | undefined
  /** The open connections. */
  readonly connections: Set<HttpServerConnection>
  /** Requests that are not answered yet. */
  readonly requests: Set<OpenRequest>
}

/** One connection: read a request, have it answered, send the answer, wait for the next. */
export class HttpServerConnection {
  readonly #serving: HttpServing
  readonly #stream: TcpStream
  readonly #reader = new MessageReader()
  /** One timer for the whole life: when it fires, it checks whether anything has happened since. */
  #limit: Closable
  #waitsSinceMs: number
  #busy = false
  #last = false
  #gone = false
  #open: OpenRequest | undefined
  #aborts: (() => void)[] = []

  constructor(serving: HttpServing, stream: TcpStream) {
    this.#serving = serving
    this.#stream = stream
    this.#waitsSinceMs = serving.monoMs()
    this.#limit = serving.after(requestTimeoutMs, () => this.#late())
    serving.connections.add(this)
    stream.onData((bytes) => this.#read(bytes))
    stream.onEnd(() => this.finish())
    stream.onClose(() => this.#closed())
  }

  /** No further request is accepted; the present one is answered. */
  finish(): void {
    this.#last = true
    if (!this.#busy && !this.#gone) this.#stream.end()
  }

  #late(): void {
    const allowedMs = requestTimeoutMs + this.#reader.held / bytesPerMs
    const leftMs = this.#waitsSinceMs + allowedMs - this.#serving.monoMs()
    if (!this.#busy && leftMs <= 0) this.#stream.close()
    else this.#limit = this.#serving.after(this.#busy ? requestTimeoutMs : leftMs, () => this.#late())
  }

  #read(bytes: Uint8Array): void {
    if (this.#reader.held === 0) this.#waitsSinceMs = this.#serving.monoMs()
    const message = this.#busy ? 'malformed' : this.#reader.push(bytes)
    if (message === undefined) return
    const [method, target] = message === 'malformed' ? [] : message.start
    if (message === 'malformed' || typeof method !== 'string' || target === undefined) {
      this.#stream.close()
      return
    }
    this.#busy = true
    if (closesConnection(message.headers)) this.#last = true
    void this.#serve(message, method, target)
  }

  async #serve(message: HttpMessage, method: string, target: string): Promise<void> {
    const askedMs = this.#serving.monoMs()
    const open = { method, target }
    this.#open = open
    this.#serving.requests.add(open)
    const response = await this.#answer({
      method,
      target,
      headers: joinedHeaders(message.headers),
      body: this.#isTooLarge(message, method, target) ? 'too-large' : message.body,
      remote: this.#stream.remote,
      onAbort: (use) => {
        if (this.#gone) this.#serving.soon(use)
        else this.#aborts.push(use)
      },
    })
    this.#aborts = []
    this.#serving.requests.delete(open)
    if (this.#gone) return
    this.#busy = false
    this.#waitsSinceMs = this.#serving.monoMs()
    const answer = this.#message(method, response)
    const tookMs = this.#waitsSinceMs - askedMs
    this.#serving.said?.(target, () => textOf(answer.body), { status: Number(answer.start[0]), tookMs })
    this.#stream.write(encodeMessage(answer))
    if (this.#last) this.#stream.end()
  }

  /** Some routes accept more than usual, none accepts less. */
  #isTooLarge({ body }: HttpMessage, method: string, target: string): boolean {
    if (body.length <= bodyBytesMax) return false
    return body.length > (this.#serving.handler.bodyBytesMaxOf?.(method, target) ?? bodyBytesMax)
  }

  async #answer(request: HttpRequest): Promise<HttpResponse> {
    try {
      return await this.#serving.handler(request)
    } catch (cause) {
      return this.#internalError(cause)
    }
  }

  #message(method: string, response: HttpResponse): HttpMessage {
    const { status, headers } = response
    if (!Number.isInteger(status) || status < 200 || status > 999 || !areSendable(headers)) {
      return this.#message(method, this.#internalError(new Error('a status or header that HTTP cannot carry')))
    }
    const whole = wholeOf(response.body)
    const bodiless = status === 204 || status === 304
    return {
      start: [status],
      headers: bodiless ? headers : [...headers, ['Content-Length', String(whole.length)]],
      body: bodiless || method === 'HEAD' ? emptyBytes : whole,
    }
  }

  /** For a bug in the handler. The caller learns no details. */
  #internalError(cause: unknown): HttpResponse {
    const error = cause instanceof Error ? cause.message : String(cause)
    this.#serving.log.write('error', 'http', 'a request could not be answered', { error })
    return { status: 500, headers: [['Content-Type', 'text/plain; charset=utf-8']], body: 'Internal error' }
  }

  #closed(): void {
    this.#limit.close()
    this.#serving.connections.delete(this)
    if (this.#open !== undefined) this.#serving.requests.delete(this.#open)
    this.#gone = true
    for (const use of this.#aborts.splice(0)) use()
  }
}

/** Answers are sent as a whole here: of a stream, what is available at once. */
function wholeOf(body: HttpResponse['body']): Uint8Array {
  if (typeof body === 'string') return utf8(body)
  if (body instanceof Uint8Array) return body
  let text = ''
  const out = {
    write: (more: string) => {
      text += more
      return true
    },
  }
  body.open(out).close()
  return utf8(text)
}
