import { expect } from 'vitest'
import { emptyBytes, textOf, utf8 } from '../../../src/base/bytes.ts'
import {
  bodyBytesMax,
  type HttpClientRequest,
  type HttpHandler,
  type HttpRequest,
  type HttpResponse,
} from '../../../src/env/http.ts'
import type { Endpoint } from '../../../src/env/net.ts'
import type { Law, Place } from './law-world.ts'
import { failureOf, foreign, got, Notes, pause } from './observed.ts'

const answer = (body: string, status = 200): HttpResponse => ({
  status,
  headers: [['Content-Type', 'text/plain']],
  body,
})
const get = (target: string): HttpClientRequest => ({ method: 'GET', target, timeoutMs: 5_000 })

/** Serves, and gives a client of it. */
async function served(
  { env, peer, host }: Place,
  handler: HttpHandler,
): Promise<{
  readonly at: Endpoint
  readonly ask: (
    request: Partial<HttpClientRequest>,
  ) => Promise<{ status: number; body: string; type: string | undefined }>
}> {
  const { local: at } = await got(env.http.serve({ host, port: 0 }, handler))
  return {
    at,
    ask: async (request) => {
      const response = await got(peer.http.request(at, { ...get('/'), ...request }))
      return { status: response.status, body: textOf(response.body), type: response.headers.get('content-type') }
    },
  }
}

/** By when even a busy machine has brought a request to its handler. */
const giveUpMs = 1_000

export function httpLaws(law: Law): void {
  law('the target reaches the handler exactly as it was sent', async (place) => {
    const { ask } = await served(place, async ({ method, target }) => answer(`${method} ${target}`))
    for (const target of [
      '/',
      '/v1/kv/a%2Fb%20c?raw',
      '//',
      '//v1//kv/',
      '/v1/kv/%zz?a=%zz',
      '/v1/kv/../x',
      '/%00',
      '/?a=1?b=2&&c',
    ]) {
      expect(await ask({ target })).toEqual({ status: 200, body: `GET ${target}`, type: 'text/plain' })
    }
  })

  law(
    'methods, headers and bodies reach the handler; names are in lower case, repeated ones are joined',
    async (place) => {
      const seen: HttpRequest[] = []
      const { ask } = await served(place, async (request) => {
        seen.push(request)
        return answer(request.body === 'too-large' ? request.body : textOf(request.body))
      })
      const headers = [
        ['X-Two', 'a'],
        ['x-two', 'b'],
        ['X-One', 'C'],
      ] as const
      const put = await ask({ method: 'PUT', headers, body: utf8('{"bad"') })
      expect(put.body).toBe('{"bad"')
      expect(seen[0]?.method).toBe('PUT')
      expect(seen[0]?.headers.get('x-two')).toBe('a, b')
      expect(seen[0]?.headers.get('x-one')).toBe('C')
      // On the loopback the system dials from its first address, whichever of its addresses is dialled.
      const dialsFrom = place.peerHost.startsWith('127.') ? '127.0.0.1' : place.peerHost
      expect(seen[0]?.remote.host).toBe(dialsFrom)
      await ask({ method: 'DELETE' })
      expect(seen[1]?.body).toEqual(emptyBytes)
    },
  )

  law('status, headers and bytes of the answer reach the client', async (place) => {
    const body = new Uint8Array([0, 255, 13, 10, 128])
    const { at } = await served(place, async () => ({
      status: 429,
      headers: [
        ['X-Svc-Index', '7'],
        ['X-Many', '1'],
        ['x-many', '2'],
      ],
      body,
    }))
    const response = await got(place.peer.http.request(at, get('/')))
    expect(response.status).toBe(429)
    expect(response.headers.get('x-svc-index')).toBe('7')
    expect(response.headers.get('x-many')).toBe('1, 2')
    expect(response.headers.get('content-length')).toBe('5')
    expect([...response.body]).toEqual([...body])
  })

  law('a body at the limit is handed over, a larger one is named too-large', async (place) => {
    const { ask } = await served(place, async ({ body }) => answer(body === 'too-large' ? body : String(body.length)))
    expect((await ask({ method: 'PUT', body: new Uint8Array(bodyBytesMax) })).body).toBe(String(bodyBytesMax))
    expect((await ask({ method: 'PUT', body: new Uint8Array(bodyBytesMax + 1) })).body).toBe('too-large')
    expect((await ask({ method: 'PUT', body: utf8('next') })).body).toBe('4')
    for (const method of ['DELETE', 'POST', 'GET']) expect((await ask({ method, body: utf8('five!') })).body).toBe('5')
  })

  law('of an answer of which only the end is wanted the client keeps no more', async (place) => {
    const { ask } = await served(place, async () => answer(`${'a'.repeat(300_000)}bcd`))
    expect((await ask({ tailBytes: 5 })).body).toBe('aabcd')
    expect((await ask({ tailBytes: 1_000_000 })).body).toHaveLength(300_003)
    expect((await ask({})).body).toHaveLength(300_003)
  })

  law('HEAD has its answer without a body, and so have 204 and 304', async (place) => {
    const { ask } = await served(place, async ({ target }) => answer('content', Number(target.slice(1))))
    expect(await ask({ method: 'HEAD', target: '/200' })).toMatchObject({ status: 200, body: '' })
    expect(await ask({ target: '/204' })).toMatchObject({ status: 204, body: '' })
    expect(await ask({ target: '/304' })).toMatchObject({ status: 304, body: '' })
    expect(await ask({ target: '/200' })).toMatchObject({ status: 200, body: 'content' })
  })

  law('a handler that throws, and one that answers what HTTP cannot carry, become a 500', async (place) => {
    const { ask } = await served(place, async ({ target }) => {
      if (target === '/throws') throw new Error('a bug')
      if (target === '/status') return answer('', 12)
      return { ...answer('x'), headers: [['X-Bad', 'a\nb']] }
    })
    for (const target of ['/throws', '/status', '/header']) {
      expect(await ask({ target })).toMatchObject({ status: 500, body: 'Internal error' })
    }
  })

  law("requests wait for nobody else's answer", async (place) => {
    const { env, peer } = place
    const held = env.deferred<HttpResponse>()
    const { at, ask } = await served(place, ({ target }) => (target === '/held' ? held.promise : promised(target)))
    const waiting = peer.http.request(at, get('/held'))
    for (let i = 0; i < 5; i++) expect((await ask({ target: `/${i}` })).body).toBe(`/${i}`)
    held.resolve(answer('at last'))
    expect(textOf((await got(waiting)).body)).toBe('at last')
  })

  law('a client that does not wait any longer has a timeout, and the handler hears of it', async (place) => {
    const { env, peer } = place
    const notes = new Notes(env)
    const { at } = await served(place, (request) => {
      request.onAbort(() => notes.tell('aborted'))
      return env.deferred<HttpResponse>().promise
    })
    const failed = await peer.http.request(at, { ...get('/'), timeoutMs: giveUpMs })
    expect(failed).toEqual({ ok: false, error: { kind: 'timeout', to: at } })
    await notes.heard('aborted')
    expect(notes.told).toEqual(['aborted'])
  })

  law('onAbort says at once that a client is gone already, but not within the call', async (place) => {
    const { env, peer } = place
    const notes = new Notes(env)
    let request: HttpRequest | undefined
    const { at } = await served(place, (given) => {
      request = given
      given.onAbort(() => notes.tell('gone'))
      return env.deferred<HttpResponse>().promise
    })
    await peer.http.request(at, { ...get('/'), timeoutMs: giveUpMs })
    await notes.heard('gone')
    request?.onAbort(() => notes.tell('told late'))
    expect(notes.told).toEqual(['gone'])
    await notes.heard('told late')
  })

  law('no abort is told once the answer has been given', async (place) => {
    const notes = new Notes(place.env)
    const { ask } = await served(place, async (request) => {
      request.onAbort(() => notes.tell('aborted'))
      return answer('done')
    })
    expect((await ask({})).body).toBe('done')
    await pause(place.env, 20)
    expect(notes.told).toEqual([])
  })

  law('a request is refused where nobody serves, and where the listener was closed', async ({ env, peer, host }) => {
    const listener = await got(env.http.serve({ host, port: 0 }, async () => answer('')))
    const again = await env.http.serve(listener.local, async () => answer(''))
    expect(again).toEqual({ ok: false, error: { kind: 'address-in-use', at: listener.local } })
    expect(await failureOf(env.http.serve(foreign, async () => answer('')))).toBe('address-not-available')
    listener.close()
    listener.close()
    await pause(env, 20)
    expect(await peer.http.request(listener.local, get('/'))).toEqual({
      ok: false,
      error: { kind: 'refused', to: listener.local },
    })
  })

  law('a request under way is answered though the listener is closed meanwhile', async ({ env, peer, host }) => {
    const held = env.deferred<HttpResponse>()
    const began = env.deferred<void>()
    const listener = await got(
      env.http.serve({ host, port: 0 }, () => {
        began.resolve()
        return held.promise
      }),
    )
    const waiting = peer.http.request(listener.local, get('/'))
    await began.promise
    listener.close()
    held.resolve(answer('all the same'))
    expect(textOf((await got(waiting)).body)).toBe('all the same')
  })

  law('what hangs up instead of answering is broken', async ({ env, peer, host }) => {
    const listener = await got(env.tcp.listen({ host, port: 0 }, (stream) => stream.onData(() => stream.close())))
    expect(await failureOf(peer.http.request(listener.local, get('/')))).toBe('broken')
    const polite = await got(env.tcp.listen({ host, port: 0 }, (stream) => stream.onData(() => stream.end())))
    expect(await failureOf(peer.http.request(polite.local, get('/')))).toBe('broken')
  })

  law('a header that HTTP cannot carry, and a name for an address, are failures', async ({ peer, host }) => {
    const headers = [['X-Bad', 'a\nb']] as const
    expect(await failureOf(peer.http.request({ host, port: 9 }, { ...get('/'), headers }))).toBe('io')
    expect(await failureOf(peer.http.request({ host: 'localhost', port: 9 }, get('/')))).toBe('io')
  })

  law('HTTP goes over TLS as streams do', async (place) => {
    const { tls, env, peer, host } = place
    if (tls === undefined) return
    const { rootPem, server, client } = tls
    const listening = { ...server, trustedPems: [rootPem], requirePeerCertificate: true }
    const { local } = await got(env.http.serve({ host, port: 0 }, async ({ target }) => answer(target), listening))
    const trusting = { ...client, trustedPems: [rootPem], serverName: 'server.dc1.svc' }
    const response = await got(peer.http.request(local, { ...get('/over/tls'), tls: trusting }))
    expect(textOf(response.body)).toBe('/over/tls')
    const distrusting = { ...client, trustedPems: [], serverName: 'server.dc1.svc' }
    expect(await failureOf(peer.http.request(local, { ...get('/'), tls: distrusting }))).toBe('tls')
  })
}

async function promised(target: string): Promise<HttpResponse> {
  return answer(target)
}
