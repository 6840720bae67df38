import { describe, expect, it } from 'vitest'
import { settle } from './agreement.ts'
import { quiet, troubledWorld } from './swarm.ts'
import { longestReplayMs } from './world.ts'

const seeds = process.env['SVC_TEST_LONG'] === '1' ? 2_000 : 60

/** Suspicion at its longest, then exchanges and reconnects, which are drawn at random. */
const boundMs = 120_000

describe('a pool in trouble', () => {
  it('[MEM-002] comes to one view of who is there once the trouble ends, and keeps it', () => {
    for (let seed = 1; seed <= seeds; seed++) {
      const { world, profile } = troubledWorld(seed)
      quiet(world)
      // Packets that come again late are trouble, too.
      if (profile.replay > 0) world.runFor(longestReplayMs)
      try {
        expect(settle(world, boundMs)).toBeLessThanOrEqual(boundMs)
        world.runFor(30_000)
        expect(settle(world, 0)).toBe(0)
      } catch (error) {
        throw new Error(`seed ${seed}, ${JSON.stringify(profile)}`, { cause: error })
      }
    }
  })
})
