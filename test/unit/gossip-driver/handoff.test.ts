import { beforeEach, describe, expect, it } from 'vitest'
import type { Message } from '../../../src/gossip/core/messages.ts'
import { Handoff } from '../../../src/gossip/driver/handoff.ts'
import { ManualWorld } from './manual-world.ts'

const from = { host: '10.0.0.2', port: 8301 }
const ping = (sequence: number): Message => ({ kind: 'ping', sequence, node: 'b' })
const suspects = (count: number, first = 0): Message[] =>
  Array.from({ length: count }, (_, n) => ({ kind: 'suspect', incarnation: first + n, node: 'c', from: 'a' }))

let world: ManualWorld
let taken: Message[]
let handoff: Handoff
beforeEach(() => {
  world = new ManualWorld()
  taken = []
  handoff = new Handoff(world, (_, messages) => taken.push(...messages))
})

describe('messages of packets', () => {
  it('are taken at once, in their order, as long as they are not too many', () => {
    const messages = [ping(1), ...suspects(200)]
    handoff.take(from, messages)
    expect(taken).toEqual(messages)
    expect(world.pending).toBe(0)
  })

  it('wait in their order where they are too many, and half of a core is what they get', () => {
    for (let packet = 0; packet < 4; packet++) handoff.take(from, suspects(250, 250 * packet))
    expect(taken).toHaveLength(500)
    world.wait(1_000)
    expect(taken).toEqual(suspects(1_000))
    expect(world.pending).toBe(0)
    for (let ms = 0; ms < 1_000; ms++) {
      handoff.take(from, suspects(250))
      world.wait(1)
    }
    expect(taken.length).toBeLessThan(1_000 + 1_000 * 16 + 256 + 250)
    expect(world.counts.get('gossip.dropped.handoff')).toBeGreaterThan(200_000)
  })

  it('that probe or acknowledge wait for no others', () => {
    for (let packet = 0; packet < 20; packet++) handoff.take(from, suspects(250))
    const before = taken.length
    const ack: Message = { kind: 'ack', sequence: 5, payload: new Uint8Array(0) }
    handoff.take(from, [ping(1), ...suspects(3), ack])
    expect(taken.slice(before)).toEqual([ping(1), ack])
  })

  it('that are no probes are taken again soon after a flood of acknowledgements', () => {
    const acks = Array.from({ length: 255 }, (): Message => ({ kind: 'ack', sequence: 5, payload: new Uint8Array(0) }))
    for (let ms = 0; ms < 10_000; ms++) {
      handoff.take(from, acks)
      world.wait(1)
    }
    taken.length = 0
    handoff.take(from, suspects(10))
    world.wait(100)
    expect(taken).toEqual(suspects(10))
  })

  it('that want an answer are no more than 8 of a packet', () => {
    handoff.take(from, [...Array.from({ length: 255 }, (_, n) => ping(n))])
    expect(taken).toEqual([0, 1, 2, 3, 4, 5, 6, 7].map(ping))
    expect(world.counts.get('gossip.dropped.probe')).toBe(247)
  })

  it('are forgotten when all stops', () => {
    for (let packet = 0; packet < 4; packet++) handoff.take(from, suspects(250))
    const before = taken.length
    handoff.stop()
    world.wait(1_000)
    expect([taken.length, world.pending]).toEqual([before, 0])
  })
})
