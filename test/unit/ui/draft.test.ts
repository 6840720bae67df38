import { describe, expect, it } from 'vitest'
import type { KeyEntry } from '../../../src/http/ui/page/api/key-shapes.ts'
import { draftAfterWrite, draftOf, draftUpon, isOutdated } from '../../../src/http/ui/page/pages/keys/draft.ts'

const state = (text: string, ModifyIndex: number): KeyEntry => ({
  Key: 'a',
  Value: text === '' ? null : Buffer.from(text).toString('base64'),
  Flags: 0,
  CreateIndex: 1,
  ModifyIndex,
  LockIndex: 0,
})
const typed = (draft: ReturnType<typeof draftOf>, text: string) => ({
  ...draft,
  value: { form: 'text' as const, text },
})
const bytes = (text: string) => new TextEncoder().encode(text)

describe('the draft of a value', () => {
  it('follows the key while it is not typed into', () => {
    expect(draftUpon(draftOf(state('one', 5)), state('two', 6))).toEqual(draftOf(state('two', 6)))
  })

  it('keeps what was typed, and knows that the key was changed under the hands', () => {
    const mine = typed(draftOf(state('one', 5)), 'mine')
    const theirs = state('theirs', 6)
    expect(draftUpon(mine, theirs)).toEqual(mine)
    expect(isOutdated(mine, theirs)).toBe(true)
    expect(isOutdated(mine, state('one', 5))).toBe(false)
  })

  it('takes a lock that comes for no change of the value', () => {
    const mine = typed(draftOf(state('one', 5)), 'mine')
    const locked = { ...state('one', 6), Session: 's', LockIndex: 1 }
    expect(isOutdated(mine, locked)).toBe(false)
    expect(draftUpon(mine, locked)).toEqual({ ...mine, base: locked })
  })

  it('keeps what is typed while a write is on its way, and does not take that write for a change by others', () => {
    const written = typed(draftOf(state('one', 5)), 'two')
    const acknowledged = draftAfterWrite(typed(written, 'two and'), written, bytes('two'))
    expect(acknowledged.value.text).toBe('two and')
    expect(isOutdated(acknowledged, state('two', 6))).toBe(false)
    const heard = draftUpon(acknowledged, state('two', 6))
    expect(heard).toEqual(typed(draftOf(state('two', 6)), 'two and'))
    expect(isOutdated(heard, state('theirs', 7))).toBe(true)
  })

  it('follows again after its own write', () => {
    const written = typed(draftOf(state('one', 5)), '')
    const acknowledged = draftAfterWrite(written, written, bytes(''))
    expect(draftUpon(acknowledged, state('', 6))).toEqual(draftOf(state('', 6)))
    expect(isOutdated(acknowledged, state('theirs', 7))).toBe(false)
  })
})
