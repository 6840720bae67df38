import { describe, expect, it } from 'vitest'
import { Dispatch } from '../../../src/agent/requests/serving/dispatch.ts'
import { Wakes, wokenAtOnceMax, wokenInSliceMax } from '../../../src/agent/requests/serving/wakes.ts'
import type { Env } from '../../../src/env/env.ts'
import { kvFeature } from '../../../src/features/kv/feature.ts'
import { modifyIndexOf } from '../../../src/model/log-position.ts'
import type { Raft } from '../../../src/raft/raft.ts'
import { HandClock, settled } from '../features/hand-clock.ts'
import { LoneServer } from '../features/lone-server.ts'

/** Timers that a test fires one by one, and a clock that a woken read moves. */
class Rounds {
  nowMs = 0
  readonly woken: number[] = []
  /** Number of reads woken in each round so far. */
  readonly sizes: number[] = []
  readonly #due: (() => void)[] = []
  readonly env = {
    clock: { monoMs: () => this.nowMs },
    timers: {
      after: (_delayMs: number, fire: () => void) => {
        this.#due.push(fire)
        return { close: () => undefined }
      },
    },
  } as unknown as Env

  /** Fires the timers that are due, one after the other; the woken reads continue between two of them. */
  run(msEach = 0): void {
    for (let fire = this.#due.shift(); fire !== undefined; fire = this.#due.shift()) {
      const before = this.woken.length
      fire()
      this.sizes.push(this.woken.length - before)
      this.nowMs += msEach * (this.woken.length - before)
    }
  }
}

const upTo = (count: number) => Array.from({ length: count }, (_, at) => at)

function added(rounds: Rounds, wakes: Wakes, count: number): void {
  for (const at of upTo(count)) wakes.add(() => rounds.woken.push(at))
}

describe('waiting reads that a change wakes', () => {
  it('wake at once while they are few, and otherwise in bounded slices, all in their order', () => {
    const rounds = new Rounds()
    const wakes = new Wakes({ env: rounds.env, batch: () => modifyIndexOf(7) })
    added(rounds, wakes, 1_000)
    expect(rounds.woken).toEqual(upTo(wokenAtOnceMax))
    rounds.run()
    expect(rounds.woken).toEqual(upTo(1_000))
    expect(Math.max(...rounds.sizes)).toBe(wokenInSliceMax)
    expect(rounds.sizes.length).toBeGreaterThan(1_000 / wokenInSliceMax)
  })

  it('wake in smaller slices when a round of the loop takes long', () => {
    const rounds = new Rounds()
    const wakes = new Wakes({ env: rounds.env, batch: () => modifyIndexOf(7) })
    added(rounds, wakes, 1_000)
    rounds.run(0.5)
    expect(rounds.woken).toEqual(upTo(1_000))
    // Eight reads of half a millisecond are four milliseconds.
    expect(rounds.sizes.slice(1, -1).filter((size) => size > 8)).toEqual([])
  })

  it('wake at once again with the next batch, unless others still wait for their turn', () => {
    const rounds = new Rounds()
    let batch = 1
    const wakes = new Wakes({ env: rounds.env, batch: () => modifyIndexOf(batch) })
    added(rounds, wakes, wokenAtOnceMax + 1)
    batch = 2
    added(rounds, wakes, 1)
    expect(rounds.woken).toHaveLength(wokenAtOnceMax)
    rounds.run()
    batch = 3
    added(rounds, wakes, 1)
    expect(rounds.woken.slice(wokenAtOnceMax)).toEqual([wokenAtOnceMax, 0, 0])
  })
})

describe('the writer of a key that many reads wait for', () => {
  it('is answered before all but a few of them are evaluated, and each is evaluated once it is its turn', async () => {
    const clock = new HandClock()
    const server = new LoneServer(clock.env)
    await server.request('PUT', '/v1/kv/hot', 'x')
    const raft = { ...server.context.raft, hasCaughtUp: () => true } as unknown as Raft
    const dispatch = new Dispatch({ ...server.context, raft }, server.state.store, kvFeature.endpoints ?? [])
    const minIndex = modifyIndexOf(server.index)
    const read = { consistency: 'stale', minIndex, waitMs: 60_000, maxStaleMs: 0, datacenter: '' } as const
    const order: string[] = []
    for (const at of upTo(200)) {
      const asked = dispatch.serve('KV.Get', { args: { key: 'hot' }, read }, {})
      void asked.then(() => order.push(`watcher ${at}`))
    }
    await settled()
    await server.request('PUT', '/v1/kv/hot', 'y').then(() => order.push('writer'))
    await settled()
    expect(order.indexOf('writer')).toBeLessThanOrEqual(wokenAtOnceMax)
    expect(order.length).toBe(wokenAtOnceMax + 1)
    await clock.advance(0)
    expect(order.filter((name) => name !== 'writer')).toEqual(upTo(200).map((at) => `watcher ${at}`))
  })
})
