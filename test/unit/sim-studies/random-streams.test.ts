import { describe, expect, it } from 'vitest'
import { RandomStreams } from '../../../sim/studies/random-streams.ts'
import { drawRangeUs, rangeUs } from '../../../sim/world/time-range.ts'
import { sha256 } from '../../../src/native/hash.ts'

const first = (streams: RandomStreams, name: string, count = 4): number[] => {
  const stream = streams.stream(name)
  return Array.from({ length: count }, () => stream.uint32())
}

describe('streams of numbers', () => {
  it('have the numbers that stored seeds rely on', () => {
    expect(first(new RandomStreams('42', sha256), 'link/s1>s2')).toEqual([
      2692711495, 618780667, 3026321535, 2747756318,
    ])
  })

  it('are the same for the same seed and name, whatever else was drawn before', () => {
    const [a, b] = [new RandomStreams('seed', sha256), new RandomStreams('seed', sha256)]
    first(b, 'another', 1000)
    expect(first(a, 'raft.election')).toEqual(first(b, 'raft.election'))
    expect(first(a, 'raft.election')).not.toEqual(first(a, 'raft.election'))
  })

  it('differ by seed and by name', () => {
    const seen = new Set<string>()
    for (let seed = 0; seed < 120; seed++) {
      for (const name of ['a', 'b', 'ab', '']) seen.add(first(new RandomStreams(String(seed), sha256), name).join())
    }
    expect(seen.size).toBe(480)
  })

  it('are even over their range', () => {
    const stream = new RandomStreams('even', sha256).stream('die')
    const counts = new Array<number>(6).fill(0)
    for (let i = 0; i < 60_000; i++) {
      const face = stream.below(6)
      counts[face] = (counts[face] as number) + 1
    }
    // Chi-square with 5 degrees of freedom: beyond 20.5 once in a thousand seeds, and this seed is fixed.
    expect(counts.reduce((sum, count) => sum + ((count - 10_000) * (count - 10_000)) / 10_000, 0)).toBeLessThan(20.5)
    for (let i = 0; i < 1000; i++) expect(stream.fraction()).toBeLessThan(1)
  })

  it('are not drawn from where there is nothing to choose', () => {
    const [asked, other] = [new RandomStreams('x', sha256).stream('a'), new RandomStreams('x', sha256).stream('a')]
    expect(drawRangeUs(rangeUs(5), asked)).toBe(5000)
    expect(asked.uint32()).toBe(other.uint32())
  })

  it('give ranges with both ends', () => {
    const stream = new RandomStreams('x', sha256).stream('a')
    const seen = new Set<number>()
    for (let i = 0; i < 200; i++) seen.add(drawRangeUs(rangeUs([0.001, 0.003]), stream))
    expect([...seen].sort((a, b) => a - b)).toEqual([1, 2, 3])
    expect(() => rangeUs([2, 1])).toThrow('ordered')
  })
})
