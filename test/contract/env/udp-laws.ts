import { expect } from 'vitest'
import { textOf, utf8 } from '../../../src/base/bytes.ts'
import type { Law } from './law-world.ts'
import { eventually, failureOf, foreign, got, Notes, pause } from './observed.ts'

export function udpLaws(law: Law): void {
  law('datagrams go to and fro, and say where they come from', async ({ env, peer, host, peerHost }) => {
    const notes = new Notes(env)
    const socket = await got(
      env.udp.bind({ host, port: 0 }, (from, bytes) => {
        socket.send(from, utf8(`${textOf(bytes)} yourself`))
      }),
    )
    const asker = await got(
      peer.udp.bind({ host: peerHost, port: 0 }, (from, bytes) => {
        expect(from).toEqual(socket.local)
        notes.tell(textOf(bytes))
      }),
    )
    expect(asker.local.port).toBeGreaterThan(0)
    // Sent again until an answer comes: a datagram may be lost on a real loopback too.
    const asks = (): void => asker.send(socket.local, utf8('hello'))
    await eventually(peer, 'an answer', () => notes.told.length > 0, asks)
    expect(notes.told[0]).toBe('hello yourself')
  })

  law('an empty datagram and the largest arrive; a larger one is dropped', async ({ env, peer, host, peerHost }) => {
    const notes = new Notes(env)
    const socket = await got(env.udp.bind({ host, port: 0 }, (_from, bytes) => notes.tell(String(bytes.length))))
    const sender = await got(peer.udp.bind({ host: peerHost, port: 0 }, () => undefined))
    sender.send(socket.local, new Uint8Array(65_508))
    const sends = (): void => {
      sender.send(socket.local, new Uint8Array(65_507))
      sender.send(socket.local, new Uint8Array(0))
    }
    await eventually(peer, 'the largest and an empty one', () => notes.has('65507') && notes.has('0'), sends)
    expect(new Set(notes.told)).toEqual(new Set(['65507', '0']))
  })

  law('nothing arrives at a closed socket, and its port is free', async ({ env, peer, host, peerHost, port }) => {
    const notes = new Notes(env)
    const socket = await got(env.udp.bind({ host, port }, () => notes.tell('arrived')))
    const sender = await got(peer.udp.bind({ host: peerHost, port: 0 }, () => undefined))
    socket.close()
    socket.close()
    socket.send(sender.local, utf8('from nobody'))
    sender.send(socket.local, utf8('to nobody'))
    await pause(env, 10)
    expect(notes.told).toEqual([])
    expect(await failureOf(env.udp.bind(socket.local, () => undefined))).toBe('none')
  })

  law('a socket says which address is in use and which is not of its machine', async ({ env, host }) => {
    const socket = await got(env.udp.bind({ host, port: 0 }, () => undefined))
    const again = await env.udp.bind(socket.local, () => undefined)
    expect(again).toEqual({ ok: false, error: { kind: 'address-in-use', at: socket.local } })
    expect(await failureOf(env.udp.bind(foreign, () => undefined))).toBe('address-not-available')
  })

  law('TCP and UDP have ports of their own', async ({ env, host, port }) => {
    await got(env.udp.bind({ host, port }, () => undefined))
    expect(await failureOf(env.tcp.listen({ host, port }, () => undefined))).toBe('none')
  })
}
