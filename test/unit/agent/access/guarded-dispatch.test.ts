import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { unrestricted } from '../../../../src/access/authorizer.ts'
import { Gate } from '../../../../src/agent/access/gate.ts'
import { Dispatch } from '../../../../src/agent/requests/serving/dispatch.ts'
import type { Served } from '../../../../src/agent/requests/serving/seen-results.ts'
import { textOf } from '../../../../src/base/bytes.ts'
import { err, ok, type Result } from '../../../../src/base/result.ts'
import type { Env } from '../../../../src/env/env.ts'
import type { Fields } from '../../../../src/env/observe.ts'
import {
  asks,
  filters,
  filtersOnBehalf,
  keptOf,
  open,
  refusedUnlessAllowed,
  within,
} from '../../../../src/features/contract/access.ts'
import type {
  EndpointDefinition,
  QueryEndpoint,
  ServerEndpoint,
  WriteEndpoint,
} from '../../../../src/features/contract/endpoint.ts'
import type { ReadOptions } from '../../../../src/features/contract/reading.ts'
import { oneForAll } from '../../../../src/features/contract/visible-index.ts'
import { getEndpoint, keysEndpoint } from '../../../../src/features/kv/endpoint.ts'
import { kvFeature } from '../../../../src/features/kv/feature.ts'
import { valueBytes } from '../../../../src/features/kv/model.ts'
import type { Failure } from '../../../../src/model/failure.ts'
import { modifyIndexOf, noChange } from '../../../../src/model/log-position.ts'
import type { RequestRefusal } from '../../../../src/raft/core/types.ts'
import { HandClock, settled } from '../../features/hand-clock.ts'
import { LoneServer } from '../../features/lone-server.ts'
import { allowing, KnownTokens } from './known-tokens.ts'

const keyNames: QueryEndpoint<{ prefix: string }, readonly string[]> = {
  method: 'Test.Names',
  kind: 'query',
  args: z.object({ prefix: z.string() }),
  reply: z.array(z.string()),
  access: filters(
    (authorizer, names) => keptOf(names, (name) => authorizer.allows('key', name, 'read')),
    oneForAll('of a test'),
    (authorizer, args) => refusedUnlessAllowed(authorizer, 'session', args.prefix, 'read'),
  ),
  query: (tx, args) => keysEndpoint.query(tx, { prefix: args.prefix, separator: '' }),
}

const seen: string[] = []
const write: WriteEndpoint<{ node: string }, string> = {
  method: 'Test.Write',
  kind: 'write',
  args: z.object({ node: z.string() }),
  reply: z.string(),
  access: asks((authorizer, { node }) => refusedUnlessAllowed(authorizer, 'node', node, 'write')),
  serve: async (_server, { node }, _identity, authorizer) => {
    seen.push(`${node} by ${authorizer.accessor}`)
    return ok(node)
  },
}
const inside: ServerEndpoint<object, string> = {
  method: 'Test.Within',
  kind: 'server',
  args: z.object({}),
  reply: z.string(),
  leader: false,
  access: within('it asks itself'),
  serve: async (_server, _args, authorizer) => ok(authorizer.accessor),
}
const openToAll: ServerEndpoint<object, boolean> = {
  ...inside,
  method: 'Test.Open',
  reply: z.boolean(),
  access: open('no secret'),
  serve: async (_server, _args, authorizer) => ok(authorizer === unrestricted),
}
/** The key `token` holds the secret of the token whose rights count. */
const onBehalf: QueryEndpoint<{ prefix: string }, readonly string[]> = {
  ...keyNames,
  method: 'Test.OnBehalf',
  access: filtersOnBehalf(
    (_args, tx) => {
      const value = getEndpoint.query(tx, { key: 'token' }).value?.value
      return value === undefined ? '' : textOf(valueBytes(value))
    },
    (authorizer, names) => keptOf(names, (name) => authorizer.allows('key', name, 'read')),
    oneForAll('of a test'),
  ),
}

const stale: ReadOptions = { consistency: 'stale', minIndex: noChange, waitMs: 0, maxStaleMs: 0, datacenter: '' }

/** A server with the keys a/1, a/2 and b/1, and tokens `all`, `a` (keys below a/ alone) and `none`. */
class Guarded {
  readonly clock = new HandClock()
  readonly lines: { readonly text: string; readonly fields: Fields | undefined }[] = []
  readonly denied: string[] = []
  /** Undefined: what this leader knows is whole. Else when it is, or that it leads no more. */
  settled: Promise<Result<number, RequestRefusal>> | undefined
  readonly server: LoneServer
  readonly tokens = new KnownTokens()
  readonly dispatch: Dispatch

  constructor() {
    const env = {
      ...this.clock.env,
      log: {
        enabled: () => true,
        write: (_l: string, _t: string, text: string, fields?: Fields) => this.lines.push({ text, fields }),
      },
      metrics: {
        count: (name: string) => name.startsWith('acl.') && this.denied.push(name),
        gauge: () => {},
        sample: () => {},
      },
    } as unknown as Env
    this.server = new LoneServer(env)
    const endpoints = [
      keyNames,
      write,
      inside,
      openToAll,
      onBehalf,
      ...(kvFeature.endpoints ?? []),
    ] as EndpointDefinition[]
    const raft = {
      ...this.server.context.raft,
      leaseReadsNow: () => true,
      leadsSettled: () => this.settled === undefined,
      leaseRead: async () => (await this.settled) ?? ok(1),
    }
    const context = { ...this.server.context, raft: raft as never }
    this.dispatch = new Dispatch(context, this.server.state.store, endpoints, {}, new Gate(env, this.tokens))
    this.tokens.set('all-secret', unrestricted)
    this.tokens.set('a-secret', belowA())
    this.tokens.set(
      'none-secret',
      allowing('none', () => false),
    )
  }

  async write(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.server.request('PUT', `/v1/kv/${key}`, 'x')
  }

  async serve(method: string, args: unknown, token: string, read?: ReadOptions): Promise<unknown> {
    return shown(await this.dispatch.serve(method, { args, token, ...(read === undefined ? {} : { read }) }, {}))
  }

  names(token: string): Promise<unknown> {
    return this.serve('Test.Names', { prefix: '' }, token, stale)
  }

  async served(token: string): Promise<Served> {
    const result = await this.dispatch.serve('Test.Names', { args: { prefix: '' }, read: stale, token }, {})
    if (!result.ok) throw new Error(result.error.kind)
    return result.value as Served
  }
}

function belowA(accessor = 'a') {
  return allowing(
    accessor,
    ({ resource, name }) => resource === 'session' || (resource === 'key' && name.startsWith('a/')),
  )
}

function shown(result: Result<unknown, Failure>): unknown {
  if (!result.ok) return result.error.kind
  const value = result.value as Partial<Served>
  return value?.meta === undefined ? result.value : value.value
}

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

  it('of a leader that is none any more before its state is whole, goes to the next one, and nothing was done', async () => {
    const guarded = new Guarded()
    guarded.settled = Promise.resolve(err({ kind: 'leadership-lost' }))
    seen.length = 0
    expect(await guarded.serve('Test.Write', { node: 'web-1' }, 'all-secret')).toBe('not-leader')
    expect(seen).toEqual([])
  })

  it('says in its log that a call came with a token that is none, and not with which', async () => {
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
