import { describe, expect, it } from 'vitest'
import { textOf, utf8 } from '../../../src/base/bytes.ts'
import type { Endpoint, UdpSocket } from '../../../src/env/net.ts'
import { deferred } from '../../../src/host/async.ts'
import type { HostEnv } from '../../../src/host/env.ts'
import { ownLoopback } from '../../tools/own-ports.ts'
import { quietEnv } from './quiet-env.ts'

const loopback = { host: ownLoopback, port: 0 }

async function bound(
  env: HostEnv,
  onDatagram: (from: Endpoint, bytes: Uint8Array) => void,
  at: Endpoint = loopback,
): Promise<UdpSocket> {
  const socket = await env.udp.bind(at, onDatagram)
  if (!socket.ok) throw new Error(socket.error.kind)
  return socket.value
}

describe('a UDP socket', () => {
  it.each(['127.0.0.1', '::1'])('carries datagrams on %s and names their sender', async (host) => {
    const env = quietEnv()
    const got = deferred<[Endpoint, Uint8Array]>()
    const far = await bound(env, (from, bytes) => got.resolve([from, bytes]), { host, port: 0 })
    const near = await bound(env, () => undefined, { host, port: 0 })
    near.send(far.local, utf8('hello'))
    const [from, bytes] = await got.promise
    expect(from).toEqual(near.local)
    expect(textOf(bytes)).toBe('hello')
    expect(Buffer.isBuffer(bytes)).toBe(false)
  })

  it('that is bound to all addresses of both families answers a sender of either', async () => {
    const env = quietEnv()
    const far: UdpSocket = await bound(env, (from, bytes) => far.send(from, bytes), { host: '::', port: 0 })
    for (const host of ['127.0.0.1', '::1', '127.0.0.1']) {
      const got = deferred<Endpoint>()
      const near = await bound(env, (from) => got.resolve(from), { host, port: 0 })
      near.send({ host, port: far.local.port }, utf8('hello'))
      expect(await got.promise).toEqual({ host, port: far.local.port })
      near.close()
    }
  })

  it('carries 65,507 bytes and drops one more', async () => {
    const env = quietEnv()
    const lengths: number[] = []
    const both = deferred<void>()
    const far = await bound(env, (_from, bytes) => {
      lengths.push(bytes.length)
      if (bytes.length === 1) both.resolve()
    })
    const near = await bound(env, () => undefined)
    near.send(far.local, new Uint8Array(65_508))
    near.send(far.local, new Uint8Array(65_507))
    near.send(far.local, new Uint8Array(1))
    await both.promise
    expect(lengths).toEqual([65_507, 1])
  })

  it('is not harmed by sending to a closed port, to no address, or after close', async () => {
    const env = quietEnv()
    const gone = await bound(env, () => undefined)
    const near = await bound(env, () => undefined)
    gone.close()
    gone.close()
    gone.send(near.local, utf8('late'))
    for (const to of [
      gone.local,
      { host: 'localhost', port: 1 },
      { host: '127.0.0.1', port: 0 },
      { host: '::1', port: 9 },
    ]) {
      near.send(to, utf8('x'))
    }
    const got = deferred<string>()
    const far = await bound(env, (_from, bytes) => got.resolve(textOf(bytes)))
    near.send(far.local, utf8('still alive'))
    expect(await got.promise).toBe('still alive')
  })

  it('says which address is in use, and which is not of this machine', async () => {
    const env = quietEnv()
    const first = await bound(env, () => undefined)
    const again = await env.udp.bind(first.local, () => undefined)
    expect(again).toEqual({ ok: false, error: { kind: 'address-in-use', at: first.local } })
    const foreign = { host: '203.0.113.1', port: 0 }
    const elsewhere = await env.udp.bind(foreign, () => undefined)
    expect(elsewhere).toEqual({ ok: false, error: { kind: 'address-not-available', at: foreign } })
    expect(await env.udp.bind({ host: 'nowhere', port: 0 }, () => undefined)).toMatchObject({ error: { kind: 'io' } })
  })
})
