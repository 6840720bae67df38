import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { utf8 } from '../../../src/base/bytes.ts'
import {
  type DialFailure,
  type Endpoint,
  highWaterBytes,
  type TcpStream,
  type TlsOptions,
} from '../../../src/env/net.ts'
import { deferred } from '../../../src/host/async.ts'
import type { HostEnv } from '../../../src/host/env.ts'
import { ownLoopback } from '../../tools/own-ports.ts'
import { ObservedStream } from './observed-stream.ts'
import { quietEnv } from './quiet-env.ts'
import { RawConnection } from './raw-connection.ts'
import { makeTlsMaterial, opensslIsThere, type TlsMaterial } from './tls-material.ts'

const loopback = { host: ownLoopback, port: 0 }

interface Pair {
  readonly near: ObservedStream
  readonly far: ObservedStream
}

interface Security {
  readonly dialler: TlsOptions
  readonly listener: TlsOptions
}

async function listening(env: HostEnv, onStream: (stream: TcpStream) => void, tls?: TlsOptions): Promise<Endpoint> {
  const listener = await env.tcp.listen(loopback, onStream, tls)
  if (!listener.ok) throw new Error(listener.error.kind)
  return listener.value.local
}

/** Two connected ends: `near` dialled, `far` was accepted. */
async function pair(security?: Security): Promise<Pair> {
  const env = quietEnv()
  const accepted = deferred<ObservedStream>()
  const to = await listening(env, (stream) => accepted.resolve(new ObservedStream(stream)), security?.listener)
  const dialled = await env.tcp.dial(to, { timeoutMs: 5000, ...(security && { tls: security.dialler }) })
  if (!dialled.ok) throw new Error(JSON.stringify(dialled.error))
  const near = new ObservedStream(dialled.value)
  return { near, far: await accepted.promise }
}

async function dialFailure(to: Endpoint, tls?: TlsOptions, timeoutMs = 5000): Promise<DialFailure | undefined> {
  const dialled = await quietEnv().tcp.dial(to, { timeoutMs, ...(tls && { tls }) })
  return dialled.ok ? undefined : dialled.error
}

/** The laws of a stream, with and without TLS under it. */
function streamLaws(security: () => Security | undefined): void {
  it('carries bytes both ways, in order', async () => {
    const { near, far } = await pair(security())
    for (let i = 0; i < 200; i++) {
      near.stream.write(utf8(`<${i}>`))
      far.stream.write(utf8(`[${i}]`))
    }
    const numbers = Array.from({ length: 200 }, (_, i) => i)
    await far.until(() => far.text.endsWith('<199>'))
    await near.until(() => near.text.endsWith('[199]'))
    expect(far.text).toBe(numbers.map((i) => `<${i}>`).join(''))
    expect(near.text).toBe(numbers.map((i) => `[${i}]`).join(''))
    expect(near.stream.remote).toEqual(far.stream.local)
    expect(far.stream.remote).toEqual(near.stream.local)
    expect(Buffer.isBuffer(far.bytes)).toBe(false)
  })

  it('is half-closed: after one end has ended, the other still writes; then both are over in order', async () => {
    const { near, far } = await pair(security())
    near.stream.write(utf8('question'))
    near.stream.end()
    expect(near.stream.write(utf8('after the end'))).toBe(false)
    await far.happened('end')
    expect(far.text).toBe('question')
    far.stream.write(utf8('answer'))
    far.stream.end()
    expect(await near.closed).toBe('ended')
    expect(await far.closed).toBe('ended')
    expect(near.text).toBe('answer')
    expect(near.events).toEqual(['end', 'close:ended'])
    expect(far.events).toEqual(['end', 'close:ended'])
  })

  it('tells the writer to wait while the reader is paused, and to go on when all has left', async () => {
    const { near, far } = await pair(security())
    far.stream.pause()
    const piece = new Uint8Array(64 << 10).fill(7)
    let written = 0
    do written += piece.length
    while (near.stream.write(piece) || near.stream.queuedBytes() <= highWaterBytes)
    expect(near.stream.queuedBytes()).toBeGreaterThan(highWaterBytes)
    expect(near.events).toEqual([])
    far.stream.resume()
    await near.happened('drain')
    expect(near.stream.queuedBytes()).toBe(0)
    await far.until(() => far.bytes.length === written)
    expect(near.stream.write(piece)).toBe(true)
  })

  it('delivers nothing while paused', async () => {
    const { near, far } = await pair(security())
    near.stream.write(utf8('first'))
    await far.until(() => far.text === 'first')
    far.stream.pause()
    near.stream.write(utf8('second'))
    near.stream.end()
    const { near: other, far: otherFar } = await pair(security())
    other.stream.write(utf8('overtakes'))
    await otherFar.until(() => otherFar.text === 'overtakes')
    expect(far.text).toBe('first')
    expect(far.events).toEqual([])
    far.stream.resume()
    await far.happened('end')
    expect(far.text).toBe('firstsecond')
  })

  it('breaks at close: what was queued is dropped, the peer sees a reset, and the call itself calls no handler', async () => {
    const { near, far } = await pair(security())
    far.stream.pause()
    while (near.stream.write(new Uint8Array(256 << 10)));
    near.stream.close()
    near.stream.close()
    expect(near.events).toEqual([])
    expect(near.stream.write(utf8('late'))).toBe(false)
    expect(await near.closed).toBe('closed')
    far.stream.resume()
    expect(await far.closed).toBe('reset')
    expect(near.events).toEqual(['close:closed'])
    expect(far.events).toEqual(['close:reset'])
  })

  it('tells a break from an end also where its own end is out, and the last bytes come together with the break', async () => {
    const { near, far } = await pair(security())
    near.stream.end()
    await far.happened('end')
    far.stream.write(utf8('half an answer'))
    // Written bytes are sent at the end of the turn; the dialer has not looked yet when the connection breaks.
    await new Promise<void>((resolve) => process.nextTick(resolve))
    far.stream.close()
    expect(await near.closed).toBe('reset')
    expect([near.text, near.events]).toEqual(['half an answer', ['close:reset']])
  })

  it('is over for both where it is closed while its end is on the way', async () => {
    const { near, far } = await pair(security())
    near.stream.write(utf8('last words'))
    near.stream.end()
    near.stream.close()
    expect(await near.closed).toBe('closed')
    far.stream.close()
    await far.closed
  })

  it('is reset for a writer whose peer is gone', async () => {
    const { near, far } = await pair(security())
    far.stream.close()
    expect(await near.closed).toBe('reset')
    expect(near.stream.write(utf8('into the void'))).toBe(false)
  })

  it('says why it is over to a handler that comes late', async () => {
    const { near } = await pair(security())
    near.stream.close()
    await near.closed
    const why = deferred<string>()
    near.stream.onClose(why.resolve)
    expect(await why.promise).toBe('closed')
  })
}

describe('a TCP stream', () => {
  streamLaws(() => undefined)

  it('keeps what arrives before its handlers are set', async () => {
    const env = quietEnv()
    const accepted: TcpStream[] = []
    const both = deferred<void>()
    const to = await listening(env, (stream) => {
      if (accepted.push(stream) === 2) both.resolve()
    })
    const early = new RawConnection(to)
    early.end('early')
    await once(early.socket, 'finish')
    const later = new RawConnection(to)
    await both.promise
    const [first] = accepted.filter((stream) => stream.remote.port === early.socket.localPort)
    if (first === undefined) throw new Error('the first connection was not accepted')
    const observed = new ObservedStream(first)
    await observed.happened('end')
    expect(observed.text).toBe('early')
    early.close()
    later.close()
  })

  it('sees an abrupt end of the peer as a reset', async () => {
    const env = quietEnv()
    const accepted = deferred<ObservedStream>()
    const to = await listening(env, (stream) => accepted.resolve(new ObservedStream(stream)))
    const raw = new RawConnection(to)
    const far = await accepted.promise
    raw.socket.resetAndDestroy()
    expect(await far.closed).toBe('reset')
  })

  it('leaves accepted streams alone when their listener is closed', async () => {
    const env = quietEnv()
    const accepted = deferred<ObservedStream>()
    const listener = await env.tcp.listen(loopback, (stream) => accepted.resolve(new ObservedStream(stream)))
    if (!listener.ok) throw new Error(listener.error.kind)
    const dialled = await env.tcp.dial(listener.value.local, { timeoutMs: 5000 })
    if (!dialled.ok) throw new Error(dialled.error.kind)
    const near = new ObservedStream(dialled.value)
    const far = await accepted.promise
    listener.value.close()
    listener.value.close()
    near.stream.write(utf8('still'))
    await far.until(() => far.text === 'still')
    expect(await dialFailure(listener.value.local)).toEqual({ kind: 'refused', to: listener.value.local })
  })
})

describe('dialling and listening', () => {
  const servers: { close(): void }[] = []

  afterEach(() => {
    for (const server of servers.splice(0)) server.close()
  })

  it('says refused where no server listens', async () => {
    const env = quietEnv()
    const listener = await env.tcp.listen(loopback, () => undefined)
    if (!listener.ok) throw new Error(listener.error.kind)
    listener.value.close()
    const to = listener.value.local
    expect(await dialFailure(to)).toEqual({ kind: 'refused', to })
  })

  it('says timeout where a handshake is never answered', async () => {
    const silent = createServer(() => undefined)
    servers.push(silent)
    const port = await new Promise<number>((resolve) => {
      silent.listen(0, ownLoopback, () => resolve((silent.address() as { port: number }).port))
    })
    const to = { host: ownLoopback, port }
    expect(await dialFailure(to, { trustedPems: [] }, 50)).toEqual({ kind: 'timeout', to })
  })

  it.each([
    ['localhost', 80],
    ['127.0.0.1', 70_000],
    ['127.0.0.1', -1],
    ['', 80],
  ])('refuses %s:%d, which is no address and port', async (host, port) => {
    expect(await dialFailure({ host, port })).toMatchObject({ kind: 'io' })
    const listened = await quietEnv().tcp.listen({ host, port }, () => undefined)
    expect(listened).toMatchObject({ ok: false, error: { kind: 'io' } })
  })

  it('says which address is in use, and which is not of this machine', async () => {
    const env = quietEnv()
    const at = await listening(env, () => undefined)
    expect(await env.tcp.listen(at, () => undefined)).toEqual({ ok: false, error: { kind: 'address-in-use', at } })
    const foreign = { host: '203.0.113.1', port: 0 }
    expect(await env.tcp.listen(foreign, () => undefined)).toEqual({
      ok: false,
      error: { kind: 'address-not-available', at: foreign },
    })
  })

  it('ends streams, listeners and dials under way with its Env', async () => {
    const env = quietEnv()
    const accepted = deferred<ObservedStream>()
    const to = await listening(env, (stream) => accepted.resolve(new ObservedStream(stream)))
    const raw = new RawConnection(to)
    const far = await accepted.promise
    const silent = createServer(() => undefined)
    servers.push(silent)
    await new Promise<void>((resolve) => silent.listen(0, ownLoopback, resolve))
    const { port } = silent.address() as { port: number }
    const dial = env.tcp.dial({ host: ownLoopback, port }, { timeoutMs: 60_000, tls: { trustedPems: [] } })
    env.close()
    expect(await far.closed).toBe('closed')
    expect(await dial).toMatchObject({ ok: false })
    expect(await dialFailure(to)).toMatchObject({ kind: 'refused' })
    raw.close()
  })
})

/** Needs the openssl command to make certificates: nothing else here may sign any. */
describe.skipIf(!opensslIsThere())('a TLS stream', () => {
  let material: TlsMaterial

  beforeAll(() => {
    material = makeTlsMaterial()
  })

  streamLaws(() => ({
    listener: { ...material.server, trustedPems: [material.rootPem], requirePeerCertificate: true },
    dialler: { ...material.client, trustedPems: [material.rootPem], serverName: 'server.dc1.svc' },
  }))

  async function tlsListener(options: Partial<TlsOptions> = {}): Promise<Endpoint> {
    const tls = { ...material.server, trustedPems: [material.rootPem], ...options }
    return listening(quietEnv(), (stream) => new ObservedStream(stream), tls)
  }

  it('verifies the address where no name is asked for', async () => {
    const to = await tlsListener()
    expect(await dialFailure(to, { trustedPems: [material.rootPem] })).toBeUndefined()
    const stranger = await tlsListener(material.stranger)
    expect(await dialFailure(stranger, { trustedPems: [material.rootPem] })).toMatchObject({ kind: 'tls' })
  })

  it('refuses a listener with another name, of another root, or of none that is trusted', async () => {
    const to = await tlsListener()
    const named = { trustedPems: [material.rootPem], serverName: 'server.dc2.svc' }
    expect(await dialFailure(to, named)).toMatchObject({
      kind: 'tls',
      message: expect.stringContaining('server.dc2.svc'),
    })
    expect(await dialFailure(to, { trustedPems: [material.strangerRootPem] })).toMatchObject({ kind: 'tls' })
    expect(await dialFailure(to, { trustedPems: [] })).toMatchObject({ kind: 'tls' })
  })

  it('refuses a listener that does not speak TLS, and a malformed key', async () => {
    const env = quietEnv()
    const to = await listening(env, (stream) => {
      new ObservedStream(stream).stream.write(utf8('220 hello\r\n'))
    })
    expect(await dialFailure(to, { trustedPems: [material.rootPem] })).toMatchObject({ kind: 'tls', fault: 'plain' })
    const broken = { certificateChainPem: 'x', privateKeyPem: 'y', trustedPems: [] }
    expect(await dialFailure(to, broken)).toMatchObject({ kind: 'tls' })
    expect(await env.tcp.listen(loopback, () => undefined, broken)).toMatchObject({ error: { kind: 'io' } })
  })

  it('hands over no stream of a dialler without a certificate where one is required', async () => {
    const handed: TcpStream[] = []
    const tls = { ...material.server, trustedPems: [material.rootPem], requirePeerCertificate: true }
    const to = await listening(quietEnv(), (stream) => handed.push(stream), tls)
    for (const own of [{}, material.stranger]) {
      const dialled = await quietEnv().tcp.dial(to, {
        timeoutMs: 5000,
        tls: { ...own, trustedPems: [material.rootPem] },
      })
      if (!dialled.ok) continue
      // With TLS 1.3 the dialler's handshake is over before the listener has judged it: then it is hung up on.
      const judged = new ObservedStream(dialled.value)
      await judged.until(() => judged.events.length > 0)
      expect(judged.text).toBe('')
    }
    const good = await quietEnv().tcp.dial(to, {
      timeoutMs: 5000,
      tls: { ...material.client, trustedPems: [material.rootPem] },
    })
    expect(good.ok).toBe(true)
    await expect.poll(() => handed.length).toBe(1)
  })

  it('takes no harm from a dialler that sends no handshake', async () => {
    const to = await tlsListener()
    const raw = new RawConnection(to)
    raw.write('GET / HTTP/1.1\r\n\r\n')
    await raw.all()
    expect(await dialFailure(to, { trustedPems: [material.rootPem] })).toBeUndefined()
  })

  it('carries HTTP', async () => {
    const env = quietEnv()
    const tls = { ...material.server, trustedPems: [material.rootPem] }
    const listener = await env.http.serve(loopback, async () => ({ status: 200, headers: [], body: 'over TLS' }), tls)
    if (!listener.ok) throw new Error(listener.error.kind)
    const ask = (trusted: string) =>
      env.http.request(listener.value.local, {
        method: 'GET',
        target: '/',
        timeoutMs: 5000,
        tls: { trustedPems: [trusted], serverName: 'server.dc1.svc' },
      })
    for (let i = 0; i < 2; i++) {
      expect(await ask(material.rootPem)).toMatchObject({ value: { status: 200, body: utf8('over TLS') } })
      expect(await ask(material.strangerRootPem)).toMatchObject({ error: { kind: 'tls' } })
    }
    const plain = new RawConnection(listener.value.local)
    plain.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n')
    expect(await plain.all()).not.toContain('over TLS')
  })
})
