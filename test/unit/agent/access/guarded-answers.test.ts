import { describe, expect, it } from 'vitest'
import type { Served } from '../../../../src/agent/requests/serving/seen-results.ts'
import { modifyIndexOf } from '../../../../src/model/log-position.ts'
import { settled } from '../../features/hand-clock.ts'
import { belowA, Guarded, stale } from './guarded-server.ts'
import { allowing } from './known-tokens.ts'

describe('the index of an answer', () => {
  const keysUnder = async (guarded: Guarded, prefix: string, token = 'a-secret') => {
    const request = { args: { prefix, separator: '' }, read: stale, token }
    const result = await guarded.dispatch.serve('KV.Keys', request, {})
    if (!result.ok) throw new Error(result.error.kind)
    const { value, meta } = result.value as Served
    return { value, index: meta.index }
  }

  it('is for hidden keys the one for keys that never were: no guess finds a name', async () => {
    const guarded = new Guarded()
    await guarded.write('a/1', 'b/secret', 'other')
    guarded.tokens.set(
      'a-secret',
      allowing('a', ({ name, right }) => right === 'list' || name.startsWith('a/')),
    )
    const guesses = [...'abcdefghijklmnopqrstuvwxyz'].flatMap((letter) => [letter, `b/${letter}`, `b/secre${letter}`])
    const hidden = guesses.filter((guess) => guess !== 'a')
    const told = await Promise.all(hidden.map((guess) => keysUnder(guarded, guess)))
    expect(new Set(told.map(({ index }) => index)).size).toBe(1)
    expect(new Set(told.map(({ value }) => JSON.stringify(value)))).toEqual(new Set(['[]']))
    expect((await keysUnder(guarded, '')).index).toBe((await keysUnder(guarded, 'a/')).index)
    expect((await keysUnder(guarded, '', 'all-secret')).index).toBe(guarded.server.index)
  })

  it('rises with the rights of the token, for every read and every caller', async () => {
    const guarded = new Guarded()
    await guarded.write('a/1', 'b/1')
    for (const token of ['a-secret', 'all-secret']) {
      guarded.tokens.changed.set(token, 1_000)
      expect((await keysUnder(guarded, 'a/', token)).index).toBe(1_000)
      const got = await guarded.dispatch.serve('KV.Get', { args: { key: 'a/1' }, read: stale, token }, {})
      expect(got.ok && (got.value as Served).meta.index).toBe(1_000)
    }
  })
})

describe('what is shown of a result', () => {
  it('is made once for all whose rights are the same, and shares its encoded forms', async () => {
    const guarded = new Guarded()
    await guarded.write('a/1', 'a/2', 'b/1')
    const first = await guarded.served('a-secret')
    const again = await guarded.served('a-secret')
    expect(again.value).toBe(first.value)
    const bytes = first.forms.bytesOf('json', () => new Uint8Array([1]))
    expect(again.forms.bytesOf('json', () => new Uint8Array([2]))).toBe(bytes)
    expect((await guarded.served('all-secret')).forms.bytesOf('json', () => new Uint8Array([3]))).toEqual(
      new Uint8Array([3]),
    )
  })

  it('is the whole result, encoded forms too, where nothing of it is dropped', async () => {
    const guarded = new Guarded()
    await guarded.write('a/1', 'a/2')
    const whole = await guarded.served('all-secret')
    const part = await guarded.served('a-secret')
    expect([part.value === whole.value, part.forms === whole.forms]).toEqual([true, true])
  })

  it('stands no longer when the rights of its token are others', async () => {
    const guarded = new Guarded()
    await guarded.write('a/1', 'b/1')
    const standing = (await guarded.served('a-secret')).standing()
    expect(standing.now()).toBeDefined()
    guarded.tokens.set('a-secret', belowA())
    expect(standing.now()).toBeUndefined()
  })
})

describe('a blocking read', () => {
  const waiting = (guarded: Guarded, token: string) => {
    const found: { result: unknown } = { result: undefined }
    const read = { ...stale, minIndex: modifyIndexOf(guarded.server.index), waitMs: 60_000 }
    void guarded.serve('Test.Names', { prefix: '' }, token, read).then((result) => {
      found.result = result
    })
    return found
  }

  it('is shown what its token may see when it is woken', async () => {
    const guarded = new Guarded()
    await guarded.write('a/1', 'b/1')
    const found = waiting(guarded, 'a-secret')
    await settled()
    await guarded.write('a/2')
    await settled()
    expect(found.result).toEqual(['a/1', 'a/2'])
    expect([guarded.tokens.followed, guarded.clock.timers]).toEqual([0, 0])
  })

  it('goes on when what has changed is hidden from its token, however far the index of that has come', async () => {
    const guarded = new Guarded()
    await guarded.write('a/1', 'b/1')
    const found = waiting(guarded, 'a-secret')
    for (const hidden of ['b/1', 'b/2', 'c']) {
      await settled()
      await guarded.write(hidden)
    }
    await settled()
    expect(found.result).toBeUndefined()
    await guarded.write('a/2')
    await settled()
    expect(found.result).toEqual(['a/1', 'a/2'])
    expect([guarded.tokens.followed, guarded.clock.timers]).toEqual([0, 0])
  })

  it('ends when its token is revoked, though nothing else has changed', async () => {
    const guarded = new Guarded()
    await guarded.write('a/1', 'b/1')
    const found = waiting(guarded, 'a-secret')
    await settled()
    guarded.tokens.set('a-secret', { kind: 'token-not-found' })
    await settled()
    expect(found.result).toBe('token-not-found')
    expect([guarded.tokens.followed, guarded.clock.timers]).toEqual([0, 0])
  })

  it('ends with what its token may see now when that has changed', async () => {
    const guarded = new Guarded()
    await guarded.write('a/1', 'b/1')
    const found = waiting(guarded, 'none-secret')
    await settled()
    expect(found.result).toBe('permission-denied')
    const other = waiting(guarded, 'a-secret')
    await settled()
    guarded.tokens.set(
      'a-secret',
      allowing('wide', () => true),
    )
    await settled()
    expect(other.result).toEqual(['a/1', 'b/1'])
  })
})
