import { describe, expect, it } from 'vitest'
import type { CrashOptions, SimNode } from '../../../sim/simulation/node.ts'
import type { Simulation } from '../../../sim/simulation/simulation.ts'
import type { LinkOptions } from '../../../sim/world/network/link.ts'
import { concatBytes, equalBytes } from '../../../src/base/bytes.ts'
import type { Env } from '../../../src/env/env.ts'
import type { TcpStream } from '../../../src/env/net.ts'
import { inSimulation, value } from './in-simulation.ts'

const windowBytes = 256 << 10

class End {
  readonly stream: TcpStream
  readonly pieces: Uint8Array[] = []
  readonly told: string[] = []
  readonly #nowMs: () => number

  constructor(stream: TcpStream, nowMs: () => number) {
    this.stream = stream
    this.#nowMs = nowMs
    stream.onData((bytes) => this.pieces.push(bytes))
    stream.onEnd(() => this.told.push('end'))
    stream.onClose((why) => this.told.push(`${why} at ${Math.floor(this.#nowMs())}`))
  }

  get bytes(): Uint8Array {
    return concatBytes(this.pieces)
  }
}

interface Connection {
  readonly simulation: Simulation
  readonly a: SimNode
  readonly b: SimNode
  readonly dialler: End
  readonly accepted: End
}

const at = { host: '10.0.0.2', port: 80 }

/** A connection from machine `a` to machine `b`, which stands at 100 ms. */
async function connected(
  link: LinkOptions,
  use: (connection: Connection) => Promise<void>,
  seed = 'tcp',
): Promise<void> {
  await inSimulation({ seed, link }, async (simulation) => {
    const [a, b] = ['a', 'b'].map((name, i) => simulation.addNode({ name, host: `10.0.0.${i + 1}` })) as [
      SimNode,
      SimNode,
    ]
    const ends: End[] = []
    const keep = (stream: TcpStream): void => void ends.push(new End(stream, () => simulation.nowMs))
    b.boot(async (env) => void (await env.tcp.listen(at, keep)))
    a.boot(async (env) => {
      const stream = await dialUntilUp(env)
      keep(stream)
      stream.write(new Uint8Array(1))
    })
    await simulation.run({ untilMs: 100 })
    const [dialler, accepted] = ends as [End, End]
    accepted.pieces.length = 0
    await use({ simulation, a, b, dialler, accepted })
  })
}

async function dialUntilUp(env: Env): Promise<TcpStream> {
  for (;;) {
    const dialled = await env.tcp.dial(at, { timeoutMs: 50 })
    if (dialled.ok) return dialled.value
  }
}

const bytes = (length: number, seed: number): Uint8Array => new Uint8Array(length).fill(seed)

describe('streams', () => {
  it('deliver all bytes in order over a link that loses a third of everything, only later', async () => {
    await connected({}, async ({ simulation, dialler, accepted }) => {
      simulation.network.setDefaultLink({ loss: 0.33, latencyMs: [1, 30] })
      const sent: Uint8Array[] = []
      for (let i = 0; i < 100; i++) {
        simulation.at(100 + i * 3, () => {
          const piece = bytes(1 + ((i * 37) % 500), i)
          sent.push(piece)
          dialler.stream.write(piece)
        })
      }
      await simulation.run({ untilMs: 60_000 })
      expect(equalBytes(accepted.bytes, concatBytes(sent))).toBe(true)
      expect(dialler.told).toEqual([])
    })
  })

  it('wait out a cut of ten seconds', async () => {
    await connected({ latencyMs: 1 }, async ({ simulation, dialler, accepted }) => {
      simulation.network.cut('a', 'b')
      dialler.stream.write(bytes(10, 1))
      accepted.stream.write(bytes(20, 2))
      simulation.at(10_100, () => simulation.network.heal('a', 'b'))
      await simulation.run({ untilMs: 10_000 })
      expect(accepted.pieces).toEqual([])
      await simulation.run({ untilMs: 20_000 })
      expect([accepted.bytes.length, dialler.bytes.length]).toEqual([10, 20])
      expect(accepted.told).toEqual([])
    })
  })

  it('are given up by a writer that made no progress for fifteen seconds; the other end hears nothing of it', async () => {
    await connected({ latencyMs: 1 }, async ({ simulation, dialler, accepted }) => {
      simulation.network.cut('a', 'b')
      dialler.stream.write(bytes(10, 1))
      await simulation.run({ untilMs: 20_000 })
      expect(dialler.told).toEqual(['timeout at 15100'])
      expect(accepted.told).toEqual([])
      simulation.network.heal()
      accepted.stream.write(bytes(1, 1))
      await simulation.run({ untilMs: 21_000 })
      expect(accepted.told).toEqual(['reset at 20002'])
    })
  })

  it('lose what was under way when the cut came, and send it again', async () => {
    await connected({ latencyMs: 10 }, async ({ simulation, dialler, accepted }) => {
      for (let i = 0; i < 5; i++) simulation.at(101 + i, () => dialler.stream.write(bytes(3, i)))
      simulation.at(112.5, () => simulation.network.cut('a', 'b'))
      simulation.at(113.5, () => simulation.network.heal('a', 'b'))
      await simulation.run({ untilMs: 111.5 })
      expect([...accepted.bytes]).toEqual([0, 0, 0])
      await simulation.run({ untilMs: 120 })
      // The third piece was lost on arrival, and with it those behind it.
      expect([...accepted.bytes]).toEqual([0, 0, 0, 1, 1, 1])
      await simulation.run({ untilMs: 400 })
      expect([...accepted.bytes]).toEqual([0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4])
    })
  })

  it('over a one-way cut carry data one way, and time out for a writer that hears nothing back', async () => {
    await connected({ latencyMs: 1 }, async ({ simulation, dialler, accepted }) => {
      simulation.network.cut('b', 'a', { oneWay: true })
      dialler.stream.write(bytes(10, 1))
      await simulation.run({ untilMs: 200 })
      expect(accepted.bytes.length).toBe(10)
      await simulation.run({ untilMs: 20_000 })
      expect(dialler.told).toEqual(['timeout at 15101'])
      expect(accepted.told).toEqual([])
    })
  })

  it('go on after a one-way cut that was healed in time', async () => {
    await connected({ latencyMs: 1 }, async ({ simulation, dialler, accepted }) => {
      simulation.network.cut('b', 'a', { oneWay: true })
      dialler.stream.write(bytes(10, 1))
      simulation.at(5000, () => simulation.network.heal())
      await simulation.run({ untilMs: 30_000 })
      dialler.stream.write(bytes(10, 1))
      await simulation.run({ untilMs: 31_000 })
      expect(accepted.bytes.length).toBe(20)
      expect(dialler.told).toEqual([])
    })
  })

  it('never have more under way than the window holds, and move on as the reader reads', async () => {
    await connected({ latencyMs: 5 }, async ({ simulation, dialler, accepted }) => {
      accepted.stream.pause()
      dialler.stream.write(bytes(3 * windowBytes, 1))
      await simulation.run({ untilMs: 1000 })
      expect(dialler.stream.queuedBytes()).toBe(2 * windowBytes)
      accepted.stream.resume()
      await simulation.run({ untilMs: 2000 })
      expect(accepted.bytes.length).toBe(3 * windowBytes)
      expect(dialler.stream.queuedBytes()).toBe(0)
    })
  })

  it('arrive in pieces cut anywhere', async () => {
    const sizes = new Set<number>()
    await connected({ latencyMs: 0.1 }, async ({ simulation, dialler, accepted }) => {
      for (let i = 0; i < 300; i++) simulation.at(100 + i, () => dialler.stream.write(bytes(100, i)))
      await simulation.run({ untilMs: 1000 })
      expect(accepted.bytes.length).toBe(30_000)
      for (const piece of accepted.pieces) sizes.add(piece.length)
    })
    expect(sizes.size).toBeGreaterThan(3)
  })

  it('of a crashed process reset its peers, as soon as that gets through', async () => {
    await connected({ latencyMs: 1 }, async ({ simulation, b, dialler }) => {
      b.crash()
      await simulation.run({ untilMs: 200 })
      expect(dialler.told).toEqual(['reset at 101'])
    })
    await connected({ latencyMs: 1 }, async ({ simulation, b, dialler }) => {
      simulation.network.cut('a', 'b')
      b.crash()
      await simulation.run({ untilMs: 10_000 })
      expect(dialler.told).toEqual([])
      simulation.network.heal()
      dialler.stream.write(bytes(1, 1))
      await simulation.run({ untilMs: 11_000 })
      expect(dialler.told).toEqual(['reset at 10002'])
    })
  })

  it('of a machine without power time out, and are reset once it is back', async () => {
    const silent: CrashOptions = { network: 'silent' }
    await connected({ latencyMs: 1 }, async ({ simulation, b, dialler }) => {
      b.crash(silent)
      dialler.stream.write(bytes(1, 1))
      await simulation.run({ untilMs: 60_000 })
      expect(dialler.told).toEqual(['timeout at 15100'])
    })
    await connected({ latencyMs: 1 }, async ({ simulation, b, dialler }) => {
      b.crash(silent)
      dialler.stream.write(bytes(1, 1))
      simulation.at(1000, () => b.boot(() => undefined))
      await simulation.run({ untilMs: 60_000 })
      expect(dialler.told).toHaveLength(1)
      expect(dialler.told[0]).toMatch(/^reset at 1[3-7]\d\d$/)
    })
  })

  it('that are idle are probed: a peer that cannot be reached any more is found within half a minute', async () => {
    await connected({ latencyMs: 1 }, async ({ simulation, b, dialler }) => {
      b.crash({ network: 'silent' })
      await simulation.run({ untilMs: 60_000 })
      expect(dialler.told).toHaveLength(1)
      expect(dialler.told[0]).toMatch(/^timeout at 2[45]\d\d\d$/)
    })
    await connected({ latencyMs: 1 }, async ({ simulation, b, dialler }) => {
      b.crash({ network: 'silent' })
      simulation.at(5000, () => b.boot(() => undefined))
      await simulation.run({ untilMs: 60_000 })
      expect(dialler.told[0]).toMatch(/^reset at 15\d\d\d$/)
    })
    await connected({ latencyMs: 1 }, async ({ simulation, dialler, accepted }) => {
      simulation.at(14_000, () => simulation.network.cut('a', 'b'))
      simulation.at(22_000, () => simulation.network.heal())
      await simulation.run({ untilMs: 600_000 })
      expect([...dialler.told, ...accepted.told]).toEqual([])
    })
  })

  it('drop nothing that was sent before an orderly end', async () => {
    await connected({ latencyMs: 1 }, async ({ simulation, dialler, accepted }) => {
      simulation.network.setDefaultLink({ loss: 0.3 })
      dialler.stream.write(bytes(200_000, 1))
      dialler.stream.end()
      accepted.stream.end()
      await simulation.run({ untilMs: 60_000 })
      expect(accepted.bytes.length).toBe(200_000)
      expect(accepted.told[0]).toBe('end')
      expect(accepted.told[1]).toMatch(/^ended/)
      expect(dialler.told[1]).toMatch(/^ended/)
    })
  })

  it('are written by code that heeds back-pressure: gigabytes against a closed window are a bug', async () => {
    await connected({}, async ({ simulation, a, dialler, accepted }) => {
      accepted.stream.pause()
      a.run(() => {
        for (let i = 0; i < 70; i++) dialler.stream.write(new Uint8Array(1 << 20))
      })
      expect(await simulation.run({ untilMs: 1000 })).toMatchObject({
        kind: 'failed',
        failure: { kind: 'node-error', node: 'a', message: expect.stringContaining('heeds back-pressure') },
      })
    })
  })
})

describe('dialling', () => {
  const dial = async (
    prepare: (simulation: Simulation, b: SimNode) => void,
    timeoutMs = 10_000,
  ): Promise<{ readonly kind: string; readonly atMs: number }> =>
    await inSimulation({ link: { latencyMs: 1 } }, async (simulation) => {
      const a = simulation.addNode({ name: 'a', host: '10.0.0.1' })
      const b = simulation.addNode({ name: 'b', host: '10.0.0.2' })
      b.boot(async (env) => void (await env.tcp.listen(at, () => undefined)))
      await simulation.run({ untilMs: 1 })
      prepare(simulation, b)
      const program = async (env: Env) => {
        const dialled = await env.tcp.dial(at, { timeoutMs })
        return { kind: dialled.ok ? 'connected' : dialled.error.kind, atMs: simulation.nowMs - 1 }
      }
      return await simulation.play(a, program, 60_000)
    })

  it('takes a round trip', async () => {
    expect(await dial(() => undefined)).toEqual({ kind: 'connected', atMs: 2 })
  })

  it('times out over a cut, and towards a machine without power', async () => {
    expect(await dial((simulation) => simulation.network.cut('a', 'b'))).toEqual({ kind: 'timeout', atMs: 10_000 })
    expect(await dial((_, b) => b.crash({ network: 'silent' }))).toEqual({ kind: 'timeout', atMs: 10_000 })
  })

  it('is tried again: a cut healed after two seconds costs three', async () => {
    const healed = await dial((simulation) => {
      simulation.network.cut('a', 'b')
      simulation.at(2000, () => simulation.network.heal())
    })
    expect(healed).toEqual({ kind: 'connected', atMs: 3002 })
  })

  it('is refused by a machine on which nothing runs', async () => {
    expect(await dial((_, b) => b.crash())).toEqual({ kind: 'refused', atMs: 2 })
  })

  it('is refused by a machine that refuses, until it no longer does', async () => {
    expect(await dial((_, b) => b.refuseConnections(true))).toEqual({ kind: 'refused', atMs: 2 })
    const again = await dial((_, b) => {
      b.refuseConnections(true)
      b.refuseConnections(false)
    })
    expect(again).toEqual({ kind: 'connected', atMs: 2 })
  })

  it('succeeds towards a paused process, which hears of it when it goes on', async () => {
    expect(await dial((_, b) => b.pause())).toEqual({ kind: 'connected', atMs: 2 })
  })

  it('finds an unused address unreachable', async () => {
    const kind = await inSimulation({}, async (simulation) => {
      const program = async (env: Env) => await env.tcp.dial({ host: '10.9.9.9', port: 1 }, { timeoutMs: 10_000 })
      return await simulation.play(simulation.addNode({ name: 'a', host: '10.0.0.1' }), program, 60_000)
    })
    expect(kind).toMatchObject({ ok: false, error: { kind: 'unreachable' } })
  })

  it('binds what is accepted to its listener: after a restart old connections mean nothing', async () => {
    await connected({ latencyMs: 1 }, async ({ simulation, b, dialler }) => {
      b.crash({ network: 'silent' })
      b.boot(async (env) => void (await value(env.tcp.listen(at, () => undefined))))
      dialler.stream.write(bytes(1, 1))
      await simulation.run({ untilMs: 200 })
      expect(dialler.told).toEqual(['reset at 102'])
    })
  })
})
