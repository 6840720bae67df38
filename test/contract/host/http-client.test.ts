import { createServer, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { textOf, utf8 } from '../../../src/base/bytes.ts'
import type { HttpHandler, HttpRequest } from '../../../src/env/http.ts'
import type { Endpoint } from '../../../src/env/net.ts'
import { ownLoopback } from '../../tools/own-ports.ts'
import { quietEnv } from './quiet-env.ts'

const servers: Server[] = []
const sockets: Socket[] = []

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
  for (const server of servers.splice(0)) server.close()
})

/** A server that does as the test says with each connection. */
function rawServer(use: (socket: Socket) => void): Promise<Endpoint> {
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    use(socket)
  })
  servers.push(server)
  return new Promise((resolve) => {
    server.listen(0, ownLoopback, () => {
      resolve({ host: ownLoopback, port: (server.address() as { port: number }).port })
    })
  })
}

async function serving(handler: HttpHandler): Promise<Endpoint> {
  const listener = await quietEnv().http.serve({ host: ownLoopback, port: 0 }, handler)
  if (!listener.ok) throw new Error(listener.error.kind)
  return listener.value.local
}

const get = { method: 'GET', target: '/', timeoutMs: 5000 }

describe('the HTTP client', () => {
  it('sends what it is given and brings back status, headers and body', async () => {
    const seen: HttpRequest[] = []
    const to = await serving(async (request) => {
      seen.push(request)
      return {
        status: 418,
        headers: [
          ['X-One', '1'],
          ['X-Many', 'a'],
          ['x-many', 'b'],
        ],
        body: 'short and stout',
      }
    })
    const answer = await quietEnv().http.request(to, {
      method: 'PUT',
      target: '/v1//kv/a%2Fb?raw=%zz',
      headers: [
        ['X-Twice', '1'],
        ['x-twice', '2'],
      ],
      body: utf8('body'),
      timeoutMs: 5000,
    })
    if (!answer.ok) throw new Error(answer.error.kind)
    expect(answer.value.status).toBe(418)
    expect(answer.value.headers.get('x-many')).toBe('a, b')
    expect(textOf(answer.value.body)).toBe('short and stout')
    expect(Buffer.isBuffer(answer.value.body)).toBe(false)
    const [request] = seen
    expect(request).toMatchObject({ method: 'PUT', target: '/v1//kv/a%2Fb?raw=%zz' })
    expect(request?.headers.get('x-twice')).toBe('1, 2')
    expect(request?.headers.get('host')).toBe(`${to.host}:${to.port}`)
    expect(request?.body).toEqual(utf8('body'))
  })

  it('sends the host it is given instead of its own, and a write without body as one of length 0', async () => {
    const to = await serving(async ({ headers }) => ({
      status: 200,
      headers: [],
      body: `${headers.get('host')} ${headers.get('content-length')}`,
    }))
    const request = { ...get, method: 'PUT', headers: [['Host', 'svc.example']] as const }
    expect(await quietEnv().http.request(to, request)).toMatchObject({ value: { body: utf8('svc.example 0') } })
  })

  it('uses a connection again', async () => {
    const ports = new Set<number>()
    const to = await serving(async ({ remote }) => {
      ports.add(remote.port)
      return { status: 200, headers: [], body: '' }
    })
    const env = quietEnv()
    for (let i = 0; i < 5; i++) expect(await env.http.request(to, get)).toMatchObject({ ok: true })
    expect(ports.size).toBe(1)
  })

  it('hands over a body piece by piece, as long as it takes, where that is asked for', async () => {
    const env = quietEnv()
    const connected = env.deferred<Socket>()
    const to = await rawServer((socket) => socket.once('data', () => connected.resolve(socket)))
    const pieces: string[] = []
    const begun = env.deferred<undefined>()
    const onBody = (piece: Uint8Array): void => {
      pieces.push(textOf(piece))
      begun.resolve(undefined)
    }
    const answer = env.http.request(to, { ...get, timeoutMs: 2_000, onBody })
    const socket = await connected.promise
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\none')
    await begun.promise
    // Longer than an answer without pieces may take.
    await new Promise((resolve) => setTimeout(resolve, 2_100))
    socket.write('two')
    expect(await answer).toMatchObject({ ok: true, value: { status: 200, body: new Uint8Array() } })
    expect(pieces).toEqual(['one', 'two'])
  })

  it('says refused where no server listens', async () => {
    // A port that was free a moment ago may by now be another test's, or the caller's own.
    const to = { host: '127.0.0.1', port: 1 }
    expect(await quietEnv().http.request(to, get)).toEqual({ ok: false, error: { kind: 'refused', to } })
  })

  it('says timeout when no answer comes in time, and ends the connection', async () => {
    let ended: () => void
    const over = new Promise<void>((resolve) => {
      ended = resolve
    })
    const to = await rawServer((socket) => {
      socket.resume()
      socket.once('close', () => ended())
    })
    expect(await quietEnv().http.request(to, { ...get, timeoutMs: 50 })).toEqual({
      ok: false,
      error: { kind: 'timeout', to },
    })
    await over
  })

  it.each([
    ['hangs up before the answer', '', true],
    ['hangs up in the middle of the answer', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf', true],
    ['answers nonsense', 'EHLO there\r\n\r\n', false],
  ])('says broken when the server %s', async (_what, bytes, end) => {
    const to = await rawServer((socket) => {
      socket.once('data', () => {
        socket.write(bytes)
        if (end) socket.end()
      })
    })
    expect(await quietEnv().http.request(to, get)).toMatchObject({ ok: false, error: { kind: 'broken', to } })
  })

  it.each([
    ['breaks off', true, 5_000],
    ['does not end', false, 300],
  ])('takes an answer that %s as far as it came, where that is asked for', async (_what, end, timeoutMs) => {
    const to = await rawServer((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\nX-A: b\r\n\r\nhalf')
        if (end) socket.end()
      })
    })
    const answer = await quietEnv().http.request(to, { ...get, timeoutMs, tailBytes: 3, takesPart: true })
    expect(answer).toMatchObject({ ok: true, value: { status: 200, body: utf8('alf') } })
    expect(answer.ok && answer.value.headers.get('x-a')).toBe('b')
  })

  it('takes the status of an answer whose body is no longer HTTP, where that is asked for', async () => {
    const to = await rawServer((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\nno length\r\n')
      })
    })
    const answer = await quietEnv().http.request(to, { ...get, tailBytes: 9, takesPart: true })
    expect(answer).toMatchObject({ ok: true, value: { status: 200 } })
    const whole = await quietEnv().http.request(to, { ...get, tailBytes: 9 })
    expect(whole).toMatchObject({ ok: false, error: { kind: 'broken', to } })
  })

  it('takes nothing for an answer whose headers have not come whole, whatever is asked for', async () => {
    const to = await rawServer((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nX-A: b'))
    })
    const answer = await quietEnv().http.request(to, { ...get, tailBytes: 3, takesPart: true })
    expect(answer).toMatchObject({ ok: false, error: { kind: 'broken', to } })
  })

  it.each([
    ['a target with a space', { target: '/a b' }],
    ['a header with a line feed', { headers: [['X-A', 'a\nb']] as const }],
    ['a method that is none', { method: 'NO WAY' }],
  ])('refuses to send %s', async (_what, wrong) => {
    const to = await serving(async () => ({ status: 200, headers: [], body: '' }))
    expect(await quietEnv().http.request(to, { ...get, ...wrong })).toMatchObject({
      ok: false,
      error: { kind: 'io', to },
    })
  })

  it('refuses a name, and everything after its Env is closed', async () => {
    const env = quietEnv()
    const byName = { host: 'localhost', port: 80 }
    expect(await env.http.request(byName, get)).toMatchObject({ error: { kind: 'io', to: byName } })
    const to = await rawServer((socket) => socket.resume())
    const underWay = env.http.request(to, get)
    env.close()
    expect(await underWay).toMatchObject({ ok: false })
    expect(await env.http.request(to, get)).toMatchObject({ ok: false, error: { kind: 'io' } })
  })
})
