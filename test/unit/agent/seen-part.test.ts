import { describe, expect, it } from 'vitest'
import { type ResultView, SeenPart } from '../../../src/agent/requests/serving/seen-part.ts'
import { modifyIndexOf } from '../../../src/model/log-position.ts'

function seen(value: unknown, newest = 1): SeenPart {
  return new SeenPart({ value } as unknown as ResultView, modifyIndexOf(newest))
}

describe('what callers with the same rights see', () => {
  const members = [{ id: 1n }, { id: 2n }, { id: 2n }]

  it('is the same when its members are, in whatever order', () => {
    expect(seen(members).isSameAs(seen([...members].reverse()))).toBe(true)
    expect(seen('one').isSameAs(seen('one'))).toBe(true)
  })

  it('is another when a member is missing, is there more often, or has changed', () => {
    for (const other of [
      members.slice(1),
      [{ id: 1n }, { id: 1n }, { id: 2n }],
      [...members.slice(1), { id: 3n }],
      'x',
    ])
      expect(seen(members).isSameAs(seen(other))).toBe(false)
    expect(seen(members).isSameAs(seen(members, 2))).toBe(false)
  })
})
