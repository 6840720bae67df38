import { describe, expect, it } from 'vitest'
import { fault } from '../../../sim/faults/fault-schema.ts'
import { FaultSchedule, type ScheduleWorld } from '../../../sim/faults/schedule.ts'
import { Decisions } from '../../../sim/world/decisions/decisions.ts'

/** A world whose time moves by hand. */
function world(seed = 1): {
  readonly parts: ScheduleWorld
  readonly deeds: string[]
  readonly passTo: (ms: number) => void
} {
  let now = 0
  const deeds: string[] = []
  const waiting: { readonly at: number; readonly then: () => void }[] = []
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
      decisions: new Decisions(String(seed), () => now * 1000),
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
    const every = fault.parse({ every: '2s', from: '3s', until: '7s', do: [{ crash: 's1' }] })
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
    const schedule = new FaultSchedule([fault.parse({ when: 'leader elected', after: '3ms', do: crashIt })], parts)
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

  it.each([
    [
      [2, 3],
      ['0 crash s2', '0 crash s3'],
    ],
    [[1], ['0 crash s1']],
  ])('counts to each of a list: %j', (nth, expected) => {
    const { parts, deeds, passTo } = world()
    const schedule = new FaultSchedule([fault.parse({ when: 'leader elected', nth, do: crashIt })], parts)
    for (const server of ['s1', 's2', 's3', 's1']) schedule.triggered('leader elected', server)
    passTo(100)
    expect(deeds).toEqual(expected)
  })

  it('counts the turns of its own clock, too, and fires so often at most', () => {
    const every = { every: '2s', do: [{ crash: 's1' }] }
    const happened = (rule: object): readonly string[] => {
      const { parts, deeds, passTo } = world()
      new FaultSchedule([fault.parse({ ...every, ...rule })], parts).start()
      passTo(9_000)
      return deeds
    }
    expect(happened({ nth: [1, 3] })).toEqual(['2000 crash', '6000 crash'])
    expect(happened({ nth: 4 })).toEqual(['8000 crash'])
    expect(happened({ from: '3s', times: 2 })).toEqual(['4000 crash', '6000 crash'])
  })

  it('leaves those firings as they are that a list or a limit leaves', () => {
    const rule = { every: '1s..3s', chance: '60%', swarm: '20%', do: [{ crash: 's1' }] }
    for (let seed = 0; seed < 40; seed++) {
      const happened = (limit: object): readonly string[] => {
        const { parts, deeds, passTo } = world(seed)
        new FaultSchedule([fault.parse({ ...rule, ...limit })], parts).start()
        passTo(60_000)
        return deeds
      }
      const all = happened({})
      expect(happened({ times: 3 })).toEqual(all.slice(0, 3))
      expect(all).toEqual(expect.arrayContaining([...happened({ nth: [2, 5, 9] })]))
    }
  })

  it('is spent when no rule can fire any more', () => {
    const { parts, passTo } = world()
    const rules = [
      { at: '3s', do: crashIt },
      { when: 'leader elected', nth: [2], after: '1s', do: crashIt },
      { every: '1s', times: 2, do: crashIt },
    ]
    const schedule = new FaultSchedule(
      rules.map((rule) => fault.parse(rule)),
      parts,
    )
    schedule.start()
    passTo(3_500)
    schedule.triggered('leader elected', 's1')
    expect(schedule.isSpent).toBe(false)
    schedule.triggered('leader elected', 's2')
    expect(schedule.isSpent).toBe(false)
    passTo(5_000)
    expect(schedule.isSpent).toBe(true)
  })

  it.each([
    ['an event', { when: 'leader elected', do: crashIt }],
    ['a time', { at: '50ms', do: [{ crash: 's1' }] }],
    ['its turn', { every: '60ms', do: [{ crash: 's1' }] }],
  ])('leaves a fault to chance that %s sets off', (_, rule) => {
    let happened = 0
    for (let seed = 0; seed < 400; seed++) {
      const { parts, deeds, passTo } = world(seed)
      const schedule = new FaultSchedule([fault.parse({ ...rule, chance: '30%' })], parts)
      schedule.start()
      schedule.triggered('leader elected', 's1')
      passTo(100)
      happened += deeds.length
    }
    // Of 400 with a chance of 0.3 fewer than 85 or more than 155 happen once in 10,000 series, and the seeds are fixed.
    expect(happened).toBeGreaterThan(85)
    expect(happened).toBeLessThan(155)
  })

  it('has some kinds of a swarm in a run and lacks others, but always has one', () => {
    const swarm = fault.parse({ every: '1s', 'one of': [{ crash: 's1' }, { pause: 's1' }], swarm: '50%' })
    const kinds = new Set<string>()
    for (let seed = 0; seed < 60; seed++) {
      const { parts, deeds, passTo } = world(seed)
      new FaultSchedule([swarm], parts).start()
      passTo(20_500)
      expect(deeds).toHaveLength(20)
      kinds.add([...new Set(deeds.map((deed) => deed.split(' ')[1]))].sort().join())
    }
    expect([...kinds].sort()).toEqual(['crash', 'crash,pause', 'pause'])
  })

  it('leaves a fault out of a run as a whole where its swarm says so', () => {
    const swarm = fault.parse({ every: '1s', do: [{ crash: 's1' }], swarm: '60%' })
    const counts = new Set<number>()
    for (let seed = 0; seed < 40; seed++) {
      const { parts, deeds, passTo } = world(seed)
      new FaultSchedule([swarm], parts).start()
      passTo(2500)
      counts.add(deeds.length)
    }
    expect([...counts].sort()).toEqual([0, 2])
  })

  it('draws for each rule and each firing by itself: what others do changes nothing', () => {
    const rule = (of: string) =>
      fault.parse({ when: 'leader elected', after: '1ms..900ms', chance: '50%', do: [{ crash: of }] })
    const times = (rules: readonly string[], servers: readonly string[]): readonly string[] => {
      const { parts, deeds, passTo } = world(7)
      const schedule = new FaultSchedule(rules.map(rule), parts)
      for (const server of servers) schedule.triggered('leader elected', server)
      passTo(1000)
      return deeds.filter((deed) => deed.endsWith('s9'))
    }
    const servers = Array.from({ length: 30 }, (_, at) => (at % 3 === 0 ? 's9' : `s${at % 3}`))
    const alone = times(['it'], ['s9', 's9', 's9', 's9', 's9', 's9', 's9', 's9', 's9', 's9'])
    expect(alone.length).toBeGreaterThan(1)
    expect(times(['it'], servers)).toEqual(alone)
    expect(times(['s1', 'it', 's2'], servers).filter((deed) => alone.includes(deed))).toEqual(alone)
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
