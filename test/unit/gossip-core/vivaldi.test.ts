import { describe, expect, it } from 'vitest'
import { Vivaldi } from '../../../src/gossip/core/vivaldi.ts'
import { decodeCoordinate, encodeCoordinate } from '../../../src/gossip/wire/coordinate-payload.ts'
import {
  distanceBetween,
  isCoordinate,
  originCoordinate,
  rawDistance,
  sortedByDistance,
} from '../../../src/model/coordinate.ts'
import { Dice } from '../../tools/dice.ts'
import { addressOf, Subject } from './subject.ts'

/** Members on a grid whose true round-trip times are the distances between them and what the last mile takes. */
function settled(
  rounds: number,
  seed = 1,
): { median: number; nodes: Vivaldi[]; rtt: (a: number, b: number) => number } {
  const dice = new Dice(seed)
  const places = Array.from({ length: 9 }, (_, n) => ({ x: (n % 3) * 0.02, y: Math.floor(n / 3) * 0.03 }))
  const nodes = places.map(() => new Vivaldi())
  const rtt = (a: number, b: number): number => {
    const [one, other] = [places[a], places[b]] as [{ x: number; y: number }, { x: number; y: number }]
    return Math.hypot(one.x - other.x, one.y - other.y) + 0.004
  }
  for (let round = 0; round < rounds; round++) {
    for (const [at, node] of nodes.entries()) {
      const to = dice.below(nodes.length)
      // A message in fifty is held up for a while.
      const late = dice.below(50) === 0 ? 0.1 : 0
      if (to !== at) node.learn(String(to), (nodes[to] as Vivaldi).own, rtt(at, to) + late, dice)
      expect(isCoordinate(node.own)).toBe(true)
      expect(node.own.error).toBeGreaterThanOrEqual(0)
      expect(node.own.error).toBeLessThanOrEqual(1.5)
    }
  }
  const errors: number[] = []
  for (let a = 0; a < nodes.length; a++) {
    for (let b = 0; b < a; b++) {
      const estimate = distanceBetween((nodes[a] as Vivaldi).own, (nodes[b] as Vivaldi).own)
      errors.push(Math.abs(estimate - rtt(a, b)) / rtt(a, b))
    }
  }
  errors.sort((a, b) => a - b)
  return { median: errors[Math.floor(errors.length / 2)] ?? 0, nodes, rtt }
}

/**
 * Four members equally far from one another: how wrong the worst is about the one it knows best, as a share of the
 * time.
 */
function worstOfFour(seed: number): number {
  const dice = new Dice(seed)
  const nodes = Array.from({ length: 4 }, () => new Vivaldi())
  for (let round = 0; round < 130; round++) {
    for (const [at, node] of nodes.entries()) {
      const to = (at + 1 + dice.below(3)) % 4
      const rttSeconds = 0.002 + (dice.below(4001) + dice.below(4001)) / 1e6
      node.learn(String(to), (nodes[to] as Vivaldi).own, rttSeconds, dice)
    }
  }
  const wrongBy = (a: Vivaldi, b: Vivaldi): number => Math.abs(distanceBetween(a.own, b.own) - 0.006) / 0.006
  return Math.max(...nodes.map((a) => Math.min(...nodes.filter((b) => b !== a).map((b) => wrongBy(a, b)))))
}

describe('coordinates', () => {
  it('come to tell the round-trip times between members, though some messages are held up', () => {
    for (const seed of [1, 2, 3]) {
      const { median } = settled(400, seed)
      expect(median).toBeLessThan(settled(3, seed).median / 2)
      expect(median).toBeLessThan(0.2)
    }
  })

  it('are the same for the same measurements', () => {
    expect(settled(50).nodes.map(({ own }) => own)).toEqual(settled(50).nodes.map(({ own }) => own))
  })

  it('take the middle of three times to one member', () => {
    const [steady, spiked] = [new Vivaldi(), new Vivaldi()]
    const other = { ...originCoordinate, error: 0.1 }
    for (let n = 0; n < 40; n++) {
      steady.learn('a', other, 0.01, new Dice(1))
      spiked.learn('a', other, n % 3 === 2 ? 2 : 0.01, new Dice(1))
    }
    expect(distanceBetween(spiked.own, other)).toBeCloseTo(distanceBetween(steady.own, other), 1)
    expect(distanceBetween(spiked.own, other)).toBeLessThan(0.05)
  })

  it('move by no more than what was measured, though the other is all but at the same place (scenarios/ca-federation.yaml, seed 34)', () => {
    const own = new Vivaldi()
    const near = (microseconds: number) => own.own.vec.map((value, at) => value + (at === 0 ? microseconds / 1e6 : 0))
    const height = 0.00001
    for (let n = 0; n < 30; n++) own.learn('a', { ...originCoordinate, vec: near(6_000), height }, 0.006, new Dice(n))
    const before = own.own.height
    own.learn('b', { ...originCoordinate, vec: near(1.5), height: 0.005, error: 0.3 }, 0.0077, new Dice(1))
    expect(own.own.height).toBeGreaterThan(before)
    expect(own.own.height).toBeLessThan(before + 0.0077)
  })

  it('tell times in a pool of few, where all may come to stand on one line', () => {
    for (let seed = 1; seed <= 200; seed++) expect(worstOfFour(seed), `seed ${seed}`).toBeLessThan(0.8)
  })

  it('are adjusted by half the mean of what the space did not express in the last twenty times', () => {
    const own = new Vivaldi()
    const other = { ...originCoordinate, error: 0.1 }
    own.learn('a', other, 0.01, new Dice(1))
    const missed = 0.01 - rawDistance(own.own, other)
    expect(missed).toBeGreaterThan(0.001)
    expect(own.own.adjustment).toBeCloseTo(missed / 40, 6)
  })

  it('do not move by what cannot be', () => {
    const own = new Vivaldi()
    const dice = new Dice(1)
    expect(own.learn('a', originCoordinate, -1, dice)).toBe(false)
    expect(own.learn('a', originCoordinate, 11, dice)).toBe(false)
    expect(own.learn('a', originCoordinate, Number.NaN, dice)).toBe(false)
    expect(own.learn('a', { ...originCoordinate, vec: [1] }, 0.1, dice)).toBe(false)
    expect(own.learn('a', { ...originCoordinate, height: Number.NaN }, 0.1, dice)).toBe(false)
    expect(own.learn('a', { ...originCoordinate, vec: [11, 0, 0, 0, 0, 0, 0, 0] }, 0.1, dice)).toBe(false)
    expect(own.learn('a', { ...originCoordinate, height: 1e308 }, 0.1, dice)).toBe(false)
    expect(own.learn('a', { ...originCoordinate, adjustment: -11 }, 0.1, dice)).toBe(false)
    expect(own.learn('a', { ...originCoordinate, error: -1 }, 0.1, dice)).toBe(false)
    expect(own.own).toEqual(originCoordinate)
  })

  it('begin anew when no member could be there, however others push', () => {
    const own = new Vivaldi()
    const dice = new Dice(1)
    for (const x of [5, -4]) {
      const other = { ...originCoordinate, error: 0, vec: [x, 0, 0, 0, 0, 0, 0, 0] }
      for (let pings = 0; pings < 100; pings++) {
        expect(own.learn(`at ${x}`, other, 10, dice)).toBe(true)
        expect(distanceBetween(originCoordinate, { ...own.own, adjustment: 0 })).toBeLessThan(10.1)
      }
    }
    expect(own.resets).toBeGreaterThan(0)
  })

  it('sort what is nearer first and what is unknown last', () => {
    const at = (x: number) => ({ ...originCoordinate, vec: [x, 0, 0, 0, 0, 0, 0, 0] })
    const places = new Map([
      ['far', at(3)],
      ['near', at(1)],
      ['same', at(1)],
    ])
    const sorted = sortedByDistance(['far', 'unknown', 'same', 'near'], at(0), (name) => places.get(name))
    expect(sorted).toEqual(['same', 'near', 'far', 'unknown'])
    expect(sortedByDistance(['far', 'near'], undefined, (name) => places.get(name))).toEqual(['far', 'near'])
  })
})

describe('an ack', () => {
  const form = { encode: encodeCoordinate, decode: decodeCoordinate }

  it('carries the coordinate in the form of the field, and it comes back as it went', () => {
    const some = { vec: [0.1, -2, 0, 0, 0, 0, 0, 1e-9], error: 0.25, adjustment: -0.001, height: 0.00001 }
    const bytes = encodeCoordinate(some)
    expect(bytes.length).toBe(130)
    expect(bytes[0]).toBe(1)
    expect(decodeCoordinate(bytes)).toEqual(some)
    for (let length = 0; length < bytes.length; length++)
      expect(decodeCoordinate(bytes.subarray(0, length))).toBe(undefined)
    expect(decodeCoordinate(Uint8Array.from([2, ...bytes.subarray(1)]))).toBe(undefined)
  })

  it('moves the asking member, if the answer comes directly and in time', () => {
    const me = new Subject({ coordinates: form }).know('a')
    me.fire('probe')
    const [ping] = me.of('send').flatMap(({ messages }) => messages)
    if (ping?.kind !== 'ping') throw new Error('no ping')
    me.nowMs += 20
    const payload = encodeCoordinate({ ...originCoordinate, error: 0.5 })
    me.hear({ kind: 'ack', sequence: ping.sequence, payload })
    expect(me.core.vivaldi.own).not.toEqual(originCoordinate)
    expect(me.core.coordinates.get('a')).toMatchObject({ error: 0.5 })
  })

  it('that came by way of others, or holds nonsense, moves no member', () => {
    const me = new Subject({ coordinates: form }).know('a', 'b')
    me.fire('probe')
    const [ping] = me.of('send').flatMap(({ messages }) => messages)
    if (ping?.kind !== 'ping') throw new Error('no ping')
    me.fire('probe')
    me.hear({ kind: 'ack', sequence: ping.sequence, payload: encodeCoordinate(originCoordinate) })
    expect(me.core.vivaldi.own).toEqual(originCoordinate)
    me.fire('probe')
    const [next] = me.of('send').flatMap(({ messages }) => messages)
    if (next?.kind !== 'ping') throw new Error('no ping')
    me.hear({ kind: 'ack', sequence: next.sequence, payload: new Uint8Array([1, 2, 3]) })
    expect([me.core.vivaldi.own, me.counted('serf.coordinate.rejected')]).toEqual([originCoordinate, 1])
  })

  it('answers a ping with the own coordinate', () => {
    const me = new Subject({ coordinates: form })
    me.hear({ kind: 'ping', sequence: 1, node: 'me' })
    const [answer] = me.of('send')
    expect(answer?.to).toEqual(addressOf('sender'))
    expect(answer?.messages[0]).toEqual({ kind: 'ack', sequence: 1, payload: encodeCoordinate(originCoordinate) })
  })
})
