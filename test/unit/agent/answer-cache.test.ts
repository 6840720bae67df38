import { describe, expect, it } from 'vitest'
import { type Authorizer, managementOf } from '../../../src/access/authorizer.ts'
import { AnswerCache } from '../../../src/agent/requests/asking/answer-cache.ts'
import { err, ok, type Result } from '../../../src/base/result.ts'
import { serviceNodesEndpoint } from '../../../src/features/catalog/endpoint.ts'
import type { PlacedService } from '../../../src/features/catalog/model.ts'
import { rootsEndpoint } from '../../../src/features/connect/read-endpoints.ts'
import type { CallOptions, Freshness } from '../../../src/features/contract/call.ts'
import type { Answer, ReadOptions } from '../../../src/features/contract/reading.ts'
import { tagsSent } from '../../../src/features/discovery/tag-filter.ts'
import type { Failure } from '../../../src/model/failure.ts'
import { modifyIndexOf, noChange } from '../../../src/model/log-position.ts'
import { HandClock, settled } from '../features/hand-clock.ts'

const plain: ReadOptions = { consistency: 'default', minIndex: noChange, waitMs: 0, maxStaleMs: 0, datacenter: '' }
const anyAge: Freshness = { revalidate: false }

/** Servers whose answer to everything is a number, and which say when a blocking read ends. */
class Servers {
  readonly clock = new HandClock()
  readonly cache: AnswerCache
  readonly calls: ConstructorParameters<typeof AnswerCache>[1]
  readonly reads: { readonly read: ReadOptions; readonly end: (answer: Result<Answer<number>, Failure>) => void }[] = []
  index = 5
  failing = false
  refused = false
  /** Blocking reads reach the servers only after this, and cannot be ended before. */
  onTheWay: Promise<void> | undefined
  /** Blocking reads are answered at once, whatever index they wait for. */
  hasty = false
  /** Of all reads, in order. */
  readonly tokens: (string | undefined)[] = []

  constructor() {
    const query = async (_endpoint: unknown, _args: unknown, read: ReadOptions, options: CallOptions) => {
      this.tokens.push(options.token)
      // An agent that asks without a pause would never come to an end.
      if (this.tokens.length > 10_000) this.cache.stop()
      if (this.refused) return err({ kind: 'permission-denied', message: 'Permission denied' } as const)
      if (read.minIndex > 0) {
        await this.onTheWay
        if (this.hasty) {
          this.reads.push({ read, end: () => {} })
          return ok(this.answer())
        }
        return this.#blocking(read, options)
      }
      return this.failing ? err({ kind: 'no-servers' } as const) : ok(this.answer())
    }
    this.calls = { query: query as never, tokenOf: ({ token }: CallOptions) => token ?? '' }
    this.cache = new AnswerCache(this.clock.env, this.calls)
  }

  answer(): Answer<number> {
    return { value: this.index * 10, meta: { index: modifyIndexOf(this.index), knownLeader: true, lastContactMs: 0 } }
  }

  #blocking(read: ReadOptions, options: CallOptions): Promise<Result<Answer<number>, Failure>> {
    return new Promise((resolve) => {
      this.reads.push({ read, end: resolve })
      options.onAbort?.(() => resolve(err({ kind: 'cancelled' })))
    })
  }

  async change(to: number): Promise<void> {
    this.index = to
    this.reads.at(-1)?.end(ok(this.answer()))
    await settled()
  }

  ask(freshness: Freshness = anyAge, tags: readonly string[] = [], read: ReadOptions = plain, token = '') {
    return this.cache.get(serviceNodesEndpoint, { service: 'web', ...tagsSent(tags) }, read, freshness, { token })
  }
}

function told(result: Awaited<ReturnType<Servers['ask']>>): unknown {
  if (!result.ok) return result.error.kind
  const { answer, hit, ageMs } = result.value
  return [answer.value as unknown as readonly PlacedService[], hit ? 'HIT' : 'MISS', ageMs]
}

describe('answers that an agent keeps', () => {
  it('are asked for once, of any server, and kept fresh by a blocking read', async () => {
    const servers = new Servers()
    expect(told(await servers.ask())).toEqual([50, 'MISS', 0])
    expect(told(await servers.ask())).toEqual([50, 'HIT', 0])
    expect(servers.reads.map(({ read }) => [read.consistency, read.minIndex])).toEqual([['stale', 5]])
    await servers.change(7)
    expect(told(await servers.ask())).toEqual([70, 'HIT', 0])
    expect(servers.reads.map(({ read }) => read.minIndex)).toEqual([5, 7])
    servers.cache.stop()
  })

  it('are known by the whole question: other tags are another', async () => {
    const servers = new Servers()
    await servers.ask(anyAge, ['a'])
    servers.index = 6
    expect(told(await servers.ask(anyAge, ['zzz']))).toEqual([60, 'MISS', 0])
    expect(told(await servers.ask(anyAge, ['a']))).toEqual([50, 'HIT', 0])
    servers.cache.stop()
  })

  it('grow old from when keeping them fresh fails, and how old one may be is the caller’s choice', async () => {
    const servers = new Servers()
    await servers.ask()
    servers.failing = true
    servers.reads.at(-1)?.end(err({ kind: 'no-servers' }))
    await settled()
    await servers.clock.advance(900)
    expect(told(await servers.ask())).toEqual([50, 'HIT', 900])
    expect(told(await servers.ask({ revalidate: false, maxAgeMs: 1_000 }))).toEqual([50, 'HIT', 900])
    expect(told(await servers.ask({ revalidate: false, maxAgeMs: 500 }))).toBe('no-servers')
    expect(told(await servers.ask({ revalidate: true }))).toBe('no-servers')
    expect(told(await servers.ask({ revalidate: true, staleIfErrorMs: 1_000 }))).toEqual([50, 'HIT', 900])
    servers.failing = false
    servers.index = 8
    expect(told(await servers.ask({ revalidate: true }))).toEqual([80, 'MISS', 0])
    servers.cache.stop()
    await settled()
    expect(servers.clock.timers).toBe(0)
  })

  it('are fresh as soon as servers can be asked again, though nothing has changed or indexes began anew', async () => {
    for (const index of [5, 2]) {
      const servers = new Servers()
      await servers.ask()
      servers.failing = true
      servers.reads.at(-1)?.end(err({ kind: 'no-servers' }))
      await settled()
      await servers.clock.advance(1_500)
      expect(told(await servers.ask())).toEqual([50, 'HIT', 1_500])
      servers.failing = false
      servers.index = index
      await servers.clock.advance(1_500)
      expect(told(await servers.ask())).toEqual([index * 10, 'HIT', 0])
      expect(servers.reads.map(({ read }) => read.minIndex)).toEqual([5, index])
      servers.cache.stop()
    }
  })

  it('are no older than their last fetch, if a blocking read that began before it fails', async () => {
    const servers = new Servers()
    await servers.ask()
    await servers.clock.advance(2_000)
    expect(told(await servers.ask({ revalidate: true }))).toEqual([50, 'MISS', 0])
    await servers.clock.advance(500)
    servers.reads.at(-1)?.end(err({ kind: 'no-servers' }))
    await settled()
    expect(told(await servers.ask())).toEqual([50, 'HIT', 500])
    servers.cache.stop()
  })

  it('are soon newer again after the answer of a server that is behind, which no waiting caller gets', async () => {
    const servers = new Servers()
    servers.index = 9
    await servers.ask()
    const waiting = servers.ask(anyAge, [], { ...plain, minIndex: modifyIndexOf(9), waitMs: 60_000 })
    await settled()
    servers.index = 7
    expect(told(await servers.ask({ revalidate: true }))).toEqual([70, 'MISS', 0])
    await settled()
    expect(servers.reads.map(({ read }) => read.minIndex)).toEqual([9, 7])
    await servers.change(9)
    expect(told(await servers.ask())).toEqual([90, 'HIT', 0])
    await servers.change(11)
    expect(told(await waiting)).toEqual([110, 'HIT', 0])
    servers.cache.stop()
  })

  it('are soon newer again also if the blocking read was still on its way when an older answer came', async () => {
    const servers = new Servers()
    let arrive = (): void => undefined
    servers.onTheWay = new Promise((resolve) => {
      arrive = resolve
    })
    servers.index = 9
    await servers.ask()
    servers.index = 7
    expect(told(await servers.ask({ revalidate: true }))).toEqual([70, 'MISS', 0])
    arrive()
    await settled()
    expect(servers.reads.map(({ read }) => read.minIndex)).toEqual([9, 7])
    await servers.change(9)
    expect(told(await servers.ask())).toEqual([90, 'HIT', 0])
    servers.cache.stop()
  })

  it('are at once those of a restored state, whose indexes are lower', async () => {
    const servers = new Servers()
    servers.index = 9
    await servers.ask()
    servers.index = 4
    expect(told(await servers.ask({ revalidate: true }))).toEqual([40, 'MISS', 0])
    expect(told(await servers.ask())).toEqual([40, 'HIT', 0])
    await servers.change(5)
    expect(told(await servers.ask())).toEqual([50, 'HIT', 0])
    servers.failing = true
    servers.reads.at(-1)?.end(err({ kind: 'no-servers' }))
    await settled()
    await servers.clock.advance(900)
    expect(told(await servers.ask())).toEqual([50, 'HIT', 900])
    servers.cache.stop()
    await settled()
    expect(servers.clock.timers).toBe(0)
  })

  it('are waited for by their index', async () => {
    const servers = new Servers()
    await servers.ask()
    const waiting = servers.ask(anyAge, [], { ...plain, minIndex: modifyIndexOf(5), waitMs: 60_000 })
    await settled()
    // What others are answered, and the end of a blocking read without news, wake no waiting caller.
    expect(told(await servers.ask({ revalidate: true }))).toEqual([50, 'MISS', 0])
    await servers.change(5)
    expect(servers.reads.map(({ read }) => read.minIndex)).toEqual([5, 5])
    await servers.change(9)
    expect(told(await waiting)).toEqual([90, 'HIT', 0])
    const inVain = servers.ask(anyAge, [], { ...plain, minIndex: modifyIndexOf(9), waitMs: 60_000 })
    await settled()
    await servers.clock.advance(70_000)
    expect(told(await inVain)).toEqual([90, 'HIT', 0])
    servers.cache.stop()
  })

  it('wake no caller that has a later index of another agent, until that is passed or a restore lowers the index', async () => {
    const servers = new Servers()
    await servers.ask()
    const later = { ...plain, minIndex: modifyIndexOf(9), waitMs: 60_000 }
    const heard: unknown[] = []
    const wait = async () => heard.push(told(await servers.ask(anyAge, [], later)))
    void wait()
    await settled()
    await servers.change(8)
    expect(heard).toEqual([])
    await servers.change(10)
    expect(heard).toEqual([[100, 'HIT', 0]])
    void servers.ask(anyAge, [], { ...later, minIndex: modifyIndexOf(12) }).then((answer) => heard.push(told(answer)))
    await settled()
    await servers.change(3)
    expect(heard.at(-1)).toEqual([30, 'HIT', 0])
    servers.cache.stop()
  })

  it('are of one token, whose blocking read is made with it', async () => {
    const servers = new Servers()
    expect(told(await servers.ask(anyAge, [], plain, 't1'))).toEqual([50, 'MISS', 0])
    expect(told(await servers.ask(anyAge, [], plain, 't2'))).toEqual([50, 'MISS', 0])
    expect(told(await servers.ask(anyAge, [], plain, 't1'))).toEqual([50, 'HIT', 0])
    expect(servers.tokens).toEqual(['t1', 't1', 't2', 't2'])
    servers.cache.stop()
  })

  it('are dropped when their token may not have them any more, and a waiting caller learns why', async () => {
    const servers = new Servers()
    await servers.ask(anyAge, [], plain, 't1')
    const waiting = servers.ask(anyAge, [], { ...plain, minIndex: modifyIndexOf(5), waitMs: 60_000 }, 't1')
    await settled()
    servers.reads.at(-1)?.end(err({ kind: 'token-not-found' }))
    expect(told(await waiting)).toBe('token-not-found')
    await settled()
    expect([servers.cache.size.answers, servers.cache.size.bytes, servers.clock.timers]).toEqual([0, 0, 0])
  })

  it('are not given in place of a refusal', async () => {
    const servers = new Servers()
    await servers.ask()
    servers.refused = true
    expect(told(await servers.ask({ revalidate: true, staleIfErrorMs: 60_000 }))).toBe('permission-denied')
    expect(servers.cache.size.answers).toBe(0)
  })

  it('are given again only while their token has the rights that they were asked for with', async () => {
    const servers = new Servers()
    let rights: Result<Authorizer, Failure> = ok(managementOf('a'))
    const cache = new AnswerCache(servers.clock.env, servers.calls, async () => rights)
    const ask = () => cache.get(serviceNodesEndpoint, { service: 'web' }, plain, anyAge, { token: 't' })
    expect([told(await ask()), told(await ask())]).toEqual([
      [50, 'MISS', 0],
      [50, 'HIT', 0],
    ])
    rights = ok(managementOf('a'))
    // Of a server that is behind: it takes the place of the newer one, which was given for other rights.
    servers.index = 4
    expect([told(await ask()), told(await ask())]).toEqual([
      [40, 'MISS', 0],
      [40, 'HIT', 0],
    ])
    expect(servers.reads.map(({ read }) => read.minIndex)).toEqual([5, 4])
    rights = err({ kind: 'token-not-found' })
    expect(told(await ask())).toBe('token-not-found')
    cache.stop()
  })

  it('are not given after a failure when their token has lost its rights meanwhile', async () => {
    const servers = new Servers()
    let rights: Result<Authorizer, Failure> = ok(managementOf('a'))
    const cache = new AnswerCache(servers.clock.env, servers.calls, async () => rights)
    const freshness = { revalidate: true, staleIfErrorMs: 60_000 }
    const ask = () => cache.get(serviceNodesEndpoint, { service: 'web' }, plain, freshness, { token: 't' })
    await ask()
    servers.failing = true
    expect(told(await ask())).toEqual([50, 'HIT', 0])
    const refused = ask()
    rights = err({ kind: 'token-not-found' })
    expect(told(await refused)).toBe('token-not-found')
    rights = ok(managementOf('a'))
    expect(told(await ask())).toBe('no-servers')
    cache.stop()
  })

  it('are one for all callers where every caller may read them, with an unknown token as well', async () => {
    const servers = new Servers()
    const cache = new AnswerCache(servers.clock.env, servers.calls, async () => err({ kind: 'token-not-found' }))
    const get = (token: string) => cache.get(rootsEndpoint, {}, plain, anyAge, { token })
    expect([told((await get('')) as never), told((await get('nobody')) as never)]).toEqual([
      [50, 'MISS', 0],
      [50, 'HIT', 0],
    ])
    expect(cache.size.answers).toBe(1)
    cache.stop()
  })

  it('are not given to a waiting caller whose rights have changed by then', async () => {
    const servers = new Servers()
    let rights: Result<Authorizer, Failure> = ok(managementOf('a'))
    const cache = new AnswerCache(servers.clock.env, servers.calls, async () => rights)
    const ask = (read: ReadOptions) => cache.get(serviceNodesEndpoint, { service: 'web' }, read, anyAge, { token: 't' })
    await ask(plain)
    const waiting = ask({ ...plain, minIndex: modifyIndexOf(5), waitMs: 60_000 })
    await settled()
    rights = ok(managementOf('a'))
    await servers.change(9)
    expect(told(await waiting)).toEqual([90, 'MISS', 0])
    const refused = ask({ ...plain, minIndex: modifyIndexOf(9), waitMs: 60_000 })
    await settled()
    rights = err({ kind: 'token-not-found' })
    await servers.change(11)
    expect(told(await refused)).toBe('token-not-found')
    cache.stop()
  })

  it('are asked for with growing pauses while servers answer at once without news, as with index 0', async () => {
    for (const index of [0, 5]) {
      const servers = new Servers()
      servers.index = index
      servers.hasty = true
      await servers.ask()
      // Each answer takes some turns.
      for (let turn = 0; turn < 20; turn++) await settled()
      const before = servers.tokens.length
      expect(before).toBeLessThan(5)
      await servers.clock.advance(8_000)
      expect(servers.tokens.length - before).toBe(3)
      // Since the last answer no read would have noticed a change.
      expect(told(await servers.ask())).toEqual([index * 10, 'HIT', 1_000])
      servers.hasty = false
      servers.index = 9
      await servers.clock.advance(8_000)
      await servers.change(9)
      expect(told(await servers.ask())).toEqual([90, 'HIT', 0])
      servers.cache.stop()
      await settled()
      expect(servers.clock.timers).toBe(0)
    }
  })

  it('are bounded: for one more the longest unasked goes, and its blocking read ends', async () => {
    const servers = new Servers()
    for (let at = 0; at < 1_030; at++) await servers.ask(anyAge, [`tag-${at}`])
    expect(servers.cache.size.answers).toBe(1_024)
    servers.index = 6
    expect(told(await servers.ask(anyAge, ['tag-1029']))).toEqual([50, 'HIT', 0])
    expect(told(await servers.ask(anyAge, ['tag-0']))).toEqual([60, 'MISS', 0])
    servers.cache.stop()
  })
})
