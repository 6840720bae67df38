import { type ClientHttp2Session, type ClientHttp2Stream, connect, type IncomingHttpHeaders } from 'node:http2'
import { connect as netConnect, type Socket } from 'node:net'
import { connect as tlsConnect } from 'node:tls'
import { err, ok, type Result } from '../base/result.ts'
import type { Http2Request, Http2Response, HttpClientFailure, HttpHeaders } from '../env/http.ts'
import type { Endpoint } from '../env/net.ts'
import { plainBytes } from '../native/plain-bytes.ts'
import { nodeDelay } from './async.ts'
import { addressProblem, dialFailure } from './net-failures.ts'
import type { OpenThings } from './open-things.ts'
import { messageOf } from './system-error.ts'
import { diallerTls } from './tls.ts'

type Answer = Result<Http2Response, HttpClientFailure>

/** One exchange on a connection of its own, which is broken at the end: further data from the other side are lost. */
export function requestHttp2(to: Endpoint, request: Http2Request, open: OpenThings): Promise<Answer> {
  return new Promise((resolve) => {
    const problem = addressProblem(to)
    if (problem !== undefined) {
      setImmediate(() => resolve(err({ kind: 'io', to, message: problem })))
      return
    }
    let connected = false
    let session: ClientHttp2Session | undefined
    let socket: Socket | undefined
    const settle = (answer: Answer): void => {
      clearTimeout(timer)
      open.delete(guard)
      resolve(answer)
      session?.destroy()
      socket?.destroy()
    }
    const fail = (cause: unknown): void => {
      settle(err(connected ? { kind: 'broken', to, message: messageOf(cause) } : dialFailure(to, cause)))
    }
    const guard = { close: () => settle(err({ kind: 'io', to, message: 'shutting down' })) }
    const timer = setTimeout(() => settle(err({ kind: 'timeout', to })), nodeDelay(request.timeoutMs))
    open.add(guard)
    try {
      socket = dialled(to, request)
      socket.on('error', fail)
      socket.once(request.tls === undefined ? 'connect' : 'secureConnect', () => (connected = true))
      const made = socket
      session = connect(`http://${request.authority}`, { createConnection: () => made })
      session.on('error', fail)
      const headers = { ...Object.fromEntries(request.headers), ':method': request.method, ':path': request.target }
      receive(session.request(headers), request, fail, settle)
    } catch (cause) {
      // A header or a key that Node refuses.
      fail(cause)
    }
  })
}

function dialled(to: Endpoint, { tls }: Http2Request): Socket {
  const at = { host: to.host, port: to.port }
  return tls === undefined ? netConnect(at) : tlsConnect({ ...at, ...diallerTls(tls, to), ALPNProtocols: ['h2'] })
}

function receive(
  stream: ClientHttp2Stream,
  request: Http2Request,
  fail: (cause: unknown) => void,
  settle: (answer: Answer) => void,
): void {
  const pieces: Uint8Array[] = []
  let length = 0
  let head: IncomingHttpHeaders | undefined
  let tail: IncomingHttpHeaders = {}
  stream.on('error', fail)
  stream.once('response', (headers) => {
    head = headers
  })
  stream.once('trailers', (headers: IncomingHttpHeaders) => {
    tail = headers
  })
  stream.on('data', (piece: Uint8Array) => {
    length += piece.length
    if (length > request.bodyBytesMax) fail(new Error(`an answer of more than ${request.bodyBytesMax} bytes`))
    else pieces.push(plainBytes(piece))
  })
  stream.once('close', () => {
    if (head === undefined) return fail(new Error('the connection ended without an answer'))
    const status = Number(head[':status'] ?? 0)
    const body = new Uint8Array(Buffer.concat(pieces))
    settle(ok({ status, headers: headersOf(head), body, trailers: headersOf(tail) }))
  })
  stream.end(request.body)
}

function headersOf(given: IncomingHttpHeaders): HttpHeaders {
  const headers = new Map<string, string>()
  for (const [name, value] of Object.entries(given)) {
    if (!name.startsWith(':') && value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value)
  }
  return headers
}
