import { describe, expect, it } from 'vitest'
import type { TcpStream } from '../../../src/env/net.ts'
import { Streams } from '../../../src/gossip/driver/streams.ts'
import { ManualWorld } from './manual-world.ts'

/** A stream from a host that says nothing. */
function silent(host: string) {
  const stream = {
    isClosed: false,
    remote: { host, port: 40_000 },
    onData: () => undefined,
    onEnd: () => undefined,
    onClose: () => undefined,
    write: () => undefined,
    end: () => undefined,
    close: () => {
      stream.isClosed = true
    },
  }
  return stream
}

function begun() {
  const world = new ManualWorld()
  const use = { onRequest: () => undefined, onPing: () => undefined, onMessage: () => undefined }
  const streams = new Streams(world as never, { keyring: undefined } as never, 10_000, use as never)
  const accept = (...hosts: readonly string[]): number => {
    const made = hosts.map((host) => silent(host))
    for (const stream of made) streams.accept(stream as unknown as TcpStream)
    return made.filter(({ isClosed }) => !isClosed).length
  }
  return { world, accept }
}

function many(count: number, hostOf: (at: number) => string): readonly string[] {
  return Array.from({ length: count }, (_, at) => hostOf(at))
}

describe('streams of other members', () => {
  it('that one source opens and leaves silent take a quarter of the places, and others are served', () => {
    const { world, accept } = begun()
    expect(accept(...many(1_000, () => '10.0.0.66'))).toBe(32)
    expect(world.counts.get('gossip.dropped.stream')).toBe(968)
    expect(accept(...many(96, (at) => `10.0.1.${at}`))).toBe(96)
    expect(accept('10.0.2.1')).toBe(0)
  })

  it('of one IPv6 network are of one source', () => {
    const { accept } = begun()
    expect(accept(...many(40, (at) => `2001:db8:0:1::${at.toString(16)}`))).toBe(32)
    expect(accept(...many(3, (at) => `2001:db8:0:${at + 2}::1`))).toBe(3)
  })

  it('give their places back when their time is over', () => {
    const { world, accept } = begun()
    expect(accept(...many(40, () => '10.0.0.66'))).toBe(32)
    world.wait(10_000)
    expect(accept(...many(40, () => '10.0.0.66'))).toBe(32)
  })
})
