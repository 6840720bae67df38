import { expect } from 'vitest'
import { concatBytes, equalBytes, utf8 } from '../../../src/base/bytes.ts'
import { highWaterBytes, type TcpStream } from '../../../src/env/net.ts'
import type { Law } from './law-world.ts'
import { connected, failureOf, foreign, got, Notes, Observed, pattern, pause } from './observed.ts'

const limit = { timeoutMs: 5_000 }

export function tcpLaws(law: Law): void {
  law('a stream carries bytes both ways, in order and once', async ({ env, peer, host }) => {
    const { dialler, accepted } = await connected(env, peer, host)
    const sizes = [1, 2, 70_000, 1, 300_000, 5]
    const pieces = sizes.map((size, at) => pattern(size, at))
    const whole = concatBytes(pieces)
    for (const piece of pieces) {
      dialler.stream.write(piece)
      accepted.stream.write(piece)
    }
    await accepted.received(whole.length)
    await dialler.received(whole.length)
    expect(equalBytes(accepted.bytes, whole)).toBe(true)
    expect(equalBytes(dialler.bytes, whole)).toBe(true)
  })

  law('what is sent soon arrives by itself, and in order with what is sent now', async ({ env, peer, host }) => {
    const { dialler, accepted } = await connected(env, peer, host)
    dialler.stream.write(utf8('one '), 'soon')
    dialler.stream.write(utf8('two '), 'soon')
    await accepted.received(8)
    dialler.stream.write(utf8('three '), 'soon')
    dialler.stream.write(utf8('four '))
    dialler.stream.write(utf8('five '), 'soon')
    await accepted.received(24)
    dialler.stream.write(utf8('six'), 'soon')
    dialler.stream.end()
    await accepted.heard('end')
    expect(accepted.text).toBe('one two three four five six')
  })

  law('both ends name the same two addresses', async ({ env, peer, host }) => {
    const { dialler, accepted, listener } = await connected(env, peer, host)
    expect(dialler.stream.remote).toEqual(listener.local)
    expect(accepted.stream.local).toEqual(listener.local)
    expect(accepted.stream.remote).toEqual(dialler.stream.local)
  })

  law('what arrives before the handlers are set is kept', async ({ env, peer, host }) => {
    const arrived = env.deferred<TcpStream>()
    const listener = await got(
      env.tcp.listen({ host, port: 0 }, (stream) => {
        stream.write(utf8('first words'))
        stream.end()
        stream.onData(() => undefined)
        arrived.resolve(stream)
      }),
    )
    const dialler = new Observed(peer, await got(peer.tcp.dial(listener.local, limit)))
    await dialler.heard('end')
    expect(dialler.text).toBe('first words')
    dialler.stream.end()
    await dialler.heard('close:ended')
  })

  law('after one end has ended the other still writes; then both are over in order', async ({ env, peer, host }) => {
    const { dialler, accepted } = await connected(env, peer, host)
    dialler.stream.write(utf8('question'))
    dialler.stream.end()
    expect(dialler.stream.write(utf8('too late'))).toBe(false)
    await accepted.heard('end')
    expect(accepted.text).toBe('question')
    accepted.stream.write(utf8('answer'))
    accepted.stream.end()
    await dialler.heard('close:ended')
    await accepted.heard('close:ended')
    expect(dialler.text).toBe('answer')
    expect(dialler.told).toEqual(['end', 'close:ended'])
    expect(accepted.told).toEqual(['end', 'close:ended'])
    expect(dialler.stream.write(utf8('x'))).toBe(false)
  })

  law(
    'a writer is told to wait while the reader is paused, and to go on when all has left',
    async ({ env, peer, host }) => {
      const { dialler, accepted } = await connected(env, peer, host)
      accepted.stream.pause()
      const piece = pattern(64 << 10)
      let written = 0
      let drains = -1
      // Until nothing leaves any more: the network and both ends hold less than this.
      while (dialler.told.length > drains && written < 64 << 20) {
        drains = dialler.told.length
        do written += piece.length
        while (dialler.stream.write(piece))
        expect(dialler.stream.queuedBytes()).toBeGreaterThan(highWaterBytes)
        await pause(env, 20)
      }
      expect(written).toBeLessThan(64 << 20)
      expect(accepted.length).toBe(0)
      accepted.stream.resume()
      await dialler.until(() => dialler.told.length > drains)
      expect(dialler.stream.queuedBytes()).toBe(0)
      await accepted.received(written)
      expect(accepted.length).toBe(written)
      expect(new Set(dialler.told)).toEqual(new Set(['drain']))
    },
  )

  law(
    'close breaks the connection: closed here, reset there, and the call itself calls nobody',
    async ({ env, peer, host }) => {
      const { dialler, accepted } = await connected(env, peer, host)
      dialler.stream.write(utf8('x'))
      await accepted.received(1)
      dialler.stream.close()
      expect(dialler.told).toEqual([])
      expect(dialler.stream.write(utf8('x'))).toBe(false)
      dialler.stream.close()
      await accepted.until(() => accepted.told.some((event) => event.startsWith('close')))
      await dialler.heard('close:closed')
      expect(accepted.told.at(-1)).toBe('close:reset')
      expect(dialler.told).toEqual(['close:closed'])
    },
  )

  law('of a close after its end the peer hears nothing until it sends something', async ({ env, peer, host }) => {
    const { dialler, accepted } = await connected(env, peer, host)
    dialler.stream.write(utf8('x'))
    dialler.stream.end()
    await accepted.heard('end')
    // The end has been acknowledged.
    await pause(env, 20)
    dialler.stream.close()
    await dialler.heard('close:closed')
    await pause(env, 50)
    expect(accepted.told).toEqual(['end'])
    expect(accepted.stream.write(utf8('y'))).toBe(true)
    await accepted.heard('close:reset')
    expect([dialler.told, dialler.length]).toEqual([['close:closed'], 0])
  })

  law('an end comes to a paused reader, unless bytes before it wait', async ({ env, peer, host }) => {
    const one = await connected(env, peer, host)
    one.accepted.stream.pause()
    one.dialler.stream.end()
    await one.accepted.heard('end')
    const other = await connected(env, peer, host)
    other.accepted.stream.pause()
    other.dialler.stream.write(utf8('before'))
    await pause(env, 20)
    other.dialler.stream.end()
    await pause(env, 50)
    expect([other.accepted.told, other.accepted.text]).toEqual([[], ''])
    other.accepted.stream.resume()
    await other.accepted.heard('end')
    expect(other.accepted.text).toBe('before')
  })

  law('a late listener learns why a stream has ended', async ({ env, peer, host }) => {
    const { dialler, accepted } = await connected(env, peer, host)
    accepted.stream.close()
    await dialler.until(() => dialler.told.some((event) => event.startsWith('close')))
    const notes = new Notes(peer)
    dialler.stream.onClose((why) => notes.tell(why))
    expect(notes.told).toEqual([])
    await notes.until(() => notes.told.length > 0)
    expect(notes.told).toEqual(['reset'])
  })

  law('a dial is refused where nobody listens, and where somebody listened before', async ({ env, peer, host }) => {
    const listener = await got(env.tcp.listen({ host, port: 0 }, () => undefined))
    listener.close()
    await pause(env, 5)
    const dialled = await peer.tcp.dial(listener.local, limit)
    expect(dialled).toEqual({ ok: false, error: { kind: 'refused', to: listener.local } })
  })

  law('names are not dialled and not listened on: only addresses', async ({ env }) => {
    expect(await failureOf(env.tcp.dial({ host: 'localhost', port: 1 }, limit))).toBe('io')
    expect(await failureOf(env.tcp.listen({ host: 'localhost', port: 0 }, () => undefined))).toBe('io')
    expect(await failureOf(env.udp.bind({ host: '256.0.0.1', port: 0 }, () => undefined))).toBe('io')
    expect(await failureOf(env.tcp.dial({ host: '10.0.0.1', port: 65_536 }, limit))).toBe('io')
  })

  law('a listener says which address is in use and which is not of its machine', async ({ env, host, port }) => {
    const listener = await got(env.tcp.listen({ host, port }, () => undefined))
    const again = await env.tcp.listen(listener.local, () => undefined)
    expect(again).toEqual({ ok: false, error: { kind: 'address-in-use', at: listener.local } })
    const wildcard = { host: '0.0.0.0', port: listener.local.port }
    expect(await failureOf(env.tcp.listen(wildcard, () => undefined))).toBe('address-in-use')
    expect(await failureOf(env.tcp.listen(foreign, () => undefined))).toBe('address-not-available')
    listener.close()
    await pause(env, 5)
    expect(await failureOf(env.tcp.listen(listener.local, () => undefined))).toBe('none')
  })

  law('closing a listener leaves accepted streams alone', async ({ env, peer, host }) => {
    const { dialler, accepted, listener } = await connected(env, peer, host)
    listener.close()
    listener.close()
    await pause(env, 5)
    dialler.stream.write(utf8('still here'))
    await accepted.received(10)
    expect(accepted.text).toBe('still here')
  })

  law('a listener on every address of a machine is reached by its own', async ({ env, peer, host }) => {
    const arrived = env.deferred<TcpStream>()
    const listener = await got(env.tcp.listen({ host: '0.0.0.0', port: 0 }, (stream) => arrived.resolve(stream)))
    await got(peer.tcp.dial({ host, port: listener.local.port }, limit))
    expect((await arrived.promise).local.port).toBe(listener.local.port)
  })

  law('one machine talks to itself over its loopback', async ({ env }) => {
    const { dialler, accepted } = await connected(env, env, '127.0.0.1')
    dialler.stream.write(utf8('self'))
    await accepted.received(4)
    expect(accepted.stream.remote.host).toBe('127.0.0.1')
  })

  law('a writer whose peer is gone finds out', async ({ env, peer, host }) => {
    const { dialler, accepted } = await connected(env, peer, host)
    accepted.stream.close()
    await dialler.until(() => dialler.told.some((event) => event.startsWith('close')))
    expect(dialler.told).toEqual(['close:reset'])
    expect(dialler.stream.write(utf8('x'))).toBe(false)
  })
}
