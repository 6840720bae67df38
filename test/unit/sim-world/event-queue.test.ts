import { describe, expect, it } from 'vitest'
import { Decisions } from '../../../sim/world/decisions/decisions.ts'
import type { Lane } from '../../../sim/world/decisions/identity.ts'
import { EventQueue } from '../../../sim/world/event-queue.ts'
import { SimEvent } from '../../../sim/world/sim-event.ts'
import { fc } from '../../fast-check.ts'

class Item extends SimEvent {
  readonly label: number

  constructor(label: number, lane?: Lane) {
    super(lane, lane?.tie ?? label)
    this.label = label
  }

  holder(): undefined {
    return undefined
  }

  deliver(): void {}
}

function drain(queue: EventQueue): Item[] {
  const out: Item[] = []
  for (let item = queue.pop(); item !== undefined; item = queue.pop()) out.push(item as Item)
  return out
}

describe('the queue of events', () => {
  it('gives events by time, those of one instant in the order of their coming, whatever is cancelled meanwhile', () => {
    const step = fc.oneof(
      fc.record({ push: fc.nat(20) }),
      fc.record({ cancel: fc.nat(200) }),
      fc.record({ pop: fc.constant(true) }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const queue = new EventQueue(1000)
        const all: Item[] = []
        let model: Item[] = []
        for (const each of steps) {
          if ('push' in each) {
            const item = new Item(all.length)
            all.push(item)
            queue.push(item, each.push)
            model.push(item)
          } else if ('cancel' in each) {
            const item = all[each.cancel % Math.max(1, all.length)]
            if (item !== undefined) queue.cancel(item)
            model = model.filter((other) => other !== item)
          } else {
            model.sort((a, b) => a.timeUs - b.timeUs || a.label - b.label)
            expect(queue.pop()).toBe(model.shift())
          }
          expect(queue.pending).toBe(model.length)
        }
        model.sort((a, b) => a.timeUs - b.timeUs || a.label - b.label)
        expect(drain(queue)).toEqual(model)
      }),
    )
  })

  it('forgets cancelled events when they are many', () => {
    const queue = new EventQueue(100_000)
    const items = Array.from({ length: 10_000 }, (_, at) => new Item(at))
    for (const item of items) queue.push(item, 5)
    for (const item of items.slice(0, 9_990)) queue.cancel(item)
    expect(queue.pending).toBe(10)
    expect(drain(queue).map(({ label }) => label)).toEqual([9990, 9991, 9992, 9993, 9994, 9995, 9996, 9997, 9998, 9999])
  })

  it('draws among events of one instant, yet keeps each lane in order', () => {
    const orders = new Set<string>()
    for (let seed = 0; seed < 50; seed++) {
      const draw = new Decisions(String(seed), () => 0).identity('ties')
      const queue = new EventQueue(100)
      const lane = { tie: 77 }
      queue.push(new Item(9), 8)
      for (const label of [1, 2, 3]) queue.push(new Item(label, lane), 7)
      queue.push(new Item(4), 7)
      queue.push(new Item(5), 7)
      const labels: number[] = []
      for (let item = queue.popDrawn(draw); item !== undefined; item = queue.popDrawn(draw))
        labels.push((item as Item).label)
      expect(labels.filter((label) => label <= 3)).toEqual([1, 2, 3])
      expect(labels.at(-1)).toBe(9)
      expect(queue.pending).toBe(0)
      orders.add(labels.join())
    }
    expect(orders.size).toBeGreaterThan(10)
  })

  it('comes to an end with thousands of one instant, and keeps their lanes', () => {
    const draw = new Decisions('1', () => 0).identity('ties')
    const queue = new EventQueue(10_000)
    const lanes = Array.from({ length: 7 }, (_, tie) => ({ tie }))
    for (let label = 0; label < 5_000; label++) queue.push(new Item(label, lanes[label % 7]), 7)
    const last = new Map<number, number>()
    for (let item = queue.popDrawn(draw); item !== undefined; item = queue.popDrawn(draw)) {
      const { label } = item as Item
      expect(label).toBeGreaterThan(last.get(label % 7) ?? -1)
      last.set(label % 7, label)
    }
    expect([...last.values()].sort((a, b) => a - b)).toEqual([4993, 4994, 4995, 4996, 4997, 4998, 4999])
  })

  it('an event drawn for later can still be cancelled', () => {
    const draw = new Decisions('1', () => 0).identity('ties')
    const queue = new EventQueue(100)
    const items = [new Item(1), new Item(2), new Item(3)]
    for (const item of items) queue.push(item, 7)
    const first = queue.popDrawn(draw) as Item
    for (const item of items) queue.cancel(item)
    expect(first).toBeDefined()
    expect(queue.pending).toBe(0)
    expect(queue.popDrawn(draw)).toBeUndefined()
  })

  it('refuses an instant that is no whole number', () => {
    expect(() => new EventQueue(1).push(new Item(1), 1.5)).toThrow('whole number of microseconds')
  })
})
