import { describe, expect, it } from 'vitest'
import { Decisions, type Fork } from '../../../sim/world/decisions/decisions.ts'
import { IdentityHash } from '../../../sim/world/decisions/identity.ts'

/**
 * What is drawn at 0, 1, 2 … seconds: of a thing that is drawn once, of one that occurs, of a node, and of a packet.
 */
function drawn(forks: readonly Fork[], seed = '1'): readonly (readonly number[])[] {
  let nowUs = 0
  const decisions = new Decisions(seed, () => nowUs, undefined, undefined, undefined, forks)
  return [0, 1, 2, 3].map((second) => {
    nowUs = second * 1_000_000
    return [
      decisions.draws('plan', 'a').uint32(),
      decisions.drawsNext('what').uint32(),
      decisions.drawsApart('s1', 'election', 7).uint32(),
      decisions.occurrence(new IdentityHash().text('packet')).a,
    ]
  })
}

describe('a fork of a run', () => {
  const plain = drawn([])

  it('leaves every draw before its time as it was, and makes every later one anew', () => {
    const forked = drawn([{ atMs: 2_000, seed: 5 }])
    expect(forked.slice(0, 2)).toEqual(plain.slice(0, 2))
    for (const at of [2, 3])
      for (const [of, value] of (forked[at] ?? []).entries()) expect(value).not.toBe(plain[at]?.[of])
  })

  it('is a function of its time and seed, and goes on from the forks before it', () => {
    const first = { atMs: 1_000, seed: 5 }
    expect(drawn([first])).toEqual(drawn([first]))
    expect(drawn([first])[1]).not.toEqual(drawn([{ ...first, seed: 6 }])[1])
    const two = drawn([first, { atMs: 3_000, seed: 9 }])
    expect(two.slice(0, 3)).toEqual(drawn([first]).slice(0, 3))
    expect(two[3]).not.toEqual(drawn([first])[3])
  })

  it('keeps names: what is within an identity is so before and after', () => {
    let nowUs = 0
    const decisions = new Decisions('1', () => nowUs, undefined, undefined, undefined, [{ atMs: 1, seed: 2 }])
    const before = decisions.identity('link', 's1', 's2')
    nowUs = 5_000
    decisions.drawsNext('what')
    expect(decisions.identity('link', 's1', 's2')).toEqual(before)
  })
})
