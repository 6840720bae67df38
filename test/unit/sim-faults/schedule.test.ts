import { describe, expect, it } from 'vitest'
import { fault } from '../../../sim/faults/fault-schema.ts'
import { FaultSchedule, type ScheduleWorld } from '../../../sim/faults/schedule.ts'
import type { RandomStream } from '../../../src/env/random.ts'

/** A world whose time moves by hand, and whose draws are all `fraction`. */
function world(fraction = 0.5): {
  readonly parts: ScheduleWorld
  readonly deeds: string[]
  readonly passTo: (ms: number) => void
} {
  let now = 0
  const deeds: string[] = []
  const waiting: { readonly at: number; readonly then: () => void }[] = []
  const draw: RandomStream = {
    uint32: () => 0,
    below: (bound) => Math.floor(fraction * bound),
    fraction: () => fraction,
  }
  return {
    deeds,
    passTo: (ms) => {
      for (;;) {
        waiting.sort((a, b) => a.at - b.at)
        const next = waiting[0]
        if (next === undefined || next.at > ms) break
        waiting.shift()
        now = next.at
        next.then()
      }
      now = ms
    },
    parts: {
      nowMs: () => now,
      after: (delayMs, then) => void waiting.push({ at: now + delayMs, then }),
      stream: () => draw,
      perform: (action, server) => {
        const what = Object.keys(action).find((key) => key !== 'for') ?? ''
        deeds.push(`${now} ${what} ${server ?? ''}`.trim())
        return { ok: true, value: what }
      },
      onDeed: () => {},
    },
  }
}

const crashIt = [{ crash: 'it' }]

describe('a schedule of faults', () => {
  it('lets a fault happen again and again, within its window', () => {
    const { parts, deeds, passTo } = world()
    const every = fault.parse({ every: '1s..3s', from: '3s', until: '7s', do: [{ crash: 's1' }] })
    new FaultSchedule([every], parts).start()
    passTo(20_000)
    expect(deeds).toEqual(['4000 crash', '6000 crash'])
  })

  it('lets a fault happen once at its time', () => {
    const { parts, deeds, passTo } = world()
    new FaultSchedule([fault.parse({ at: '5s', do: [{ pause: 's1' }, { crash: 's2' }] })], parts).start()
    passTo(20_000)
    expect(deeds).toEqual(['5000 pause', '5000 crash'])
  })

  it('sets a fault off by what happens at a server, in a turn of its own', () => {
    const { parts, deeds, passTo } = world()
    const schedule = new FaultSchedule([fault.parse({ when: 'leader elected', after: '2ms..4ms', do: crashIt })], parts)
    schedule.start()
    schedule.triggered('vote given', 's3')
    schedule.triggered('leader elected', 's2')
    expect(deeds).toEqual([])
    passTo(100)
    expect(deeds).toEqual(['3 crash s2'])
  })

  it('counts to the nth', () => {
    const { parts, deeds, passTo } = world()
    const schedule = new FaultSchedule([fault.parse({ when: 'leader elected', nth: 2, do: crashIt })], parts)
    for (const server of ['s1', 's2', 's3']) schedule.triggered('leader elected', server)
    passTo(100)
    expect(deeds).toEqual(['0 crash s2'])
  })

  it('leaves a fault to chance', () => {
    for (const [fraction, happens] of [[0.2, 1] as const, [0.4, 0] as const]) {
      const { parts, deeds, passTo } = world(fraction)
      const schedule = new FaultSchedule([fault.parse({ when: 'leader elected', chance: '30%', do: crashIt })], parts)
      schedule.triggered('leader elected', 's1')
      passTo(100)
      expect(deeds).toHaveLength(happens)
    }
  })

  it('has some kinds of a swarm in a run and lacks others, but always has one', () => {
    const swarm = fault.parse({ at: '1s', 'one of': [{ crash: 's1' }, { pause: 's1' }], swarm: '50%' })
    for (const fraction of [0.2, 0.9]) {
      const { parts, deeds, passTo } = world(fraction)
      new FaultSchedule([swarm], parts).start()
      passTo(2000)
      expect(deeds).toHaveLength(1)
    }
  })

  it('leaves a fault out of a run as a whole where its swarm says so', () => {
    const swarm = fault.parse({ every: '1s', do: [{ crash: 's1' }], swarm: '60%' })
    for (const [fraction, happens] of [[0.5, 0] as const, [0.7, 2] as const]) {
      const { parts, deeds, passTo } = world(fraction)
      new FaultSchedule([swarm], parts).start()
      passTo(2500)
      expect(deeds).toHaveLength(happens)
    }
  })

  it('lets nothing happen once it is stopped', () => {
    const { parts, deeds, passTo } = world()
    const schedule = new FaultSchedule([fault.parse({ every: '1s', do: [{ crash: 's1' }] })], parts)
    schedule.start()
    passTo(2500)
    schedule.stop()
    schedule.triggered('leader elected', 's1')
    passTo(9000)
    expect(deeds).toEqual(['1000 crash', '2000 crash'])
  })
})
