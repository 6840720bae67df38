import { describe, expect, it } from 'vitest'
import type { Simulation } from '../../../sim/simulation/simulation.ts'
import type { LinkOptions } from '../../../sim/world/network/link.ts'
import { equalBytes } from '../../../src/base/bytes.ts'
import type { Endpoint, UdpSocket } from '../../../src/env/net.ts'
import { inSimulation, value } from './in-simulation.ts'

interface Arrival {
  readonly from: Endpoint
  readonly atMs: number
  readonly bytes: Uint8Array
}

interface Line {
  readonly simulation: Simulation
  readonly send: (bytes: Uint8Array) => void
  readonly back: (bytes: Uint8Array) => void
  readonly arrivals: Arrival[]
  readonly returned: Arrival[]
}

/** Two machines, `a` and `b`, with a socket each. */
async function online(link: LinkOptions, use: (line: Line) => Promise<void>, seed = 'udp'): Promise<void> {
  await inSimulation({ seed, link }, async (simulation) => {
    const sockets: UdpSocket[] = []
    const arrivals: Arrival[] = []
    const returned: Arrival[] = []
    for (const [name, host, heard] of [
      ['a', '10.0.0.1', returned],
      ['b', '10.0.0.2', arrivals],
    ] as const) {
      simulation.addNode({ name, host }).boot(async (env) => {
        const take = (from: Endpoint, bytes: Uint8Array): void => {
          heard.push({ from, atMs: simulation.nowMs, bytes })
        }
        sockets.push(await value(env.udp.bind({ host, port: 7 }, take)))
      })
    }
    await simulation.run({ untilMs: 1 })
    const [a, b] = sockets as [UdpSocket, UdpSocket]
    const send = (bytes: Uint8Array): void => a.send(b.local, bytes)
    const back = (bytes: Uint8Array): void => b.send(a.local, bytes)
    await use({ simulation, send, back, arrivals, returned })
  })
}

const numbered = (number: number): Uint8Array => new Uint8Array([number >> 8, number & 255])
const numberOf = ({ bytes }: Arrival): number => ((bytes[0] as number) << 8) | (bytes[1] as number)

describe('datagrams', () => {
  it('take a time from the range of their link, both ends included', async () => {
    await online({ latencyMs: [0.001, 0.004] }, async ({ simulation, send, arrivals }) => {
      for (let i = 0; i < 200; i++) simulation.at(10, () => send(numbered(i)))
      await simulation.run({ untilMs: 20 })
      expect(arrivals).toHaveLength(200)
      const times = new Set(arrivals.map(({ atMs }) => Math.round((atMs - 10) * 1000)))
      expect([...times].sort((a, b) => a - b)).toEqual([1, 2, 3, 4])
    })
  })

  it('are dropped, all of them, while a firewall blocks them', async () => {
    await online({}, async ({ simulation, send, back, arrivals, returned }) => {
      simulation.network.setLink('a', 'b', { blocksDatagrams: true })
      for (let i = 0; i < 20; i++) send(numbered(i))
      back(numbered(99))
      await simulation.run({ untilMs: 20 })
      expect([arrivals, returned]).toEqual([[], []])
      simulation.network.clearLink('a', 'b')
      send(numbered(20))
      await simulation.run({ untilMs: 40 })
      expect(arrivals.map(numberOf)).toEqual([20])
    })
  })

  it('are lost, repeated and spoilt as often as the link says', async () => {
    await online({ loss: 0.25, duplicate: 0.5 }, async ({ simulation, send, arrivals }) => {
      for (let i = 0; i < 1000; i++) simulation.at(2 + i, () => send(numbered(i)))
      await simulation.run({ untilMs: 2000 })
      const distinct = new Set(arrivals.map(numberOf))
      // Five standard deviations either way.
      expect(Math.abs(distinct.size - 750)).toBeLessThan(70)
      expect(Math.abs(arrivals.length - distinct.size - 375)).toBeLessThan(90)
    })
    await online({ corrupt: 1 }, async ({ simulation, send, arrivals }) => {
      const sent = new Uint8Array(50)
      send(sent)
      await simulation.run({ untilMs: 20 })
      const bits = (arrivals[0] as Arrival).bytes.reduce(
        (sum, byte) => sum + (byte === 0 ? 0 : Math.log2(byte) % 1 === 0 ? 1 : 9),
        0,
      )
      expect(bits).toBe(1)
      expect(equalBytes(sent, new Uint8Array(50))).toBe(true)
    })
  })

  it('come once more, much later, as often as they are recorded', async () => {
    await online({ latencyMs: 1, replay: 0.5, replayMs: [500, 600] }, async ({ simulation, send, arrivals }) => {
      for (let i = 0; i < 200; i++) simulation.at(2 + i, () => send(numbered(i)))
      await simulation.run({ untilMs: 2000 })
      const first = new Map<number, number>()
      const laterMs: number[] = []
      for (const arrival of arrivals) {
        const firstMs = first.get(numberOf(arrival))
        if (firstMs === undefined) first.set(numberOf(arrival), arrival.atMs)
        else laterMs.push(arrival.atMs - firstMs)
      }
      expect(first.size).toBe(200)
      // Five standard deviations either way.
      expect(Math.abs(laterMs.length - 100)).toBeLessThan(36)
      for (const spanMs of laterMs) {
        expect(spanMs).toBeGreaterThanOrEqual(499)
        expect(spanMs).toBeLessThanOrEqual(601)
      }
    })
  })

  it('come in the name of a machine that has sent nothing, when they are forged', async () => {
    await online({ latencyMs: 1 }, async ({ simulation, arrivals }) => {
      const [from, to] = ['10.0.0.1', '10.0.0.2'].map((host) => ({ host, port: 7 })) as [Endpoint, Endpoint]
      simulation.forge(from, to, numbered(7))
      simulation.forge({ host: '10.0.0.9', port: 7 }, to, numbered(8))
      await simulation.run({ untilMs: 20 })
      expect(arrivals.map(numberOf)).toEqual([7])
      expect(arrivals.map(({ from: sender }) => sender)).toEqual([from])
    })
  })

  it('overtake each other where the link reorders, and only there', async () => {
    for (const [reorder, ordered] of [
      [0, true],
      [0.3, false],
    ] as const) {
      await online({ latencyMs: 1, reorder, reorderMs: [5, 10] }, async ({ simulation, send, arrivals }) => {
        for (let i = 0; i < 50; i++) simulation.at(2 + i, () => send(numbered(i)))
        await simulation.run({ untilMs: 200 })
        const order = arrivals.map(numberOf)
        expect(order).toHaveLength(50)
        expect(order.every((number, at) => number === at)).toBe(ordered)
      })
    }
  })

  it('have a tail of delays where the link jitters, of the mean that is set', async () => {
    await online({ latencyMs: 1, jitterMs: 10 }, async ({ simulation, send, arrivals }) => {
      for (let i = 0; i < 2000; i++) simulation.at(10, () => send(numbered(i)))
      await simulation.run({ untilMs: 2000 })
      const extra = arrivals.map(({ atMs }) => atMs - 11)
      expect(Math.abs(extra.reduce((sum, ms) => sum + ms, 0) / 2000 - 10)).toBeLessThan(1)
      expect(Math.max(...extra)).toBeGreaterThan(40)
      expect(Math.min(...extra)).toBeGreaterThanOrEqual(0)
    })
  })

  it('do not pass a cut, neither those sent nor those under way, and pass again when it is healed', async () => {
    await online({ latencyMs: 5 }, async ({ simulation, send, arrivals }) => {
      simulation.at(10, () => send(numbered(1)))
      simulation.at(12, () => simulation.network.cut('a', 'b'))
      simulation.at(13, () => send(numbered(2)))
      simulation.at(20, () => simulation.network.heal('a', 'b'))
      simulation.at(21, () => send(numbered(3)))
      await simulation.run({ untilMs: 50 })
      expect(arrivals.map(numberOf)).toEqual([3])
    })
  })

  it('pass the other way where a cut is one-way', async () => {
    await online({}, async ({ simulation, send, back, arrivals, returned }) => {
      simulation.network.cut('a', 'b', { oneWay: true })
      send(numbered(1))
      back(numbered(2))
      await simulation.run({ untilMs: 50 })
      expect([arrivals.length, returned.length]).toEqual([0, 1])
      simulation.network.heal()
      send(numbered(3))
      await simulation.run({ untilMs: 100 })
      expect(arrivals.map(numberOf)).toEqual([3])
    })
  })

  it('find a link full, and are lost beyond what it holds', async () => {
    await online({ latencyMs: 5 }, async ({ simulation, send, arrivals }) => {
      for (let i = 0; i < 5000; i++) send(numbered(i))
      await simulation.run({ untilMs: 50 })
      expect(arrivals).toHaveLength(4096)
      send(numbered(1))
      await simulation.run({ untilMs: 100 })
      expect(arrivals).toHaveLength(4097)
    })
  })

  it('obey settings of one link, one way too, until they are taken back', async () => {
    await online({ latencyMs: 1 }, async ({ simulation, send, back, arrivals, returned }) => {
      const { network } = simulation
      network.setLink('a', 'b', { latencyMs: 30 }, { oneWay: true })
      network.setDefaultLink({ loss: 0 })
      const startMs = simulation.nowMs
      send(numbered(1))
      back(numbered(1))
      await simulation.run({ untilMs: 100 })
      expect((arrivals[0] as Arrival).atMs - startMs).toBe(30)
      expect((returned[0] as Arrival).atMs - startMs).toBe(1)
      network.clearLink('a', 'b')
      network.setDefaultLink({ latencyMs: 2 })
      const laterMs = simulation.nowMs
      send(numbered(1))
      await simulation.run({ untilMs: 200 })
      expect((arrivals[1] as Arrival).atMs - laterMs).toBe(2)
    })
  })

  it('to a closed port are lost silently', async () => {
    await inSimulation({}, async (simulation) => {
      const node = simulation.addNode({ name: 'a', host: '10.0.0.1' })
      simulation.addNode({ name: 'b', host: '10.0.0.2' })
      await simulation.play(
        node,
        async (env) => {
          const socket = await value(env.udp.bind({ host: '10.0.0.1', port: 0 }, () => undefined))
          for (const host of ['10.0.0.2', '10.9.9.9', 'nonsense']) socket.send({ host, port: 7 }, new Uint8Array(1))
        },
        100,
      )
      expect((await simulation.run({ untilMs: 200 })).kind).toBe('time')
    })
  })
})
