import { afterEach, describe, expect, it } from 'vitest'
import { textOf } from '../../../src/base/bytes.ts'
import type { HttpHandler } from '../../../src/env/http.ts'
import { quietEnv } from './quiet-env.ts'
import { RawConnection } from './raw-connection.ts'

const connections: RawConnection[] = []

afterEach(() => {
  for (const connection of connections.splice(0)) connection.close()
})

/** What came back for these bytes, and the targets that the handler saw. */
async function sent(bytes: string): Promise<{ readonly answer: string; readonly seen: readonly string[] }> {
  const seen: string[] = []
  const handler: HttpHandler = async ({ method, target, body }) => {
    seen.push(`${method} ${target} ${body === 'too-large' ? body : textOf(body)}`)
    return { status: 200, headers: [], body: 'fine' }
  }
  const listener = await quietEnv().http.serve({ host: '127.0.0.1', port: 0 }, handler)
  if (!listener.ok) throw new Error(listener.error.kind)
  const connection = new RawConnection(listener.value.local)
  connections.push(connection)
  connection.end(bytes)
  return { answer: await connection.all(), seen }
}

const smuggled = 'GET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n'
const request = (headers: string, body = '0\r\n\r\n', line = 'PUT /a HTTP/1.1') =>
  `${line}\r\nHost: h\r\n${headers}\r\n\r\n${body}${smuggled}`

describe('bytes that two readers could cut into different requests', () => {
  it.each([
    ['an unknown coding before chunked', request('Transfer-Encoding: xchunked\r\nTransfer-Encoding: chunked')],
    ['an unknown coding after chunked', request('Transfer-Encoding: chunked\r\nTransfer-Encoding: xchunked')],
    ['an unknown coding alone', request('Transfer-Encoding: xchunked')],
    ['two codings in one header', request('Transfer-Encoding: gzip, chunked')],
    ['an unknown coding with a comma', request('Transfer-Encoding: xchunked, chunked')],
    ['chunked twice in one header', request('Transfer-Encoding: chunked, chunked')],
    ['chunked in two headers', request('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked')],
    ['a coding with a parameter', request('Transfer-Encoding: chunked;q=1')],
    ['a quoted coding', request('Transfer-Encoding: "chunked"')],
    ['no coding', request('Transfer-Encoding:')],
    ['no coding beside a length', request('Transfer-Encoding:\r\nContent-Length: 5')],
    ['no coding before chunked', request('Transfer-Encoding:\r\nTransfer-Encoding: chunked')],
    ['an identity coding', request('Transfer-Encoding: identity')],
    ['a coding behind a vertical tab', request('Transfer-Encoding: \x0bchunked')],
    ['chunked in HTTP/1.0', request('Transfer-Encoding: chunked', '0\r\n\r\n', 'PUT /a HTTP/1.0')],
    ['a length before a coding', request('Content-Length: 5\r\nTransfer-Encoding: chunked')],
    ['a length after a coding', request('Transfer-Encoding: chunked\r\nContent-Length: 5')],
    ['a length beside an unknown coding', request('Content-Length: 5\r\nTransfer-Encoding: xchunked')],
    ['two lengths that differ', request('Content-Length: 5\r\nContent-Length: 6')],
    ['two lengths that agree', request('Content-Length: 5\r\nContent-Length: 5')],
    ['two lengths in one header', request('Content-Length: 5, 5')],
    ['a length with a sign', request('Content-Length: +5')],
    ['a length in another base', request('Content-Length: 0x5')],
    ['a length that is empty', request('Content-Length:')],
    ['a space before the colon of a length', request('Content-Length : 5')],
    ['a space before the colon of a coding', request('Transfer-Encoding : chunked')],
    ['a space before any colon', request('X-Any : 5')],
    ['a folded header', request('X-Any: a\r\n b')],
    ['a folded coding', request('Transfer-Encoding:\r\n chunked')],
    ['a folded first header', `PUT /a HTTP/1.1\r\n X-Any: a\r\nHost: h\r\n\r\n${smuggled}`],
    ['a line that ends in a line feed alone', request('X-Any: a\nX-Other: b')],
    ['a line that ends in a carriage return alone', request('X-Any: a\rTransfer-Encoding: chunked')],
    ['a NUL in a header', request('X-Any: a\0b')],
    ['two hosts', request('Host: other')],
    ['no host', `PUT /a HTTP/1.1\r\n\r\n${smuggled}`],
    ['HTTP/0.9', `GET /a\r\n\r\n${smuggled}`],
    ['HTTP/2 in a request line', request('X-Any: a', '', 'GET /a HTTP/2.0')],
    ['HTTP/1.2', request('X-Any: a', '', 'GET /a HTTP/1.2')],
  ])('%s: refused, and nothing behind it is served', async (_what, bytes) => {
    const { answer, seen } = await sent(bytes)
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
    expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1)
    expect(answer).toMatch(/\r\nConnection: close\r\n/i)
    expect(seen).toEqual([])
  })

  it.each([
    ['a line feed ends a chunk size', '1\nX\r\n0\r\n\r\n'],
    ['a line feed within a chunk extension', '1;a\nb\r\nX\r\n0\r\n\r\n'],
    ['a chunk size in another base', '0x1\r\nX\r\n0\r\n\r\n'],
    ['a space behind a chunk size', '1 \r\nX\r\n0\r\n\r\n'],
    ['a chunk longer than its size', '1\r\nXY\r\n0\r\n\r\n'],
    ['a length among the trailers', '0\r\nContent-Length: 5\r\n\r\n'],
  ])('%s: no request is made of it', async (_what, body) => {
    const { answer, seen } = await sent(request('Transfer-Encoding: chunked', body))
    expect(answer).not.toMatch(/ 200 OK/)
    expect(seen).toEqual([])
  })

  it.each([
    ['chunked', 'Transfer-Encoding: chunked', '1\r\nX\r\n0\r\n\r\n'],
    ['CHUNKED', 'Transfer-Encoding: CHUNKED', '1\r\nX\r\n0\r\n\r\n'],
    ['a length', 'Content-Length: 1', 'X'],
  ])('%s is what clients send, and served', async (_what, header, body) => {
    const { answer, seen } = await sent(request(header, body))
    expect(answer.match(/ 200 OK/g)).toHaveLength(2)
    expect(seen).toEqual(['PUT /a X', 'GET /smuggled '])
  })
})
