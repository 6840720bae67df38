import { describe, expect, it } from 'vitest'
import { SharedWaits } from '../../../src/agent/requests/asking/shared-waits.ts'
import { err, ok, type Result } from '../../../src/base/result.ts'
import type { CallOptions } from '../../../src/features/contract/call.ts'
import type { QueryEndpoint } from '../../../src/features/contract/endpoint.ts'
import type { Answer, Consistency, ReadOptions } from '../../../src/features/contract/reading.ts'
import type { Failure } from '../../../src/model/failure.ts'
import { type ModifyIndex, modifyIndexOf } from '../../../src/model/log-position.ts'
import { HandClock, settled } from '../features/hand-clock.ts'

const endpoint = { method: 'Test.Read', kind: 'query' } as QueryEndpoint

function reading(consistency: Consistency = 'default', minIndex = 5, waitMs = 60_000): ReadOptions {
  return { consistency, minIndex: modifyIndexOf(minIndex), waitMs, maxStaleMs: 0, datacenter: '' }
}

/** Another agent that is asked; blocking requests end when the test says so. */
class Elsewhere {
  readonly clock = new HandClock()
  readonly waits = new SharedWaits(this.clock.env)
  /** Index asked beyond, for each request that went out. */
  readonly asked: number[] = []
  readonly ends: ((answer: Result<Answer<unknown>, Failure>) => void)[] = []
  readonly told: string[] = []
  index = 5

  answer(): Answer<unknown> {
    return { value: `v${this.index}`, meta: { index: modifyIndexOf(this.index), knownLeader: true, lastContactMs: 0 } }
  }

  async watch(name: string, read = reading(), options: CallOptions = {}, args: unknown = { key: 'k' }): Promise<void> {
    const ask = (wanted: ReadOptions, call: CallOptions) => this.#ask(wanted, call)
    void this.waits.wait(endpoint, args, read, ask, options).then((result) => {
      this.told.push(`${name} ${result.ok ? result.value.value : result.error.kind}`)
    })
    await settled()
  }

  async #ask(read: ReadOptions, call: CallOptions): Promise<Result<Answer<unknown>, Failure>> {
    this.asked.push(read.minIndex)
    if (read.minIndex === 0) return ok(this.answer())
    return new Promise((resolve) => {
      this.ends.push(resolve)
      call.onAbort?.(() => resolve(err({ kind: 'cancelled' })))
    })
  }

  async end(answer: Result<Answer<unknown>, Failure>): Promise<void> {
    this.ends.at(-1)?.(answer)
    await settled()
  }

  async change(to: number): Promise<void> {
    this.index = to
    await this.end(ok(this.answer()))
  }
}

/** Its value is no property of its own, as in answers that servers keep. */
class MadeHere implements Answer<unknown> {
  readonly #value: string
  readonly meta: Answer<unknown>['meta']
  readonly forms = {
    bytesOf: (_form: string, make: () => Uint8Array) => make(),
    selected: async () => err({ kind: 'bad-request', message: 'unused' } as const),
  }

  constructor(value: string, index: ModifyIndex) {
    this.#value = value
    this.meta = { index, knownLeader: true, lastContactMs: 0 }
  }

  get value(): string {
    return this.#value
  }
}

describe('blocking reads that another agent answers', () => {
  it('are not shared between tokens', async () => {
    const elsewhere = new Elsewhere()
    await elsewhere.watch('a', reading(), { token: 't1' })
    await elsewhere.watch('b', reading(), { token: 't1' })
    await elsewhere.watch('c', reading(), { token: 't2' })
    expect(elsewhere.asked).toEqual([5, 5])
    elsewhere.waits.stop()
  })

  it('are one request for all callers that wait for the same, and one more for the result once it has changed', async () => {
    const elsewhere = new Elsewhere()
    for (const name of ['a', 'b', 'c']) await elsewhere.watch(name)
    await elsewhere.watch('other', reading('default', 6))
    expect([elsewhere.asked, elsewhere.waits.groups]).toEqual([[5, 6], 2])
    elsewhere.index = 7
    elsewhere.ends[0]?.(ok(elsewhere.answer()))
    await settled()
    expect([elsewhere.told, elsewhere.asked]).toEqual([
      ['a v7', 'b v7', 'c v7'],
      [5, 6, 0],
    ])
    expect(elsewhere.waits.groups).toBe(1)
  })

  it('tell one that came late what was written before it came, though the news had been on its way before', async () => {
    const elsewhere = new Elsewhere()
    await elsewhere.watch('early')
    elsewhere.index = 7
    const onItsWay = ok(elsewhere.answer())
    elsewhere.index = 8
    await elsewhere.watch('late')
    await elsewhere.end(onItsWay)
    expect(elsewhere.told).toEqual(['early v8', 'late v8'])
  })

  it('get the news themselves where they may be stale', async () => {
    const elsewhere = new Elsewhere()
    await elsewhere.watch('a', reading('stale'))
    await elsewhere.watch('b', reading('stale'))
    await elsewhere.change(9)
    expect([elsewhere.told, elsewhere.asked]).toEqual([['a v9', 'b v9'], [5]])
  })

  it('end each in its own time, with the result as it is', async () => {
    const elsewhere = new Elsewhere()
    await elsewhere.watch('short', reading('default', 5, 1_000))
    await elsewhere.watch('long', reading('default', 5, 9_000))
    await elsewhere.clock.advance(1_000)
    expect([elsewhere.told, elsewhere.asked]).toEqual([['short v5'], [5, 0]])
    await elsewhere.change(6)
    expect(elsewhere.told).toEqual(['short v5', 'long v6'])
    expect(elsewhere.clock.timers).toBe(0)
  })

  it('wait on when the longest wait has brought nothing', async () => {
    const elsewhere = new Elsewhere()
    await elsewhere.watch('a')
    await elsewhere.change(5)
    expect([elsewhere.told, elsewhere.asked]).toEqual([[], [5, 5]])
    await elsewhere.change(6)
    expect(elsewhere.told).toEqual(['a v6'])
  })

  it('ask again with growing pauses while the other agent answers at once without news', async () => {
    const elsewhere = new Elsewhere()
    const leaves: (() => void)[] = []
    await elsewhere.watch('a', reading('default', 5, 600_000), { onAbort: (use) => leaves.push(use) })
    await elsewhere.change(5)
    await elsewhere.change(5)
    expect(elsewhere.asked.length).toBe(2)
    await elsewhere.clock.advance(1_000)
    await elsewhere.change(5)
    await elsewhere.clock.advance(1_999)
    expect(elsewhere.asked.length).toBe(3)
    await elsewhere.clock.advance(1)
    await elsewhere.change(0)
    leaves[0]?.()
    await settled()
    expect([elsewhere.told, elsewhere.waits.groups, elsewhere.clock.timers]).toEqual([['a cancelled'], 0, 0])
    expect(elsewhere.asked.length).toBe(4)
  })

  it('end the request when the last of them has left, and one that comes then waits for itself', async () => {
    const elsewhere = new Elsewhere()
    const leaves: (() => void)[] = []
    const options: CallOptions = { onAbort: (use) => leaves.push(use) }
    await elsewhere.watch('a', reading(), options)
    await elsewhere.watch('b', reading(), options)
    leaves[0]?.()
    await settled()
    expect([elsewhere.told, elsewhere.waits.groups]).toEqual([['a cancelled'], 1])
    leaves[1]?.()
    await elsewhere.watch('c')
    expect([elsewhere.told, elsewhere.asked]).toEqual([
      ['a cancelled', 'b cancelled'],
      [5, 5],
    ])
    await elsewhere.change(6)
    expect(elsewhere.told.at(-1)).toBe('c v6')
  })

  it('get what this agent has made, where it leads since they began to wait', async () => {
    const elsewhere = new Elsewhere()
    elsewhere.answer = () => new MadeHere(`v${elsewhere.index}`, modifyIndexOf(elsewhere.index))
    await elsewhere.watch('one')
    await elsewhere.watch('stale', reading('stale'))
    await elsewhere.change(6)
    elsewhere.ends[0]?.(ok(elsewhere.answer()))
    await settled()
    expect(elsewhere.told).toEqual(['stale v6', 'one v6'])
  })

  it('all learn of a failure', async () => {
    const elsewhere = new Elsewhere()
    await elsewhere.watch('a')
    await elsewhere.watch('b')
    await elsewhere.end(err({ kind: 'no-leader' }))
    expect([elsewhere.told, elsewhere.waits.groups]).toEqual([['a no-leader', 'b no-leader'], 0])
  })

  it('end when the agent stops, as does each that comes later, and leave no timer', async () => {
    const elsewhere = new Elsewhere()
    await elsewhere.watch('a')
    await elsewhere.watch('b', reading('default', 6))
    elsewhere.waits.stop()
    await settled()
    await elsewhere.watch('c')
    expect(elsewhere.told).toEqual(['a shutting-down', 'b shutting-down', 'c shutting-down'])
    expect([elsewhere.waits.groups, elsewhere.clock.timers, elsewhere.asked]).toEqual([0, 0, [5, 6]])
  })
})
