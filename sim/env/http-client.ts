import { emptyBytes } from '../../src/base/bytes.ts'
import { err, ok, type Result } from '../../src/base/result.ts'
import type { Deferred } from '../../src/env/async.ts'
import type { Timers } from '../../src/env/clock.ts'
import type { HttpClientFailure, HttpClientRequest, HttpClientResponse } from '../../src/env/http.ts'
import { type Endpoint, endpointText, type TcpStream } from '../../src/env/net.ts'
import { encodeMessage, type HttpMessage, joinedHeaders, MessageReader } from './http-frame.ts'

export type HttpAnswer = Result<HttpClientResponse, HttpClientFailure>

/** Sends a request over a fresh connection and settles with the answer, or with why there is none. */
export function exchange(
  stream: TcpStream,
  to: Endpoint,
  request: HttpClientRequest,
  leftMs: number,
  timers: Timers,
  deferred: Deferred<HttpAnswer>,
): Promise<HttpAnswer> {
  let over = false
  const settle = (answer: HttpAnswer): void => {
    if (over) return
    over = true
    limit.close()
    deferred.resolve(answer)
  }
  const limit = timers.after(leftMs, () => {
    settle(err({ kind: 'timeout', to }))
    stream.close()
  })
  const reader = new MessageReader()
  stream.onData((bytes) => {
    if (over) return
    const message = reader.push(bytes)
    if (message === undefined) return
    const response = message === 'malformed' ? undefined : responseOf(message)
    if (response !== undefined) {
      settle(ok(response))
      stream.end()
      return
    }
    settle(err({ kind: 'broken', to, message: 'the answer is no HTTP' }))
    stream.close()
  })
  stream.onEnd(() => stream.end())
  stream.onClose(() => settle(err({ kind: 'broken', to, message: 'the connection ended before the answer' })))
  stream.write(encodeMessage(messageOf(to, request)))
  return deferred.promise
}

function messageOf(to: Endpoint, request: HttpClientRequest): HttpMessage {
  const { method, target, headers = [], body = emptyBytes } = request
  const host = headers.some(([name]) => name.toLowerCase() === 'host') ? [] : [['Host', endpointText(to)] as const]
  const length = body.length === 0 ? [] : [['Content-Length', String(body.length)] as const]
  return { start: [method, target], headers: [...host, ...headers, ...length], body }
}

function responseOf({ start: [status], headers, body }: HttpMessage): HttpClientResponse | undefined {
  return typeof status === 'number' ? { status, headers: joinedHeaders(headers), body } : undefined
}
