import { gunzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { utf8 } from '../../../src/base/bytes.ts'
import { bodyBytesMax, type HttpHandler, type HttpRequest, type HttpResponse } from '../../../src/env/http.ts'
import { deferred } from '../../../src/host/async.ts'
import { pipelinedRequestsMax } from '../../../src/host/http-connection.ts'
import { ownLoopback } from '../../tools/own-ports.ts'
import { quietEnv } from './quiet-env.ts'
import { RawConnection } from './raw-connection.ts'

const connections: RawConnection[] = []

afterEach(() => {
  for (const connection of connections.splice(0)) connection.close()
})

function connectTo(port: number): RawConnection {
  const connection = new RawConnection({ host: ownLoopback, port })
  connections.push(connection)
  return connection
}

async function serve(handler: HttpHandler) {
  const listener = await quietEnv().http.serve({ host: ownLoopback, port: 0 }, handler)
  if (!listener.ok) throw new Error(listener.error.kind)
  return listener.value
}

const text = (body: string): HttpResponse => ({ status: 200, headers: [['Content-Type', 'text/plain']], body })
const echoTarget: HttpHandler = async ({ method, target }) => text(`${method} ${target}`)

/** One request on a connection of its own, sent as written, and all that came back. */
async function exchange(port: number, request: string): Promise<string> {
  const connection = connectTo(port)
  connection.write(request)
  return await connection.all()
}

const closing = 'Host: h\r\nConnection: close\r\n\r\n'

describe('the HTTP server', () => {
  it.each([
    '/',
    '/v1/kv/a%2Fb%20c?raw',
    '//',
    '//v1//kv/',
    '/v1/kv/%',
    '/v1/kv/%zz?a=%zz',
    '/v1/kv/../x',
    '/%00',
    '/v1/kv/a?x=1?y=2#z',
    '/no/such/route',
    '*',
    'http://elsewhere/v1/status/leader',
  ])('hands over the target %s as it was sent', async (target) => {
    const { local } = await serve(echoTarget)
    expect(splitOnce(await exchange(local.port, `GET ${target} HTTP/1.1\r\n${closing}`))[1]).toBe(`GET ${target}`)
  })

  it('hands over a target of 50,000 bytes', async () => {
    const { local } = await serve(echoTarget)
    const target = `/v1/kv/${'k'.repeat(50_000)}`
    expect(splitOnce(await exchange(local.port, `GET ${target} HTTP/1.1\r\n${closing}`))[1]).toBe(`GET ${target}`)
  })

  it.each(['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE', 'PURGE', 'PROPFIND', 'M-SEARCH', 'LOCK'])(
    'hands over the method %s',
    async (method) => {
      const { local } = await serve(echoTarget)
      const answer = await exchange(local.port, `${method} /x HTTP/1.1\r\nContent-Length: 0\r\n${closing}`)
      expect(answer).toContain(`\r\n\r\n${method} /x`)
    },
  )

  it('hands over headers in lower case, repeated ones joined', async () => {
    const seen: HttpRequest[] = []
    const { local } = await serve(async (request) => {
      seen.push(request)
      return text('')
    })
    await exchange(local.port, `GET / HTTP/1.1\r\nX-Two: a\r\nx-two: b\r\nAccept-Version: 3\r\n${closing}`)
    expect([...(seen[0]?.headers ?? [])]).toEqual([
      ['x-two', 'a, b'],
      ['accept-version', '3'],
      ['host', 'h'],
      ['connection', 'close'],
    ])
    expect(seen[0]?.remote.host).toBe('127.0.0.1')
  })

  it.each([
    ['PUT', 'Content-Type: application/json\r\n'],
    ['GET', ''],
    ['DELETE', 'Content-Type: this is no media type\r\n'],
    ['PROPFIND', 'Content-Type: multipart/form-data\r\n'],
  ])('hands over the body of a %s, whatever type it claims', async (method, type) => {
    const { local } = await serve(async ({ body }) => text(body === 'too-large' ? body : `<${Buffer.from(body)}>`))
    const head = `${method} / HTTP/1.1\r\n${type}`
    expect(await exchange(local.port, `${head}Content-Length: 6\r\n${closing}{"bad"`)).toContain('<{"bad">')
    const chunked = `${head}Transfer-Encoding: chunked\r\n${closing}3\r\n{"b\r\n3\r\nad"\r\n0\r\n\r\n`
    expect(await exchange(local.port, chunked)).toContain('<{"bad">')
  })

  it('says too-large for a body beyond the limit, keeps one at the limit, and serves the next request', async () => {
    const { local } = await serve(async ({ body }) => text(body === 'too-large' ? body : `${body.length} bytes`))
    const connection = connectTo(local.port)
    const fits = 'x'.repeat(bodyBytesMax)
    connection.write(`PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: ${fits.length}\r\n\r\n${fits}`)
    await connection.received(new RegExp(`${bodyBytesMax} bytes`))
    connection.write(`PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: ${fits.length + 1}\r\n\r\n${fits}x`)
    await connection.received(/too-large/)
    const chunk = `${(fits.length + 1).toString(16)}\r\n${fits}x\r\n0\r\n\r\n`
    connection.write(`PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}`)
    await connection.received(/too-large[\s\S]*too-large/)
    connection.write(`PUT / HTTP/1.1\r\n${closing}`)
    expect(await connection.all()).toMatch(/\b0 bytes$/)
  })

  it('answers too-large before the client has sent it all', async () => {
    const { local } = await serve(async ({ body }) => text(String(body)))
    const connection = connectTo(local.port)
    connection.write('PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 999999999999\r\n\r\nfirst bytes')
    expect(await connection.received(/too-large/)).toMatch(/^HTTP\/1\.1 200/)
  })

  it('takes a body whose length is in the last of 5,000 headers', async () => {
    const { local } = await serve(async ({ body, headers }) => text(`${body.length} bytes, ${headers.size} headers`))
    const many = Array.from({ length: 5_000 }, (_, at) => `h${at}:\r\n`).join('')
    const answer = await exchange(local.port, `PUT / HTTP/1.1\r\n${many}Content-Length: 5\r\n${closing}hello`)
    expect(answer).toMatch(/\r\n\r\n5 bytes, 5003 headers$/)
  })

  it('takes a body in short pieces, and cuts off a client that sends single bytes', async () => {
    const { local } = await serve(async ({ body }) => text(`${body.length} bytes`))
    const head = `PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n${closing}`
    const short = `a\r\n${'x'.repeat(10)}\r\n`.repeat(64_000)
    expect(await exchange(local.port, `${head}${short}0\r\n\r\n`)).toMatch(/\r\n\r\n640000 bytes$/)
    expect(await exchange(local.port, `${head}${'1\r\nx\r\n'.repeat(50_000)}0\r\n\r\n`)).toBe('')
  })

  it('compresses a body of any size when asked to, and never otherwise', async () => {
    const large = 'compressible '.repeat(10_000)
    const { local } = await serve(async ({ target }) => text(target === '/large' ? large : 'x'))
    for (const [target, body] of [
      ['/small', 'x'],
      ['/large', large],
    ]) {
      const zipped = await exchange(
        local.port,
        `GET ${target} HTTP/1.1\r\nAccept-Encoding: deflate, gzip;q=0.5\r\n${closing}`,
      )
      const [head, coded] = splitOnce(zipped)
      expect(head).toContain('Content-Encoding: gzip')
      expect(gunzipSync(Buffer.from(coded, 'latin1')).toString()).toBe(body)
      expect(head).toContain(`Content-Length: ${coded.length}`)
      const plain = await exchange(local.port, `GET ${target} HTTP/1.1\r\nAccept-Encoding: gzip;q=0\r\n${closing}`)
      expect(splitOnce(plain)[1]).toBe(body)
    }
  })

  it('leaves alone an empty body and one that is coded already', async () => {
    const { local } = await serve(async ({ target }) => ({
      status: 200,
      headers: target === '/coded' ? [['Content-Encoding', 'identity']] : [],
      body: target === '/coded' ? 'as is' : '',
    }))
    const ask = (target: string) =>
      exchange(local.port, `GET ${target} HTTP/1.1\r\nAccept-Encoding: gzip\r\n${closing}`)
    expect(splitOnce(await ask('/coded'))[1]).toBe('as is')
    expect(await ask('/empty')).not.toContain('Content-Encoding')
  })

  it('sends headers in the order and spelling given, and adds no type', async () => {
    const { local } = await serve(async () => ({
      status: 404,
      headers: [
        ['X-Svc-KNOWNleader', 'true'],
        ['Vary', 'Accept-Encoding'],
        ['x-twice', '1'],
        ['x-twice', '2'],
      ],
      body: utf8('no'),
    }))
    const [head] = splitOnce(await exchange(local.port, `GET / HTTP/1.1\r\n${closing}`))
    expect(head).toMatch(
      /^HTTP\/1.1 404 Not Found\r\nX-Svc-KNOWNleader: true\r\nVary: Accept-Encoding\r\nx-twice: 1\r\nx-twice: 2\r\n/,
    )
    expect(head).not.toMatch(/content-type/i)
  })

  it('answers HEAD with the status, headers and length of its handler, and no body', async () => {
    const { local } = await serve(async ({ method }) => ({
      status: method === 'HEAD' ? 405 : 200,
      headers: [],
      body: 'text',
    }))
    const answer = await exchange(local.port, `HEAD / HTTP/1.1\r\n${closing}`)
    expect(answer).toMatch(/^HTTP\/1.1 405 /)
    expect(answer).toContain('Content-Length: 4\r\n')
    expect(splitOnce(answer)[1]).toBe('')
  })

  it('serves pipelined requests one after another, in their order', async () => {
    const running: string[] = []
    let most = 0
    const { local } = await serve(async ({ target }) => {
      running.push(target)
      most = Math.max(most, running.length)
      await new Promise((resolve) => setImmediate(resolve))
      running.pop()
      return text(`[${target}]`)
    })
    const requests = ['/1', '/2', '/3', '/4'].map((target) => `GET ${target} HTTP/1.1\r\nHost: h\r\n\r\n`).join('')
    const answer = await exchange(local.port, `${requests}GET /5 HTTP/1.1\r\n${closing}`)
    expect([...answer.matchAll(/\[(.*?)\]/g)].map((match) => match[1])).toEqual(['/1', '/2', '/3', '/4', '/5'])
    expect(most).toBe(1)
  })

  it('cuts off a client that pipelines without end', async () => {
    const { local } = await serve(() => new Promise(() => undefined))
    const connection = connectTo(local.port)
    connection.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n'.repeat(pipelinedRequestsMax + 2))
    expect(await connection.all()).toBe('')
  })

  it.each([
    ['nonsense', 'hello\r\n\r\n', 400],
    ['an unknown method', `NOSUCH / HTTP/1.1\r\n${closing}`, 400],
    ['a bad header', `GET / HTTP/1.1\r\nno colon here\r\n${closing}`, 400],
    ['two lengths', `PUT / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n${closing}x`, 400],
    ['a target that is not escaped', `GET /v1/kv/\u00c3\u00a4 HTTP/1.1\r\n${closing}`, 400],
    ['no host', 'GET / HTTP/1.1\r\n\r\n', 400],
    ['too large a head', `GET / HTTP/1.1\r\nX-Long: ${'x'.repeat(70_000)}\r\n${closing}`, 431],
  ])('answers %s with a status of its own', async (_what, request, status) => {
    const { local } = await serve(echoTarget)
    expect(await exchange(local.port, request)).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  })

  it('tells the handler when the client breaks the connection', async () => {
    const aborted = deferred<void>()
    const arrived = deferred<void>()
    const { local } = await serve(async (request) => {
      request.onAbort(aborted.resolve)
      arrived.resolve()
      await aborted.promise
      const again = deferred<void>()
      request.onAbort(again.resolve)
      await again.promise
      return text('')
    })
    const connection = connectTo(local.port)
    connection.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n')
    await arrived.promise
    connection.close()
    await expect(aborted.promise).resolves.toBeUndefined()
  })

  it('answers a client that has ended its side, and ends the connection', async () => {
    const go = deferred<void>()
    const { local } = await serve(async ({ target }) => {
      if (target === '/go') go.resolve()
      else await go.promise
      return text(target)
    })
    const connection = connectTo(local.port)
    connection.end('GET /half HTTP/1.1\r\nHost: h\r\n\r\n')
    await exchange(local.port, `GET /go HTTP/1.1\r\n${closing}`)
    expect(await connection.all()).toContain('/half')
  })

  it('takes a client that ended its side for gone when the answer is long in coming', async () => {
    const { local } = await serve(
      (request) => new Promise((resolve) => request.onAbort(() => resolve(text('gave up waiting')))),
    )
    const connection = connectTo(local.port)
    connection.end('GET / HTTP/1.1\r\nHost: h\r\n\r\n')
    expect(await connection.all()).toContain('gave up waiting')
  })

  it('answers 500 without a word of the cause when the handler fails, and logs it', async () => {
    const lines: string[] = []
    const env = quietEnv(lines)
    const listener = await env.http.serve({ host: ownLoopback, port: 0 }, async ({ target }) => {
      if (target === '/throw') throw new Error('secret cause')
      return { status: 200, headers: [['Location', 'a\r\nb']], body: '' }
    })
    if (!listener.ok) throw new Error(listener.error.kind)
    const answer = await exchange(listener.value.local.port, `GET /throw HTTP/1.1\r\n${closing}`)
    expect(answer).toMatch(/^HTTP\/1.1 500 /)
    expect(answer).not.toContain('secret')
    expect(lines.join('\n')).toContain('secret cause')
    expect(await exchange(listener.value.local.port, `GET /bad-header HTTP/1.1\r\n${closing}`)).toMatch(
      /^HTTP\/1.1 500 /,
    )
  })

  it('ends idle connections when it is closed, and answers what is under way', async () => {
    const answer = deferred<HttpResponse>()
    const arrived = deferred<void>()
    const listener = await serve(({ target }) => {
      if (target === '/quick') return Promise.resolve(text('quick'))
      arrived.resolve()
      return answer.promise
    })
    const idle = connectTo(listener.local.port)
    idle.write('GET /quick HTTP/1.1\r\nHost: h\r\n\r\n')
    await idle.received(/quick$/)
    const busy = connectTo(listener.local.port)
    busy.write('GET /slow HTTP/1.1\r\nHost: h\r\n\r\n')
    await arrived.promise
    listener.close()
    listener.close()
    expect(await idle.all()).toMatch(/quick$/)
    answer.resolve(text('slow'))
    expect(await busy.all()).toMatch(/Connection: close[\s\S]*slow$/)
    const late = connectTo(listener.local.port)
    expect(await late.all()).toBe('')
  })

  it('says which address is in use, and which is not of this machine', async () => {
    const env = quietEnv()
    const { local } = await serve(echoTarget)
    expect(await env.http.serve(local, echoTarget)).toEqual({ ok: false, error: { kind: 'address-in-use', at: local } })
    const foreign = { host: '203.0.113.1', port: 0 }
    expect(await env.http.serve(foreign, echoTarget)).toEqual({
      ok: false,
      error: { kind: 'address-not-available', at: foreign },
    })
    expect(await env.http.serve({ host: 'localhost', port: 0 }, echoTarget)).toMatchObject({ error: { kind: 'io' } })
  })
})

function splitOnce(answer: string): [head: string, body: string] {
  const at = answer.indexOf('\r\n\r\n')
  return [answer.slice(0, at + 2), answer.slice(at + 4)]
}
