import { describe, expect, it } from 'vitest'
import { unrestricted } from '../../../../src/access/authorizer.ts'
import { err, ok, type Result } from '../../../../src/base/result.ts'
import type { QueryEndpoint } from '../../../../src/features/contract/endpoint.ts'
import type { ReadOptions } from '../../../../src/features/contract/reading.ts'
import type { RequestRefusal } from '../../../../src/raft/core/types.ts'
import { Guarded, keyNames, seen, shown, stale } from './guarded-server.ts'

describe('a server with access control on', () => {
  it('shows of a list what the token may see, and others all of it', async () => {
    const guarded = new Guarded()
    await guarded.write('a/1', 'b/1', 'a/2')
    expect(await guarded.names('a-secret')).toEqual(['a/1', 'a/2'])
    expect(await guarded.names('all-secret')).toEqual(['a/1', 'a/2', 'b/1'])
    expect(await guarded.names('a-secret')).toEqual(['a/1', 'a/2'])
  })

  it('judges a write by no state that may lack what an earlier leader committed', async () => {
    const guarded = new Guarded()
    const settled = guarded.server.context.env.deferred<Result<number, RequestRefusal>>()
    guarded.settled = settled.promise
    seen.length = 0
    const writing = guarded.serve('Test.Write', { node: 'web-1' }, 'late-secret')
    await Promise.resolve()
    expect(guarded.lines).toEqual([])
    guarded.tokens.set('late-secret', unrestricted)
    settled.resolve(ok(1))
    expect(await writing).not.toBe('token-not-found')
    expect(seen).toHaveLength(1)
  })

  it('of a leader that lost its leadership before its state is complete, goes to the next one, and nothing was done', async () => {
    const guarded = new Guarded()
    guarded.settled = Promise.resolve(err({ kind: 'leadership-lost' }))
    seen.length = 0
    expect(await guarded.serve('Test.Write', { node: 'web-1' }, 'all-secret')).toBe('not-leader')
    expect(seen).toEqual([])
  })

  it('says in its log that a call came with an unknown token, and not with which', async () => {
    const guarded = new Guarded()
    expect(await guarded.serve('Test.Write', { node: 'web-1' }, 'stranger')).toBe('token-not-found')
    expect(guarded.lines).toEqual([{ text: 'token not found', fields: { what: 'Test.Write' } }])
    expect(guarded.denied).toEqual(['acl.not-found'])
  })

  it('refuses what the token lacks, and says in its log whose token lacks what, and why, but no secret', async () => {
    const guarded = new Guarded()
    seen.length = 0
    expect(await guarded.serve('Test.Write', { node: 'web-1' }, 'a-secret')).toBe('permission-denied')
    expect(await guarded.names('none-secret')).toBe('permission-denied')
    expect([seen, guarded.denied]).toEqual([[], ['acl.denied', 'acl.denied']])
    expect(guarded.lines[0]).toEqual({
      text: 'permission denied',
      fields: {
        accessor: 'a',
        resource: 'node',
        name: 'web-1',
        right: 'write',
        by: 'node_prefix "" deny, policy of a',
        what: 'Test.Write',
      },
    })
    expect(JSON.stringify(guarded.lines)).not.toContain('secret')
    expect(await guarded.serve('Test.Write', { node: 'web-1' }, 'all-secret')).toBe('web-1')
    expect(seen).toEqual(['web-1 by '])
  })

  it('hands the rights on to what asks itself, and looks at no token where nothing is asked', async () => {
    const guarded = new Guarded()
    expect(await guarded.serve('Test.Within', {}, 'none-secret')).toBe('none')
    expect(await guarded.serve('Test.Within', {}, 'unknown')).toBe('token-not-found')
    expect(await guarded.serve('Test.Open', {}, 'unknown')).toBe(true)
    expect(guarded.tokens.resolved).toEqual([])
  })

  it('shows what another token may see where it answers on its behalf, whatever the caller may', async () => {
    const guarded = new Guarded()
    await guarded.write('a/1', 'b/1')
    const found = () =>
      Promise.all(
        ['all-secret', 'none-secret', 'unknown'].map((token) =>
          guarded.serve('Test.OnBehalf', { prefix: '' }, token, stale),
        ),
      )
    expect(await found()).toEqual([['a/1', 'b/1'], [], 'token-not-found'])
    for (const isKeptHere of [true, false]) {
      guarded.tokens.isKeptHere = isKeptHere
      await guarded.server.request('PUT', '/v1/kv/token', 'a-secret')
      expect(await found()).toEqual([['a/1'], ['a/1'], 'token-not-found'])
      await guarded.server.request('PUT', '/v1/kv/token', 'gone')
      expect(await found()).toEqual(['token-not-found', 'token-not-found', 'token-not-found'])
    }
  })

  it('looks anew whose rights count where that has changed while a token was looked up', async () => {
    const guarded = new Guarded()
    await guarded.write('a/1', 'b/1')
    await guarded.server.request('PUT', '/v1/kv/token', 'none-secret')
    guarded.tokens.isKeptHere = false
    const found = guarded.serve('Test.OnBehalf', { prefix: '' }, 'all-secret', stale)
    await guarded.server.request('PUT', '/v1/kv/token', 'a-secret')
    expect(await found).toEqual(['a/1'])
  })

  it('resolves a token that it does not know in this turn, and takes none for the anonymous one', async () => {
    const guarded = new Guarded()
    guarded.tokens.isKeptHere = false
    expect(await guarded.names('a-secret')).toEqual([])
    expect(await guarded.serve('Test.Within', {}, '')).toBe('token-not-found')
    expect(guarded.tokens.resolved).toEqual(['a-secret', ''])
  })

  it('answers in the same turn where the token is known, with what it may see', async () => {
    const guarded = new Guarded()
    await guarded.write('a/1', 'b/1')
    const now = (token: string, consistency: ReadOptions['consistency'] = 'default') => {
      const answer = guarded.dispatch.answerNow(
        keyNames as QueryEndpoint,
        { prefix: '' },
        { ...stale, consistency },
        token,
      )
      return answer === undefined ? undefined : shown(answer)
    }
    expect([now('a-secret'), now('all-secret', 'stale')]).toEqual([['a/1'], ['a/1', 'b/1']])
    expect([now('none-secret'), now('unknown')]).toEqual(['permission-denied', 'token-not-found'])
    guarded.tokens.isKeptHere = false
    expect(now('a-secret')).toBeUndefined()
  })
})
