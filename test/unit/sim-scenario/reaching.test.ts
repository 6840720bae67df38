import { describe, expect, it } from 'vitest'
import { Reaching } from '../../../sim/scenario/reaching.ts'

/** An agent c1 and two servers; what is down, and which way is cut, changes as time goes by. */
function world() {
  const down = new Set<string>()
  const paused = new Set<string>()
  const cut = new Set<string>()
  let nowUs = 0
  let next: (() => void) | undefined
  const reaching = new Reaching({
    nowUs: () => nowUs,
    after: (_, then) => {
      next = then
    },
    agents: () => ['c1', 's1', 's2'],
    serversOf: () => ['s1', 's2'],
    first: () => ['s1', 's2'],
    others: () => new Map([['dc2', ['s3', 's4']]]),
    isRunning: (node) => !down.has(node),
    isPaused: (node) => paused.has(node),
    reaches: (from, to) => !cut.has(`${from} ${to}`),
  })
  reaching.start()
  const pass = (us: number): void => {
    nowUs += us
    next?.()
  }
  return { reaching, down, paused, cut, pass }
}

describe('since when an agent reaches a server', () => {
  it('counts from the beginning while one of them is within reach, both ways', () => {
    const { reaching, cut, pass } = world()
    cut.add('c1 s1')
    pass(100)
    expect(reaching.sinceUs('c1')).toBe(0)
    cut.add('s2 c1')
    pass(100)
    expect(reaching.sinceUs('c1')).toBeUndefined()
  })

  it('begins anew after a break that no check asked about', () => {
    const { reaching, down, pass } = world()
    down.add('s1').add('s2')
    pass(100)
    down.clear()
    pass(100)
    expect(reaching.sinceUs('c1')).toBe(200)
  })

  it('takes a server that is paused for out of reach, from itself too, and an agent that is paused for one that reaches none', () => {
    const { reaching, paused, pass } = world()
    paused.add('s1')
    pass(100)
    expect([reaching.sinceUs('c1'), reaching.sinceUs('s2')]).toEqual([0, 0])
    paused.add('s2')
    pass(100)
    expect([reaching.sinceUs('c1'), reaching.sinceUs('s1')]).toEqual([undefined, undefined])
    paused.clear()
    paused.add('c1')
    pass(100)
    expect([reaching.sinceUs('c1'), reaching.sinceUs('s1')]).toEqual([undefined, 300])
    paused.clear()
    pass(100)
    expect(reaching.sinceUs('c1')).toBe(400)
  })

  it('takes a server that runs to reach itself', () => {
    const { reaching, cut, pass } = world()
    for (const way of ['s1 s2', 's2 s1']) cut.add(way)
    pass(100)
    expect(reaching.sinceUs('s1')).toBe(0)
  })

  it('of servers of another datacenter, each must reach one of the first', () => {
    const { reaching, cut, down, pass } = world()
    cut.add('s3 s1')
    pass(100)
    expect(reaching.firstSinceUs('dc2')).toBe(0)
    cut.add('s2 s3')
    pass(100)
    expect(reaching.firstSinceUs('dc2')).toBeUndefined()
    cut.clear()
    pass(100)
    expect(reaching.firstSinceUs('dc2')).toBe(300)
    down.add('s4')
    expect(reaching.firstSinceUs('dc2')).toBeUndefined()
  })
})
