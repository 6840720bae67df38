import { beforeEach, describe, expect, it } from 'vitest'
import { SourceBudgets } from '../../../src/gossip/driver/source-budgets.ts'
import { StreamWork } from '../../../src/gossip/driver/stream-work.ts'
import { WorkBudget } from '../../../src/gossip/driver/work-budget.ts'
import type { Sliced } from '../../../src/gossip/wire/sliced.ts'
import { ManualWorld } from './manual-world.ts'

/** As the budgets have them: what one turn may cost, and what a source may use at once. */
const turnWork = 64 << 10
const burstWork = 32 << 20
const sliceWork = 32 << 10

let world: ManualWorld
let work: StreamWork
let done: string[]
let spent: number
let underWay: Set<string>
let mostUnderWay: number

beforeEach(() => {
  world = new ManualWorld()
  work = new StreamWork(world)
  done = []
  spent = 0
  underWay = new Set()
  mostUnderWay = 0
})

function* slices(name: string, total: number): Sliced<void> {
  underWay.add(name)
  for (let left = total; left > 0; left -= sliceWork) {
    mostUnderWay = Math.max(mostUnderWay, underWay.size)
    spent += Math.min(left, sliceWork)
    yield Math.min(left, sliceWork)
  }
  underWay.delete(name)
  done.push(name)
}

function add(host: string | undefined, name: string, total: number) {
  return work.add(host, slices(name, total))
}

/** The most that was spent in one turn. */
function waitAndWatch(ms: number): number {
  let most = 0
  let before = spent
  world.wait(ms, () => {
    most = Math.max(most, spent - before)
    before = spent
  })
  return most
}

describe('work that streams ask for', () => {
  it('is done at once where it is small, without a timer', () => {
    for (let n = 0; n < 20; n++) add('10.0.0.1', `small ${n}`, 1_000)
    expect(done).toHaveLength(20)
    expect(world.pending).toBe(0)
  })

  it('is done in slices where it is large, and takes no more than half of the time', () => {
    add('10.0.0.1', 'large', 10 << 20)
    expect(spent).toBeLessThanOrEqual(turnWork + sliceWork)
    expect(waitAndWatch(320)).toBeLessThanOrEqual(turnWork + sliceWork)
    expect(spent).toBeLessThanOrEqual((320 / 4 + 1) * turnWork + sliceWork)
    waitAndWatch(1_000)
    expect(done).toEqual(['large'])
  })

  it('is one job at a time, however many there are', () => {
    for (let n = 0; n < 30; n++) add(`10.0.0.${n}`, `job ${n}`, 1 << 20)
    waitAndWatch(10_000)
    expect(done).toHaveLength(30)
    expect(mostUnderWay).toBe(1)
  })

  it('of one source is paid for: a flood gets its burst, then a megabyte in a second', () => {
    for (let n = 0; n < 120; n++) add('10.0.0.1', `bomb ${n}`, 1 << 20)
    waitAndWatch(10_000)
    expect(spent).toBeGreaterThan(burstWork)
    expect(spent).toBeLessThanOrEqual(burstWork + 10 * 1_024_000 + (1 << 20))
    expect(world.counts.get('gossip.stream.work')).toBe(spent)
  })

  it('of others goes first when one source floods, though the flood came before it', () => {
    for (let n = 0; n < 100; n++) add('10.0.0.1', `bomb ${n}`, 1 << 20)
    waitAndWatch(100)
    add('10.0.0.2', 'honest', 2 << 20)
    const before = spent
    while (!done.includes('honest')) waitAndWatch(10)
    expect(spent - before).toBeLessThanOrEqual(3 << 20)
    expect(done.length).toBeLessThan(6)
  })

  it('of our own exchange waits for no other, and is not counted against any sender', () => {
    for (let n = 0; n < 60; n++) add('10.0.0.1', `bomb ${n}`, 1 << 20)
    waitAndWatch(4_000)
    const before = done.length
    expect(before).toBeLessThan(40)
    add('10.0.0.1', 'late', 1)
    expect([done.length, world.counts.get('gossip.stream.delayed')]).toEqual([before, 1])
    add(undefined, 'own', 1)
    expect(done.at(-1)).toBe('own')
    expect(done).toHaveLength(before + 1)
  })

  it('is never begun when it is closed before, and goes no further when it is closed while it is under way', () => {
    const first = add('10.0.0.1', 'first', 4 << 20)
    const second = add('10.0.0.2', 'second', 4 << 20)
    add('10.0.0.3', 'third', 1 << 20)
    second.close()
    first.close()
    waitAndWatch(1_000)
    expect(done).toEqual(['third'])
    expect(world.pending).toBe(0)
  })

  it('that has begun is ended when all stops, and nothing else begins', () => {
    add('10.0.0.1', 'begun', 4 << 20)
    add('10.0.0.2', 'waits', 1)
    work.stop()
    add('10.0.0.3', 'comes late', 1)
    expect([done, world.pending]).toEqual([['begun'], 0])
  })
})

describe('budgets of sources', () => {
  it('are one for an address of IPv4, in whatever form, and for a network of IPv6', () => {
    const budgets = new SourceBudgets(world.clock)
    budgets.of('10.0.0.1').take(burstWork)
    expect(budgets.of('10.0.0.1').left).toBe(0)
    expect(budgets.of('::ffff:10.0.0.1').left).toBe(0)
    expect(budgets.of('10.0.0.2').left).toBe(burstWork)
    budgets.of('fd00:1:2:3::1').take(5)
    expect(budgets.of('fd00:1:2:3:4:5:6:7').left).toBe(burstWork - 5)
    expect(budgets.of('fd00:1:2:4::1').left).toBe(burstWork)
  })

  it('are bounded in number: those beyond share one, until those that use nothing are forgotten', () => {
    const budgets = new SourceBudgets(world.clock)
    for (let n = 0; n < 4_096; n++) budgets.of(`10.0.${n >> 8}.${n & 255}`).take(1 << 20)
    const shared = budgets.of('10.1.0.0')
    expect(budgets.of('10.1.0.1')).toBe(shared)
    world.wait(2_000)
    expect(budgets.of('10.1.0.0')).not.toBe(shared)
  })

  it('grow with time up to their most, and may go into debt', () => {
    const budget = new WorkBudget(world.clock, 100, 10)
    budget.take(250)
    expect([budget.left, budget.dueMs]).toEqual([-150, 16])
    world.wait(16)
    expect([budget.left, budget.dueMs]).toEqual([10, 0])
    world.wait(1_000)
    expect([budget.left, budget.isFull]).toEqual([100, true])
  })
})
