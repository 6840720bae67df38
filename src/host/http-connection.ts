import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { itemAt } from '../base/items.ts'
import { bodyBytesMax, type HttpHandler, type HttpHeaders, type HttpRequest, type HttpResponse } from '../env/http.ts'
import type { Endpoint } from '../env/net.ts'
import type { Log } from '../env/observe.ts'
import { type HeldBodies, isWithoutBody, joinedHeaders, noBody, readBody } from './http-body.ts'
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
  readonly compressed: CompressedBodies
  readonly texts: BodyTexts
  /** Callbacks that end the streams being sent. */
  readonly streams: Set<() => void>
  /** The listener is closed: each connection ends with the next answer. */
  closing: boolean
}

/** Answer to a request whose body does not fit among the held ones. */
const noRoom: WholeResponse = {
  status: 503,
  headers: [['Content-Type', 'text/plain; charset=utf-8']],
  body: 'Too many request bodies at a time',
}

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly target: string
  readonly aborts: (() => void)[]
  /** Why it is not served. */
  readonly problem: string | undefined
}

/** The requests of one connection, one after another: of two consecutive writes, the first takes effect first. */
export class HttpConnection {
  readonly #socket: Socket
  readonly #serving: HttpServing
  readonly #waiting: Exchange[] = []
  #current: Exchange | undefined
  /** The end of the last request is uncertain: further bytes on this connection are not served. */
  #refusing = false
  #gone = false
  #remote: Endpoint | undefined
  #grace: NodeJS.Timeout | undefined

  constructor(socket: Socket, serving: HttpServing) {
    this.#socket = socket
    this.#serving = serving
    socket.once('end', () => {
      this.#grace = setTimeout(() => this.#abort(), halfClosedGraceMs)
    })
    socket.once('close', () => this.#abort())
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
    this.#waiting.push({ request, response, target, aborts: [], problem })
    if (this.#current === undefined) void this.#serveAll()
  }

  async #serveAll(): Promise<void> {
    for (;;) {
      const exchange = this.#waiting.shift()
      this.#current = exchange
      if (exchange === undefined) return
      await this.#serve(exchange)
      if (this.#socket.destroyed) this.#waiting.length = 0
      // Node sets the limit for idle connections after the last answer, but here the next request is already read.
      else if (this.#waiting.length > 0) this.#socket.setTimeout(0)
    }
  }

  async #serve(exchange: Exchange): Promise<void> {
    const { request, response, problem } = exchange
    if (problem !== undefined) return this.#refuse(exchange, problem)
    // Most requests have no body; for them, the route's limit is not looked up.
    const { body, release } = isWithoutBody(request)
      ? noBody
      : await readBody(request, this.#serving.bodies, this.#bodyBytesMax(exchange))
    if (body === 'broken') return
    const answer = body === 'no-room' ? noRoom : await this.#answer(this.#requestOf(exchange, body))
    release()
    if (response.destroyed || this.#socket.destroyed) return
    if (!isWhole(answer)) return this.#stream(exchange, answer)
    const { closing, compressed, texts } = this.#serving
    const onHeld = (): void => void this.#socket.setTimeout(stalledAnswerMs)
    try {
      await writeResponse(request, response, answer, { last: closing, compressed, texts, onHeld })
    } catch (cause) {
      // A status or header that HTTP cannot carry. Node checks all of them before it sends the first.
      await writeResponse(request, response, this.#internalError(cause), { last: closing, compressed, texts, onHeld })
    }
  }

  async #refuse({ request, response }: Exchange, problem: string): Promise<void> {
    const { compressed, texts } = this.#serving
    const answer: WholeResponse = {
      status: 400,
      headers: [['Content-Type', 'text/plain; charset=utf-8']],
      body: `Bad Request: ${problem}`,
    }
    const onHeld = (): void => void this.#socket.setTimeout(stalledAnswerMs)
    await writeResponse(request, response, answer, { last: true, compressed, texts, onHeld })
    this.#socket.destroySoon()
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
    await writeStream(response, answer, (ending) => {
      end = ending
      streams.add(end)
      if (closing) end()
    })
    streams.delete(end)
  }

  #requestOf({ request, target, aborts }: Exchange, body: Uint8Array | 'too-large'): HttpRequest {
    let headers: HttpHeaders | undefined
    this.#remote ??= endpointOf(request.socket.remoteAddress, request.socket.remotePort)
    return {
      method: request.method ?? '',
      target,
      // Most requests' headers are never read.
      get headers() {
        headers ??= joinedHeaders(request.rawHeaders)
        return headers
      },
      body,
      remote: this.#remote,
      onAbort: (use) => {
        if (this.#gone) setImmediate(use)
        else aborts.push(use)
      },
    }
  }

  async #answer(request: HttpRequest): Promise<HttpResponse> {
    try {
      return await this.#serving.handler(request)
    } catch (cause) {
      return this.#internalError(cause)
    }
  }

  /** For a bug in the handler. The caller learns no details. */
  #internalError(cause: unknown): WholeResponse {
    this.#serving.log.write('error', 'http', 'a request could not be answered', { error: messageOf(cause) }, 'sampled')
    return { status: 500, headers: [['Content-Type', 'text/plain; charset=utf-8']], body: 'Internal error' }
  }

  #abort(): void {
    clearTimeout(this.#grace)
    if (this.#gone) return
    this.#gone = true
    for (const use of this.#current?.aborts.splice(0) ?? []) use()
  }
}

/**
 * Why the bounds of a request, or its host, are ambiguous, as a text for its client; undefined if they are not. Node's
 * parser refuses most of what two readers could split differently (a second Content-Length, one beside
 * Transfer-Encoding, folded lines, a space before the colon, bare line ends); this checks what it accepts. A proxy in
 * front that parses such a request differently would pass on one request as the tail of another. Source: RFC 9112,
 * sections 3.2, 6.1 and 6.3.
 */
function framingProblem(request: IncomingMessage): string | undefined {
  // HTTP/0.9 has no headers, and HTTP/2 has its own frames: Node accepts the request line of either.
  if (request.httpVersionMajor !== 1) return 'unsupported HTTP version'
  if (request.httpVersionMinor > 0 && request.headers.host === undefined) return 'no Host'
  const seen = repeatedOnce(request.rawHeaders)
  if (seen !== undefined) return `repeated header ${seen}`
  const coding = request.headers['transfer-encoding']
  if (coding === undefined) return undefined
  if (request.httpVersionMinor === 0) return 'Transfer-Encoding in HTTP/1.0'
  // For Node the last coding decides, so it accepts `gzip, chunked`: the body would be misinterpreted.
  if (coding.toLowerCase() !== 'chunked') return 'unsupported Transfer-Encoding'
  return request.headers['content-length'] === undefined ? undefined : 'Content-Length beside Transfer-Encoding'
}

/** Headers that decide where a request ends, or its host: each may occur once. */
const single: ReadonlySet<string> = new Set(['content-length', 'host', 'transfer-encoding'])

function repeatedOnce(raw: readonly string[]): string | undefined {
  let seen = ''
  for (let at = 0; at < raw.length; at += 2) {
    const name = itemAt(raw, at)
    // Most names differ in length, and are not even converted to lower case.
    if (name.length !== 4 && name.length !== 14 && name.length !== 17) continue
    const lower = name.toLowerCase()
    if (!single.has(lower)) continue
    if (seen.includes(`${lower},`)) return lower
    seen += `${lower},`
  }
  return undefined
}
