import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { err, ok, type Result } from '../base/result.ts'
import type { Closable } from '../env/async.ts'
import type { HttpClientFailure, HttpClientRequest, HttpClientResponse } from '../env/http.ts'
import type { Endpoint } from '../env/net.ts'
import { plainBytes } from '../native/plain-bytes.ts'
import { nextTurn, nodeDelay } from './async.ts'
import { joinedHeaders } from './http-body.ts'
import { addressProblem, dialFailure, handshakeReason, tlsFault } from './net-failures.ts'
import { socketPathOf } from './socket-access.ts'
import { messageOf } from './system-error.ts'
import { Tail } from './tail.ts'
import { diallerTls } from './tls.ts'

/** Maximum size of an answer; a larger one is broken off. */
const answerBytesMax = 256 << 20
/** Maximum number of connections under way; further requests wait for one, within their own timeout. */
const connectionsMax = 4096
/** Maximum number of connections kept for later requests, for each address. */
const idleConnectionsMax = 16

type Answer = Result<HttpClientResponse, HttpClientFailure>

/** Requests over connections that are kept and reused. */
export class HttpClient implements Closable {
  readonly #options = { keepAlive: true, maxTotalSockets: connectionsMax, maxFreeSockets: idleConnectionsMax } as const
  readonly #http = new HttpAgent(this.#options)
  readonly #https = new HttpsAgent(this.#options)
  readonly #underWay = new Set<() => void>()
  #closed = false

  async request(to: Endpoint, request: HttpClientRequest): Promise<Answer> {
    const problem = this.#closed
      ? 'shutting down'
      : socketPathOf(to.host) === undefined
        ? addressProblem(to)
        : undefined
    if (problem === undefined) {
      try {
        return await this.#exchange(to, request, this.#sent(to, request))
      } catch (cause) {
        // A target, header or key that Node refuses to send.
        return err({ kind: 'io', to, message: messageOf(cause) })
      }
    }
    await nextTurn()
    return err({ kind: 'io', to, message: problem })
  }

  close(): void {
    this.#closed = true
    for (const stop of [...this.#underWay]) stop()
    this.#http.destroy()
    this.#https.destroy()
  }

  #sent(to: Endpoint, request: HttpClientRequest): ClientRequest {
    const socketPath = socketPathOf(to.host)
    const options = {
      ...(socketPath === undefined ? { host: to.host, port: to.port } : { socketPath, host: 'localhost' }),
      method: request.method,
      path: request.target,
      maxHeaderSize: 64 << 10,
    }
    const sent =
      request.tls === undefined
        ? httpRequest({ ...options, agent: this.#http })
        : httpsRequest({ ...options, agent: this.#https, ...diallerTls(request.tls, to) })
    try {
      for (const [name, value] of request.headers ?? []) {
        if (name.toLowerCase() === 'host') sent.setHeader(name, value)
        else sent.appendHeader(name, value)
      }
      // By default Node does not announce the body of a DELETE, and its receiver would take it for the next request.
      if (request.body !== undefined) sent.setHeader('Content-Length', request.body.length)
      sent.end(request.body)
    } catch (cause) {
      sent.on('error', () => undefined)
      sent.destroy()
      throw cause
    }
    return sent
  }

  #exchange(to: Endpoint, request: HttpClientRequest, sent: ClientRequest): Promise<Answer> {
    return new Promise((resolve) => {
      let connected = false
      let part: () => Answer | undefined = () => undefined
      const settle = (answer: Answer): void => {
        clearTimeout(timer)
        this.#underWay.delete(stop)
        resolve(answer)
      }
      const broken = (message: string): Answer => err({ kind: 'broken', to, message })
      const giveUp = (answer: Answer): void => {
        settle(answer)
        sent.destroy()
      }
      const stop = (): void => giveUp(broken('shutting down'))
      const timer = setTimeout(() => giveUp(part() ?? err({ kind: 'timeout', to })), nodeDelay(request.timeoutMs))
      this.#underWay.add(stop)
      sent.once('socket', (socket) => {
        if (!socket.connecting) connected = request.tls === undefined || sent.reusedSocket
        else socket.once(request.tls === undefined ? 'connect' : 'secureConnect', () => (connected = true))
      })
      sent.on('error', (cause) => {
        const message = handshakeReason(cause) ?? messageOf(cause)
        const failure: HttpClientFailure = connected
          ? { kind: 'broken', to, message, fault: tlsFault(cause) }
          : dialFailure(to, cause)
        settle(part() ?? err(failure))
      })
      sent.once('response', (response) => {
        connected = true
        const answered = (body: Uint8Array): Answer => {
          return ok({ status: response.statusCode ?? 0, headers: joinedHeaders(response.rawHeaders), body })
        }
        const onBody = response.statusCode === 200 ? request.onBody : undefined
        if (onBody !== undefined) clearTimeout(timer)
        const bodySoFar = receive(
          response,
          { keep: onBody ?? request.tailBytes, onReceived: request.onReceived },
          (message) => giveUp(part() ?? broken(message)),
          (body) => settle(answered(body)),
        )
        if (request.takesPart === true) part = () => answered(bodySoFar())
      })
    })
  }
}

/** Returns what gives the body as far as it has come. */
function receive(
  response: IncomingMessage,
  {
    keep,
    onReceived,
  }: {
    readonly keep: number | ((piece: Uint8Array) => void) | undefined
    readonly onReceived: ((bytes: number) => void) | undefined
  },
  fail: (why: string) => void,
  use: (body: Uint8Array) => void,
): () => Uint8Array {
  const tail = new Tail(typeof keep === 'number' ? keep : answerBytesMax)
  let length = 0
  response.on('data', (piece: Uint8Array) => {
    if (typeof keep === 'function') return keep(plainBytes(piece))
    length += piece.length
    onReceived?.(length)
    if (keep === undefined && length > answerBytesMax) fail(`an answer of more than ${answerBytesMax} bytes`)
    else tail.push(piece)
  })
  response.once('error', (cause) => fail(messageOf(cause)))
  response.once('end', () => use(tail.bytes()))
  response.once('close', () => fail('the connection ended in the middle of the answer'))
  return () => tail.bytes()
}
