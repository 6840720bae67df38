import { describe, expect, it } from 'vitest'
import type { DnsFace } from '../../../src/dns/face.ts'
import { DnsStreams } from '../../../src/dns/streams.ts'
import type { Env } from '../../../src/env/env.ts'
import type { TcpStream } from '../../../src/env/net.ts'

/** Connections to a DNS listener: `dial` says whether one from this host was kept, `end` ends one of those. */
function listener() {
  const ends: (() => void)[] = []
  let [refused, closed] = [0, 0]
  const env = {
    metrics: { count: () => refused++ },
    timers: { after: () => ({ close: () => undefined }) },
  } as unknown as Env
  const streams = new DnsStreams(env, {} as DnsFace)
  const dial = (host: string): boolean => {
    const before = refused
    const stream = {
      remote: { host, port: 1 },
      onData: () => undefined,
      onEnd: () => undefined,
      onDrain: () => undefined,
      onClose: (use: () => void) => ends.push(use),
      close: () => closed++,
    }
    streams.accept(stream as unknown as TcpStream)
    return refused === before
  }
  return { dial, end: () => ends.shift()?.(), closed: () => closed }
}

describe('connections of DNS over TCP', () => {
  it('are 512 at most, of one source a quarter of them', () => {
    const { dial, end, closed } = listener()
    const kept = (host: string, times: number) => Array.from({ length: times }, () => dial(host)).filter(Boolean).length
    expect(kept('10.0.0.1', 600)).toBe(128)
    expect(kept('2001:db8::1', 100) + kept('2001:db8::2', 100)).toBe(128)
    expect(kept('10.0.0.2', 200)).toBe(128)
    expect(kept('10.0.0.3', 100)).toBe(100)
    expect(kept('10.0.0.4', 100)).toBe(28)
    expect(kept('10.0.0.5', 1)).toBe(0)
    expect(closed()).toBe(600 + 200 + 200 + 100 + 100 + 1 - 512)
    end()
    expect(kept('10.0.0.5', 2)).toBe(1)
  })

  it('are closed ten seconds after the last answer, and not while a question is being answered', async () => {
    const timers = new Set<{ readonly ms: number; readonly due: () => void }>()
    const after = (ms: number, due: () => void) => {
      const timer = { ms, due }
      timers.add(timer)
      return { close: () => timers.delete(timer) }
    }
    const answers: ((bytes: Uint8Array | undefined) => void)[] = []
    const face: Partial<DnsFace> = {
      known: () => undefined,
      answer: () => new Promise((resolve) => answers.push(resolve)),
    }
    const tasks: Promise<void>[] = []
    const env = {
      metrics: { count: () => undefined },
      timers: { after },
      detach: (task: Promise<void>) => tasks.push(task),
    }
    let [receive, closed] = [(_: Uint8Array) => {}, 0]
    const stream: Partial<TcpStream> = {
      remote: { host: '10.0.0.1', port: 1 },
      onData: (use) => {
        receive = use
      },
      onEnd: () => undefined,
      onDrain: () => undefined,
      onClose: () => undefined,
      write: () => true,
      queuedBytes: () => 0,
      close: () => closed++,
    }
    new DnsStreams(env as unknown as Env, face as DnsFace).accept(stream as TcpStream)
    expect([...timers].map(({ ms }) => ms)).toEqual([10_000])
    receive(Uint8Array.of(0, 1, 7, 0, 1, 8))
    expect(timers.size).toBe(0)
    answers[0]?.(Uint8Array.of(7))
    await tasks[0]
    expect(timers.size).toBe(0)
    answers[1]?.(undefined)
    await tasks[1]
    expect([...timers].map(({ ms }) => ms)).toEqual([10_000])
    for (const { due } of timers) due()
    expect(closed).toBe(1)
  })

  it('are answered whatever the number of questions that come in one piece, each after the one before', async () => {
    const count = 40_000
    const written: number[] = []
    const tasks: Promise<void>[] = []
    const env = {
      timers: { after: () => ({ close: () => undefined }) },
      detach: (task: Promise<void>) => tasks.push(task),
    }
    let receive = (_: Uint8Array): void => {}
    const stream: Partial<TcpStream> = {
      remote: { host: '10.0.0.1', port: 1 },
      onData: (use) => {
        receive = use
      },
      onEnd: () => undefined,
      onDrain: () => undefined,
      onClose: () => undefined,
      write: (bytes) => written.push((bytes[2] ?? 0) * 256 + (bytes[3] ?? 0)) > 0,
      queuedBytes: () => 0,
    }
    const face: Partial<DnsFace> = { known: (message) => message }
    new DnsStreams(env as unknown as Env, face as DnsFace).accept(stream as TcpStream)
    receive(Uint8Array.from(Array.from({ length: count }, (_, nth) => [0, 2, nth >> 8, nth & 0xff]).flat()))
    await Promise.all(tasks)
    expect(written).toEqual(Array.from({ length: count }, (_, nth) => nth))
  })

  it('hold no more than 64 MiB of answers that clients do not read: the source with most loses its largest', async () => {
    const tasks: Promise<void>[] = []
    const warnings: string[] = []
    const env = {
      timers: { after: () => ({ close: () => undefined }) },
      detach: (task: Promise<void>) => tasks.push(task),
      log: { write: (_level: string, _topic: string, text: string) => warnings.push(text) },
    }
    const face: Partial<DnsFace> = { known: () => undefined, answer: async () => new Uint8Array(65_000) }
    const streams = new DnsStreams(env as unknown as Env, face as DnsFace)
    const queued = new Map<number, number>()
    const ask = (port: number, host: string): void => {
      let over = (): void => {}
      let receive = (_: Uint8Array): void => {}
      const stream: Partial<TcpStream> = {
        remote: { host, port },
        onData: (use) => {
          receive = use
        },
        onEnd: () => undefined,
        onDrain: () => undefined,
        onClose: (use) => {
          over = () => use('closed')
        },
        write: (bytes) => {
          queued.set(port, (queued.get(port) ?? 0) + bytes.length)
          return false
        },
        pause: () => undefined,
        queuedBytes: () => queued.get(port) ?? 0,
        close: () => {
          queued.delete(port)
          over()
        },
      }
      streams.accept(stream as TcpStream)
      receive(Uint8Array.from(Array.from({ length: 100 }, () => [0, 1, 7]).flat()))
    }
    ask(1, '10.0.0.2')
    for (let port = 2; port <= 100; port++) ask(port, '10.0.0.1')
    await Promise.all(tasks)
    const held = [...queued.values()].reduce((sum, bytes) => sum + bytes, 0)
    expect(held).toBeLessThanOrEqual(64 << 20)
    expect(queued.get(1)).toBe(64 * 65_002)
    expect(warnings[0]).toBe('closed a connection: too much memory was held for its client')
  })
})
