import { describe, expect, it } from 'vitest'
import { Coordinates } from '../../../sim/checkers/pool/coordinates.ts'
import { DeathDetection, type Watched } from '../../../sim/checkers/pool/death-detection.ts'
import { type Gone, GoneMembers } from '../../../sim/checkers/pool/gone-members.ts'
import { type Claim, Incarnations } from '../../../sim/checkers/pool/incarnations.ts'
import { LocalHealth } from '../../../sim/checkers/pool/local-health.ts'
import { agreementBoundMs, leaveKnownBoundMs, suspectedWithinMs } from '../../../sim/checkers/pool/pool-bounds.ts'
import { lanGossip } from '../../../src/agent/settings/gossip-timing.ts'
import { originCoordinate } from '../../../src/model/coordinate.ts'
import { recorder } from './reports.ts'

const secondUs = 1_000_000
const hourUs = 3_600 * secondUs

describe('incarnations never fall (M3)', () => {
  const held = (before: Claim | undefined, now: Claim): readonly string[] => {
    const { judge, codes } = recorder()
    new Incarnations(judge).held('s1', 'c1', before, now)
    return codes
  }
  const alive = (incarnation: number): Claim => ({ incarnation, state: 'alive' })
  const suspect = (incarnation: number): Claim => ({ incarnation, state: 'suspect' })
  const dead = (incarnation: number): Claim => ({ incarnation, state: 'dead' })

  it.each([
    [undefined, alive(1)],
    [undefined, dead(7)],
    [alive(1), suspect(1)],
    [suspect(1), dead(1)],
    [dead(1), alive(2)],
    [suspect(3), alive(4)],
    [alive(3), alive(2_147_483_648)],
  ])('and %j may become %j', (before, now) => {
    expect(held(before, now)).toEqual([])
  })

  it.each([
    [dead(1), alive(1)],
    [suspect(1), alive(1)],
    [dead(2), suspect(2)],
    [alive(4_294_967_295), alive(0)],
    [dead(5), alive(4)],
    [undefined, alive(2_147_483_649)],
    [undefined, alive(-1)],
    [alive(1), alive(Number.NaN)],
  ])('and %j may not become %j', (before, now) => {
    expect(new Set(held(before, now))).toEqual(new Set(['M3']))
  })
})

describe('a dead member is found dead (M4)', () => {
  const down: Watched = {
    observer: 's1',
    name: 'c1',
    state: 'alive',
    calmSinceUs: 0,
    sinceUs: 0,
    members: 6,
    health: 0,
    timing: lanGossip,
  }
  const look = (seconds: number, watched: Partial<Watched>): readonly string[] => {
    const { judge, lines } = recorder()
    new DeathDetection(judge).look(seconds * secondUs, { ...down, ...watched })
    return lines
  }

  it('within two rounds of probes, and not before they are over', () => {
    expect(look(12, {})).toEqual([])
    expect(look(14, {})).toEqual(['M4: s1 does not suspect c1, which is down, after 13s'])
  })

  it('later where local health is bad', () => {
    expect(look(40, { health: 3 })).toEqual([])
    expect(look(50, { health: 3 })).toHaveLength(1)
  })

  it('and dead when the longest suspicion is over, counted from when it began', () => {
    expect(look(100, { state: 'suspect', sinceUs: 75 * secondUs })).toEqual([])
    expect(look(100, { state: 'suspect', sinceUs: 60 * secondUs })).toEqual([
      'M4: s1 still only suspects c1, which is down, after 28.4s',
    ])
  })

  it('counted from the end of what disturbed the pool', () => {
    expect(look(100, { calmSinceUs: 90 * secondUs })).toEqual([])
  })

  it('in more time in a larger pool', () => {
    expect(suspectedWithinMs(lanGossip, 100, 0)).toBeGreaterThan(suspectedWithinMs(lanGossip, 10, 0))
    expect(agreementBoundMs(lanGossip, 100)).toBeGreaterThan(agreementBoundMs(lanGossip, 10))
  })

  it('and for news of a leave in time for the one that knows it to meet the one that does not', () => {
    const moreMs = (members: number): number =>
      leaveKnownBoundMs(lanGossip, members) - agreementBoundMs(lanGossip, members)
    expect(moreMs(2)).toBeGreaterThan(5 * lanGossip.pushPullIntervalMs)
    expect(moreMs(21)).toBeGreaterThan(19 * moreMs(2))
  })
})

describe('members that are gone (M5)', () => {
  const pool = { timing: lanGossip, members: 3 }
  const failed: Gone = { status: 'failed', goneSinceUs: 0, triedUs: 0 }
  const told = (tell: (checker: GoneMembers) => void): readonly string[] => {
    const { judge, lines } = recorder()
    tell(new GoneMembers(judge))
    return lines
  }

  it('are not contacted when they have left', () => {
    expect(told((gone) => gone.contacted('s1', 'c1', 'ping'))).toEqual(['M5: s1 contacts c1, which has left, by ping'])
  })

  it('are forgotten after 72 hours', () => {
    expect(told((gone) => gone.reaped('s1', 'c1', failed, lanGossip, 72 * hourUs))).toEqual([])
    expect(told((gone) => gone.look('s1', 'c1', { ...failed, triedUs: 72 * hourUs }, pool, 72 * hourUs))).toEqual([])
  })

  it.each([
    [failed, 60 * hourUs, 's1 forgets c1, failed for only 60h'],
    [undefined, 80 * hourUs, 's1 forgets c1, which it does not consider failed or left'],
  ])('not sooner: %j', (gone, atUs, line) => {
    const lines = told((checker) => checker.reaped('s1', 'c1', gone, lanGossip, atUs))
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain(line)
  })

  it('nor much later', () => {
    const gone: Gone = { status: 'left', goneSinceUs: 0, triedUs: 0 }
    expect(told((checker) => checker.look('s1', 'c1', gone, pool, 90 * hourUs))).toEqual([
      'M5: s1 still knows c1, left for 90h0m0s',
    ])
  })

  it('are tried again as long as they are only failed', () => {
    const look = (gone: Gone) => told((checker) => checker.look('s1', 'c1', gone, pool, 2 * hourUs))
    expect(look(failed)).toHaveLength(1)
    expect(look({ ...failed, triedUs: 1.9 * hourUs })).toEqual([])
    expect(look({ ...failed, status: 'left' })).toEqual([])
  })
})

describe('local health (M6)', () => {
  it.each([
    [0, 0],
    [7, 0],
    [8, 1],
    [-1, 1],
    [0.5, 1],
  ])('may be %f: %i times not', (score, count) => {
    const { judge, codes } = recorder()
    new LocalHealth(judge).scored('s1', score)
    expect(codes).toHaveLength(count)
  })
})

describe('coordinates (M7)', () => {
  const vec = originCoordinate.vec
  const settled = (rttSeconds: number, samples: number): readonly string[] => {
    const { judge, codes } = recorder()
    const own = { vec: [0.003, ...vec.slice(1)], error: 0.2, adjustment: 0, height: 0.001 }
    const other = { ...originCoordinate, height: 0.001 }
    new Coordinates(judge).settled('s1', own, [other, other], { samples, rttSeconds, alive: 2 })
    return codes
  }

  it('are numbers within bounds', () => {
    const { judge, codes } = recorder()
    const checker = new Coordinates(judge)
    checker.placed('s1', originCoordinate, 'c1', true)
    checker.placed('s1', { ...originCoordinate, error: 0, adjustment: -0.01 }, 'c1', true)
    expect(codes).toEqual([])
  })

  it.each([
    { ...originCoordinate, vec: [Number.NaN, ...vec.slice(1)] },
    { ...originCoordinate, vec: vec.slice(1) },
    { ...originCoordinate, error: 1.6 },
    { ...originCoordinate, error: -0.1 },
    { ...originCoordinate, adjustment: 11 },
    { ...originCoordinate, height: 0 },
  ])('and not %j', (own) => {
    const { judge, codes } = recorder()
    new Coordinates(judge).placed('s1', own, 'c1', true)
    expect(codes).toEqual(['M7'])
  })

  it('tell times, once they have settled', () => {
    expect(settled(0.005, 100)).toEqual([])
    expect(settled(0.05, 100)).toEqual(['M7'])
    expect(settled(0.05, 10)).toEqual([])
  })

  it('state an error that has fallen, once they have settled', () => {
    const { judge, lines } = recorder()
    const checker = new Coordinates(judge)
    const other = { ...originCoordinate, height: 0.001 }
    const stated = (...errors: readonly number[]): void => {
      const places = errors.map((error) => ({ ...other, vec: [0.003, ...vec.slice(1)], error }))
      for (const place of places) checker.placed('s1', place, 'c1', true)
      const own = places.at(-1) ?? other
      checker.settled('s1', own, [other], { samples: 100, rttSeconds: 0.005, alive: 1 })
    }
    // One measurement of a network with very different times makes it rise again.
    stated(1.5, 1, 1.2)
    expect(lines).toEqual([])
    checker.began('s1')
    stated(1.5, 1.2, 1.4)
    expect(lines).toEqual(['M7: s1 has never stated an error below 1.20, after 100 answered pings'])
  })

  it.each([
    [2, 0, 100, ['M7']],
    [2, 1, 100, []],
    [0, 0, 100, []],
    [2, 0, 10, []],
  ])('of %i others are kept, and not of %i after %i pings', (alive, kept, samples, expected) => {
    const { judge, codes } = recorder()
    const here = { ...originCoordinate, error: 0.5, height: 0.001 }
    const others = Array.from({ length: kept }, () => here)
    new Coordinates(judge).settled('s1', here, others, { samples, rttSeconds: 0.002, alive })
    expect(codes).toEqual(expected)
  })

  it('tell those to one in three, for in a small pool all may stand on one line (scenarios/ca-federation.yaml, seed 10)', () => {
    const on = (place: number, height: number, adjustment: number) => ({
      vec: [place, ...vec.slice(1)],
      error: 0.5,
      adjustment,
      height,
    })
    const others = [on(0.0055, 0.0022, -0.0019), on(0.0176, 0.0001, -0.0021), on(0.0116, 0.0007, -0.0011)]
    const wrongFor = (own: ReturnType<typeof on>): readonly string[] => {
      const { judge, codes } = recorder()
      new Coordinates(judge).settled('s3', own, others, { samples: 140, rttSeconds: 0.006, alive: 3 })
      return codes
    }
    expect(wrongFor(on(0.003, 0.0078, -0.0033))).toEqual([])
    expect(wrongFor(on(0.03, 0.0078, -0.0033))).toEqual(['M7'])
  })
})
