import { describe, expect, it } from 'vitest'
import { nearest } from '../../../src/base/edit-distance.ts'

describe('the word that was meant', () => {
  const known = ['leader', 'followers', 'servers', 'clients', 'wait']

  it.each([
    ['laeder', 'leader'],
    ['follower', 'followers'],
    ['serves', 'servers'],
    ['wiat', 'wait'],
    ['w', undefined],
    ['something else', undefined],
    ['', undefined],
  ])('for %s it is %s', (word, meant) => {
    expect(nearest(word, known)).toBe(meant)
  })

  it('is the first of those that are equally near', () => {
    expect(nearest('cat', ['bat', 'hat', 'cats'])).toBe('bat')
  })

  it('is not looked for among words of which none is long enough', () => {
    const candidates = Array.from({ length: 500 }, (_, at) => `setting-${at}`)
    // Comparing them letter by letter would take 5,000 million steps.
    expect(nearest('x'.repeat(1_000_000), candidates)).toBeUndefined()
  })
})
