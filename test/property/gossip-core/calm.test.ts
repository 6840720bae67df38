import { describe, expect, it } from 'vitest'
import { suspicionMaxMult, suspicionMinMs } from '../../../src/gossip/core/scaling.ts'
import { type Agent, worldTiming } from './agent.ts'
import { settle } from './agreement.ts'
import { World } from './world.ts'

const seeds = process.env['SVC_TEST_LONG'] === '1' ? 300 : 6

/** A pool in which all members know each other. */
function pool(seed: number, size: number): World {
  const world = new World(seed)
  for (let i = 0; i < size; i++) world.keepJoining(world.start(`n${i}`))
  world.runFor(2_000)
  settle(world, 30_000)
  world.runFor(world.dice.between(0, 20_000))
  for (const agent of world.agents.values()) agent.changes.length = 0
  return world
}

function sizeFor(seed: number): number {
  return 2 + (seed % 11)
}

function agent(world: World, name: string): Agent {
  const found = world.agents.get(name)
  if (found === undefined) throw new Error(`no agent ${name}`)
  return found
}

function kinds(observer: Agent): string[] {
  return observer.changes.map(({ kind, member }) => `${kind} ${member.name}`)
}

describe('a pool whose network is well', () => {
  it('[MEM-001] [MEM-004] is joined through any one member, after which all know of all', () => {
    // Gossip takes a few rounds. Full exchanges alone would bring the news as well, but they come every ten seconds.
    const soonMs = 10 * worldTiming.gossipIntervalMs
    let soon = 0
    for (let seed = 1; seed <= seeds; seed++) {
      const world = pool(seed, sizeFor(seed))
      const through = world.dice.pick(world.running())
      const joiner = world.start('joiner')
      world.join(joiner, through)
      if (settle(world, 20_000) <= soonMs) soon++
    }
    expect(soon).toBeGreaterThan(seeds * 0.8)
  })

  it('never finds a member failed, and sends nothing but probes and exchanges when there is no news', () => {
    for (let seed = 1; seed <= seeds; seed++) {
      const world = pool(seed, sizeFor(seed))
      world.runFor(10_000)
      const before = world.packets
      world.runFor(100_000)
      for (const observer of world.running()) expect(kinds(observer)).toEqual([])
      // A ping and its answer for each agent in each second.
      expect(world.packets - before).toBeLessThanOrEqual(sizeFor(seed) * 2 * 101)
    }
  })

  it('[MEM-006] [MEM-012] finds out that a member was killed within the bound of SWIM and Lifeguard, at every member', () => {
    for (let seed = 1; seed <= seeds; seed++) {
      const size = sizeFor(seed)
      const world = pool(seed, size)
      const victim = world.dice.pick(world.running())
      world.crash(victim)
      const { probeIntervalMs, suspicionMult, gossipIntervalMs } = worldTiming
      const firstSuspicionMs = (2 * (size - 1) + 1) * probeIntervalMs
      const longestMs = suspicionMaxMult * suspicionMinMs(suspicionMult, size, probeIntervalMs)
      world.runFor(firstSuspicionMs + longestMs + 20 * gossipIntervalMs)
      for (const observer of world.running()) expect(kinds(observer)).toEqual([`failed ${victim.name}`])
    }
  })

  it('[MEM-005] [MEM-009] learns of a graceful exit as leaving, never as failure', () => {
    for (let seed = 1; seed <= seeds; seed++) {
      const world = pool(seed, sizeFor(seed))
      const leaver = world.dice.pick(world.running())
      world.step(leaver, { kind: 'leave-requested' })
      world.runFor(20_000)
      expect(leaver.isRunning).toBe(false)
      world.runFor(60_000)
      for (const observer of world.running()) expect(kinds(observer)).toEqual([`left ${leaver.name}`])
    }
  })

  it('[MEM-015] takes a failed member back when it can be reached again, by trying to reconnect', () => {
    for (let seed = 1; seed <= seeds; seed++) {
      const world = pool(seed, 2 + sizeFor(seed))
      const isolated = agent(world, 'n0')
      world.divide(({ name }) => (name === 'n0' ? 1 : 0))
      // The isolated one blames itself as well, and probes slowly (Lifeguard, section 4.A).
      world.runFor(300_000)
      expect(isolated.core.members.get('n1')?.status).toBe('failed')
      world.heal()
      expect(settle(world, 90_000)).toBeLessThanOrEqual(90_000)
      const observer = agent(world, 'n1')
      expect(kinds(observer)).toEqual(['failed n0', 'joined n0'])
    }
  })

  it('believes one that slept too little to be buried, and one that slept long declares no member dead when it wakes', () => {
    for (let seed = 1; seed <= seeds; seed++) {
      const world = pool(seed, 1 + sizeFor(seed))
      const sleeper = world.dice.pick(world.running())
      world.pause(sleeper)
      world.runFor(world.dice.between(1_000, 60_000))
      world.wake(sleeper)
      settle(world, 60_000)
      expect(kinds(sleeper).filter((text) => text.startsWith('failed'))).toEqual([])
    }
  })

  it('forgets the failed and the left each after its time', () => {
    const world = new World(3, { ...worldTiming, reconnectTimeoutMs: 200_000, tombstoneTimeoutMs: 100_000 })
    for (const name of ['a', 'b', 'c', 'd']) world.keepJoining(world.start(name))
    world.runFor(20_000)
    world.crash(agent(world, 'c'))
    world.step(agent(world, 'd'), { kind: 'leave-requested' })
    world.runFor(90_000)
    const observer = agent(world, 'a')
    expect([...observer.core.members.keys()].sort()).toEqual(['a', 'b', 'c', 'd'])
    world.runFor(60_000)
    expect([...observer.core.members.keys()].sort()).toEqual(['a', 'b', 'c'])
    world.runFor(120_000)
    expect([...observer.core.members.keys()].sort()).toEqual(['a', 'b'])
    expect(kinds(observer).slice(-2)).toEqual(['reaped d', 'reaped c'])
  })
})
