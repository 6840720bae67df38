import { expect, it } from 'vitest'
import { HostileMember } from '../../../sim/workload/hostile-members.ts'
import { incarnationMax, lamportMax } from '../../../src/gossip/core/bounds.ts'
import type { Message } from '../../../src/gossip/core/messages.ts'
import { decodeCoordinate } from '../../../src/gossip/wire/coordinate-payload.ts'
import { PacketEncoder } from '../../../src/gossip/wire/packet.ts'
import { decodePacket } from '../../../src/gossip/wire/packet-decoder.ts'
import { isCoordinate } from '../../../src/model/coordinate.ts'
import { inSimulation } from '../sim-world/in-simulation.ts'

const agent = { host: '10.0.0.1', port: 8301 }
const stranger = { host: '10.0.0.9', port: 8301 }

/** What an agent hears in a minute from a hostile member that it pings ten times a second, until that stops. */
function heard() {
  return inSimulation({}, async (simulation) => {
    const messages: Message[] = []
    const told: string[] = []
    let unreadable = 0
    let hostile: HostileMember | undefined
    simulation.addNode({ name: 'a1', host: agent.host }).boot(async (env) => {
      const bound = await env.udp.bind(agent, (_, bytes) => {
        const packet = decodePacket(bytes)
        if (packet.ok) messages.push(...packet.value.messages)
        if (!packet.ok || packet.value.malformed > 0) unreadable++
      })
      if (!bound.ok) throw new Error('the port is taken')
      const [ping = new Uint8Array()] = new PacketEncoder().encode([{ kind: 'ping', sequence: 7, node: 'x' }], {
        budget: 1_400,
        checksum: true,
      })
      const again = (): void => {
        bound.value.send(stranger, ping)
        env.timers.after(100, again)
      }
      again()
    })
    simulation.addNode({ name: 'stranger', host: stranger.host }).boot((env) => {
      hostile = new HostileMember(
        env,
        stranger.host,
        { name: 'x', everyMs: { min: 50, max: 150 } },
        {
          decisions: simulation.decisions,
          agents: () => [{ name: 'a1', address: agent }],
          cameOrWent: (what) => void told.push(what),
        },
      )
      hostile.start()
      env.timers.after(50_000, () => hostile?.stop())
    })
    await simulation.run({ untilMs: 55_000 })
    const count = messages.length
    await simulation.run({ untilMs: 60_000 })
    return { messages, told, unreadable, later: messages.length - count }
  })
}

it('a hostile member answers pings with places that are none, says what no member may, and garbles packets, until it stops', async () => {
  const { messages, told, unreadable, later } = await heard()
  const acks = messages.filter((message) => message.kind === 'ack' && message.sequence === 7)
  const places = acks.map((ack) => ('payload' in ack ? decodeCoordinate(ack.payload) : undefined))
  expect(acks.length).toBeGreaterThan(300)
  expect(places.some((place) => place !== undefined && !isCoordinate(place))).toBe(true)
  const kinds = new Set(messages.map(({ kind }) => kind))
  for (const kind of [
    'alive',
    'suspect',
    'dead',
    'relay',
    'query',
    'user-event',
    'leave-intent',
    'indirect-ping',
  ] as const) {
    expect(kinds, kind).toContain(kind)
  }
  expect(messages.some((message) => 'incarnation' in message && message.incarnation > incarnationMax)).toBe(true)
  expect(messages.some((message) => 'lamport' in message && message.lamport > lamportMax)).toBe(true)
  expect(unreadable).toBeGreaterThan(0)
  expect([told, later]).toEqual([['stranger came', 'stranger went'], 0])
})

it('and claims no death that others would have to believe', async () => {
  const { messages } = await heard()
  const deaths = messages.flatMap((message) => (message.kind === 'dead' ? [message.incarnation] : []))
  expect(deaths.length).toBeGreaterThan(10)
  expect(deaths.filter((incarnation) => incarnation <= incarnationMax)).toEqual([])
})
