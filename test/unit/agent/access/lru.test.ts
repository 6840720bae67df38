import { describe, expect, it } from 'vitest'
import { Lru } from '../../../../src/agent/access/lru.ts'

/** The keys that are kept, without a look that would count as a use. */
function kept(cache: Lru<string, number>, ...keys: readonly string[]): string {
  return keys.filter((key) => cache.get(key) !== undefined).join('')
}

describe('a cache of bounded weight', () => {
  const bounded = (max: number, weight: number): Lru<string, number> =>
    new Lru(max, { max: weight, of: (value) => value })

  it('counts a value that takes the place of another once', () => {
    const cache = bounded(9, 10)
    for (let times = 0; times < 5; times++) cache.set('a', 4)
    cache.set('b', 6)
    expect([cache.size, kept(cache, 'a', 'b')]).toEqual([2, 'ab'])
  })

  it('counts setting a value as a use, and drops what was used longest ago', () => {
    const cache = bounded(2, 100)
    cache.set('a', 1)
    cache.set('b', 1)
    cache.set('a', 2)
    cache.set('c', 1)
    expect(kept(cache, 'a', 'b', 'c')).toBe('ac')
  })

  it('forgets the weight of what is deleted', () => {
    const cache = bounded(9, 10)
    cache.set('a', 10)
    cache.delete('a')
    cache.delete('a')
    cache.set('b', 10)
    expect(kept(cache, 'a', 'b')).toBe('b')
  })
})
