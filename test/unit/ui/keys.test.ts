import { describe, expect, it } from 'vitest'
import { Bounded } from '../../../src/http/ui/page/live/bounded.ts'
import { removeQuestion, saveQuestion } from '../../../src/http/ui/page/pages/keys/questions.ts'

const text = (value: string) => ({ form: 'text', text: value }) as const

describe('before a key is saved', () => {
  it('the page asks once more if a session holds it, or it was JSON and is no longer', () => {
    expect(saveQuestion(undefined, text('{"a": 1}'), text('{"a": 2}'))).toBeUndefined()
    expect(saveQuestion(undefined, text('hello'), text('{"a": '))).toBeUndefined()
    expect(saveQuestion(undefined, text('{"a": 1}'), text('{"a": '))).toMatch(/^This was JSON and is no longer/)
    expect(saveQuestion(undefined, text('[1]'), text('none'))).toMatch(/^This was JSON and is no longer/)
    const both = saveQuestion('the session deployer of c1', text('[1]'), text('none'))
    expect(both).toMatch(/^Save although the session deployer of c1 holds it\? This was JSON/)
  })

  it('a deletion mentions the lock', () => {
    expect(removeQuestion('a', undefined)).toBe('Delete the key a?')
    expect(removeQuestion('a', 'the session deployer of c1')).toMatch(/although the session deployer of c1 holds it/)
  })
})

describe('what a tab keeps of pages that it has left', () => {
  it('is few and small: the oldest make room, and what is too long alone is not kept', () => {
    const kept = new Bounded<string>(2, 20)
    kept.set('a', '1')
    kept.set('b', '2')
    kept.set('c', '3')
    expect(['a', 'b', 'c'].map((name) => kept.get(name))).toEqual([undefined, '2', '3'])
    kept.set('d', 'x'.repeat(17))
    expect(['b', 'c', 'd'].map((name) => kept.get(name)?.length)).toEqual([undefined, undefined, 17])
    kept.set('d', 'x'.repeat(19))
    expect(kept.get('d')).toBeUndefined()
    kept.set('e', 'x'.repeat(18))
    expect(kept.get('e')).toHaveLength(18)
  })
})
