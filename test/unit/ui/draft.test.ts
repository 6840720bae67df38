import { describe, expect, it } from 'vitest'
import { type Draft, draftAfterWrite, draftOf, draftUpon, isOutdated } from '../../../src/http/ui/page/forms/draft.ts'

interface Entry {
  readonly index: number
  readonly text: string
  /** What the form does not show. */
  readonly holder: string
}

const typedOf = ({ text }: Entry) => ({ text })
const state = (text: string, index: number): Entry => ({ index, text, holder: '' })
const typed = (draft: Draft<Entry, { text: string }>, text: string) => ({ ...draft, typed: { text } })
const begun = (text: string, index: number) => draftOf(state(text, index), typedOf)

describe('the draft of an entry', () => {
  it('follows the entry while it is not typed into', () => {
    expect(draftUpon(begun('one', 5), state('two', 6), typedOf)).toEqual(begun('two', 6))
  })

  it('keeps what was typed, and knows that the entry was changed under the hands', () => {
    const mine = typed(begun('one', 5), 'mine')
    const theirs = state('theirs', 6)
    expect(draftUpon(mine, theirs, typedOf)).toEqual(mine)
    expect(isOutdated(mine, theirs, typedOf)).toBe(true)
    expect(isOutdated(mine, state('one', 5), typedOf)).toBe(false)
  })

  it('takes a change of what the form does not show for no change of its fields', () => {
    const mine = typed(begun('one', 5), 'mine')
    const locked = { ...state('one', 6), holder: 's' }
    expect(isOutdated(mine, locked, typedOf)).toBe(false)
    expect(draftUpon(mine, locked, typedOf)).toEqual({ ...mine, base: locked })
  })

  it('keeps what is typed while a write is on its way, and does not take that write for a change by others', () => {
    const { typed: sent } = typed(begun('one', 5), 'two')
    const acknowledged = draftAfterWrite(typed(begun('one', 5), 'two and'), sent)
    expect(acknowledged.typed.text).toBe('two and')
    expect(isOutdated(acknowledged, state('two', 6), typedOf)).toBe(false)
    const heard = draftUpon(acknowledged, state('two', 6), typedOf)
    expect(heard).toEqual(typed(begun('two', 6), 'two and'))
    expect(isOutdated(heard, state('theirs', 7), typedOf)).toBe(true)
  })

  it('follows again after its own write, also when the agent writes the value in another form', () => {
    const written = typed(begun('one', 5), '60s')
    const acknowledged = draftAfterWrite(written, written.typed)
    expect(draftUpon(acknowledged, state('1m0s', 6), typedOf)).toEqual(begun('1m0s', 6))
    expect(isOutdated(acknowledged, state('theirs', 7), typedOf)).toBe(false)
  })
})
