import { describe, expect, it } from 'vitest'
import { soundCore } from './sound-core.ts'
import { failureOf, type Outcome, World } from './world.ts'

const seeds = process.env['SVC_TEST_LONG'] === '1' ? 5000 : 60

describe(`a cluster of cores under faults, ${seeds} seeds`, () => {
  it('keeps every law of consensus, makes progress once faults stop, and sees rare states on the way', () => {
    const outcomes: Outcome[] = []
    for (let seed = 1; seed <= seeds; seed++) {
      const world = new World(soundCore, seed)
      try {
        outcomes.push(world.play())
      } catch (cause) {
        throw new Error(`seed ${seed}, swarm ${JSON.stringify(world.swarm)}`, { cause })
      }
    }
    const sum = (count: (outcome: Outcome) => number): number => outcomes.reduce((all, one) => all + count(one), 0)
    expect(sum((outcome) => outcome.elections)).toBeGreaterThan(seeds)
    expect(sum((outcome) => outcome.acknowledged)).toBeGreaterThan(20 * seeds)
    expect(sum((outcome) => outcome.installs)).toBeGreaterThan(seeds / 15)
    expect(sum((outcome) => outcome.changes)).toBeGreaterThan(seeds)
    expect(sum((outcome) => outcome.reads)).toBeGreaterThan(5 * seeds)
    expect(sum((outcome) => outcome.transfers)).toBeGreaterThan(seeds / 15)
  })

  it('plays a seed the same way each time', () => {
    for (const seed of [3, 14, 159]) {
      expect(new World(soundCore, seed).play()).toEqual(new World(soundCore, seed).play())
    }
  })

  it('costs at most one heartbeat and one answer per follower and tick at rest, and three messages per proposal', () => {
    const calm = {
      voters: 5,
      spares: 0,
      heartbeatTimeoutMs: 1000,
      leaderLeaseMs: 500,
      delayMs: 1,
      odd: 'none',
      loss: 0,
      duplication: 0,
      slowTail: 0,
      syncMs: 1,
      crashMeanMs: Number.POSITIVE_INFINITY,
      cutMeanMs: Number.POSITIVE_INFINITY,
      pauseMeanMs: Number.POSITIVE_INFINITY,
      changeMeanMs: Number.POSITIVE_INFINITY,
      transferMeanMs: Number.POSITIVE_INFINITY,
      readMeanMs: Number.POSITIVE_INFINITY,
      snapshotEvery: Number.POSITIVE_INFINITY,
      proposalMeanMs: Number.POSITIVE_INFINITY,
      trigger: 'none',
      durationMs: 20_000,
    } as const
    const rest = new World(soundCore, 1, calm)
    rest.play()
    const seconds = rest.now() / 1000
    // Four followers, ten ticks a second at most, a request and an answer each.
    expect(rest.messages / seconds).toBeLessThan(80)
    const busy = new World(soundCore, 1, { ...calm, proposalMeanMs: 100, appendEntriesMax: 8 })
    const outcome = busy.play()
    // An append, its answer, and a notice of the commit for each follower; fewer where they share or spare a heartbeat.
    expect((outcome.messages - rest.messages) / outcome.acknowledged).toBeLessThan(4 * 3)
  })
})

describe('failureOf', () => {
  it('finds nothing in the sound core', () => {
    expect(failureOf(soundCore, 1)).toBeUndefined()
  })
})
