import { describe, expect, it } from 'vitest'
import { changesOf, withChanges } from '../../../sim/report/state-changes.ts'
import { fc } from '../../fast-check.ts'

const name = fc.constantFrom('role', 'term', 'log', 'members', 's1')
const { part } = fc.letrec((tie) => ({
  leaf: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.boolean(), fc.string({ maxLength: 2 }), fc.array(fc.nat(3))),
  part: fc.dictionary(name, fc.oneof({ maxDepth: 3 }, tie('leaf'), tie('part')), { maxKeys: 4, noNullPrototype: true }),
}))

describe('changes of a state', () => {
  it('make the later state of the earlier one, and are none between equal states', () => {
    fc.assert(
      fc.property(part, part, (before, after) => {
        const [earlier, later] = [before, after] as Record<string, unknown>[]
        const changes = changesOf(earlier ?? {}, later ?? {})
        expect(withChanges(earlier ?? {}, changes ?? {})).toEqual(later)
        if (changes === undefined) expect(earlier).toEqual(later)
        expect(changesOf(later ?? {}, later ?? {})).toBeUndefined()
      }),
    )
  })

  it('name what is gone, and of nested records only what differs', () => {
    const before = { consensus: { role: 'leader', log: { applied: 1, last: 2 } }, pools: {} }
    const after = { consensus: { role: 'leader', log: { applied: 2, last: 2 } } }
    expect(changesOf(before, after)).toEqual({ consensus: { log: { applied: 2 } }, pools: null })
  })

  it('treat a member that is undefined as one that is absent', () => {
    expect(changesOf({ consensus: { term: 1 } }, { consensus: undefined })).toEqual({ consensus: null })
    expect(changesOf({}, { consensus: undefined })).toBeUndefined()
  })
})
