import { describe, expect, it } from 'vitest'
import { Decisions } from '../../../sim/world/decisions/decisions.ts'
import { Draws } from '../../../sim/world/decisions/draws.ts'
import { IdentityHash, wordOf } from '../../../sim/world/decisions/identity.ts'
import { inSimulation } from './in-simulation.ts'

const decisionsOf = (seed: string): Decisions => new Decisions(seed, () => 0)

describe('a draw', () => {
  it('is the same for the same seed and identity, whatever else was drawn before', () => {
    const [one, other] = [decisionsOf('42'), decisionsOf('42')]
    for (let at = 0; at < 1000; at++) other.draws('another', at).uint32()
    expect(one.draws('election', 's1', 7).uint32()).toBe(other.draws('election', 's1', 7).uint32())
  })

  it('has the numbers that stored seeds rely on', () => {
    const draws = decisionsOf('42').draws('link', 's1', 's2', new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8, 9]), 2 ** 40)
    expect([draws.uint32(), draws.uint32(), draws.uint32()]).toEqual([3063280229, 79800239, 380820943])
  })

  it('differs by seed, by each part and by where parts end', () => {
    const seen = new Set<number>()
    const parts: readonly (readonly (string | number | Uint8Array)[])[] = [
      ['ab'],
      ['a', 'b'],
      ['', 'ab'],
      ['b', 'a'],
      [1],
      ['1'],
      [2 ** 32 + 1],
      [-1],
      [new Uint8Array([1])],
      [new Uint8Array([1, 0])],
      [new Uint8Array(0)],
      [],
    ]
    for (let seed = 0; seed < 20; seed++) {
      for (const each of parts)
        seen.add(
          decisionsOf(String(seed))
            .draws(...each)
            .uint32(),
        )
    }
    expect(seen.size).toBe(20 * parts.length)
  })

  it('gives other numbers each time that the same occurs, and the same ones in each run', () => {
    const drawn = (): readonly number[] => {
      const decisions = decisionsOf('1')
      return Array.from({ length: 5 }, () => decisions.drawsNext('again').uint32())
    }
    expect(new Set(drawn()).size).toBe(5)
    expect(drawn()).toEqual(drawn())
  })

  it('counts an occurrence among its like alone', () => {
    const [one, other] = [decisionsOf('1'), decisionsOf('1')]
    const second = (decisions: Decisions, between: number): number => {
      decisions.drawsNext('packet', 7)
      for (let at = 0; at < between; at++) decisions.drawsNext('packet', 100 + at)
      return decisions.drawsNext('packet', 7).uint32()
    }
    expect(second(one, 0)).toBe(second(other, 500))
  })

  it('orders names by themselves: other names do not change which of two comes first', () => {
    for (let seed = 0; seed < 50; seed++) {
      const draws = decisionsOf(String(seed)).draws('order')
      const all = draws.inOrder(['a', 'b', 'c', 'd', 'e'], (name) => name)
      expect(draws.inOrder(['e', 'b', 'd'], (name) => name)).toEqual(all.filter((name) => 'bde'.includes(name)))
    }
  })
})

describe('the numbers of decisions', () => {
  it('are even over their range, along one decision and across many', () => {
    const long = decisionsOf('even').draws('die')
    const wide = decisionsOf('even')
    for (const roll of [() => long.below(6), (at) => wide.draws('die', at).below(6)] as const satisfies readonly ((
      at: number,
    ) => number)[]) {
      const counts = new Array<number>(6).fill(0)
      for (let at = 0; at < 60_000; at++) {
        const face = roll(at)
        counts[face] = (counts[face] as number) + 1
      }
      // Chi-square with 5 degrees of freedom: beyond 20.5 once in a thousand seeds, and this seed is fixed.
      expect(counts.reduce((sum, count) => sum + ((count - 10_000) * (count - 10_000)) / 10_000, 0)).toBeLessThan(20.5)
    }
  })

  it('of neighbouring identities and purposes share no bits more often than by chance', () => {
    const hash = new IdentityHash()
    const { a, b } = decisionsOf('bits').identity('base')
    let flips = 0
    const pairs = 4_000
    for (let at = 0; at < pairs; at++) {
      const one = wordOf(hash.from({ a, b }).integer(at), 1)
      const next = wordOf(hash.from({ a, b }).integer(at + 1), 1)
      const purpose = wordOf(hash.from({ a, b }).integer(at), 2)
      flips += bitsOf(one ^ next) + bitsOf(one ^ purpose)
    }
    expect(Math.abs(flips / (pairs * 2) - 16)).toBeLessThan(0.2)
  })

  it('are not drawn where there is nothing to choose', () => {
    const [asked, other] = [new Draws({ a: 1, b: 2 }), new Draws({ a: 1, b: 2 })]
    expect(asked.chance(0)).toBe(false)
    expect(asked.chance(1)).toBe(true)
    expect(asked.uint32()).toBe(other.uint32())
  })

  it('of a life come from the decision that started it, whatever lives were before', async () => {
    const drawnAfter = (lives: number): Promise<readonly string[]> =>
      inSimulation({}, async (simulation) => {
        const { decisions } = simulation
        const node = simulation.addNode({ name: 'n', host: '10.0.0.1' })
        const drawn: string[] = []
        for (let life = 0; life < lives; life++) {
          node.boot(() => {})
          node.crash()
        }
        for (const cause of ['one', 'one', 'another']) {
          const start = (): void => node.boot((env) => void drawn.push(env.crypto.randomBytes(8).join()))
          decisions.because(decisions.identity('step', cause), start)
          await simulation.run({ untilMs: simulation.nowMs })
          node.crash()
        }
        expect(new Set(drawn).size).toBe(3)
        return drawn
      })
    expect(await drawnAfter(3)).toEqual(await drawnAfter(1))
  })

  it('of a process are others in its next life', async () => {
    await inSimulation({}, async (simulation) => {
      const node = simulation.addNode({ name: 'n', host: '10.0.0.1' })
      const drawn: string[] = []
      const draw = async (): Promise<void> => {
        await simulation.play(
          node,
          async (env) => {
            drawn.push([1, 2, 3].map(() => env.random.draws('agent.checks', 'web').uint32()).join())
            drawn.push(env.crypto.randomBytes(8).join())
          },
          100,
        )
        node.crash()
      }
      await draw()
      await draw()
      expect(new Set(drawn).size).toBe(4)
    })
  })
})

function bitsOf(word: number): number {
  let count = 0
  for (let left = word >>> 0; left !== 0; left = (left & (left - 1)) >>> 0) count++
  return count
}
