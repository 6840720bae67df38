import { describe, expect, it } from 'vitest'
import { AnswerCache } from '../../../src/agent/requests/asking/answer-cache.ts'
import { utf8 } from '../../../src/base/bytes.ts'
import { memoryOf } from '../../../src/base/memory-estimate.ts'
import { err, ok, type Result } from '../../../src/base/result.ts'
import { serviceNodesEndpoint } from '../../../src/features/catalog/endpoint.ts'
import type { CallOptions } from '../../../src/features/contract/call.ts'
import type { Answer, ReadOptions } from '../../../src/features/contract/reading.ts'
import { tagsSent } from '../../../src/features/discovery/tag-filter.ts'
import type { Failure } from '../../../src/model/failure.ts'
import { modifyIndexOf, noChange } from '../../../src/model/log-position.ts'
import { HandClock, settled } from '../features/hand-clock.ts'

const plain: ReadOptions = { consistency: 'default', minIndex: noChange, waitMs: 0, maxStaleMs: 0, datacenter: '' }

/** Servers whose answers are as long as the test says; each blocking read ends when it says so. */
class LongAnswers {
  readonly clock = new HandClock()
  readonly cache: AnswerCache
  /** What ends the blocking read of each tag. */
  readonly ends = new Map<string, (answer: Result<Answer<string>, Failure>) => void>()
  index = 5
  letters = 1_000
  reads = 0

  constructor(bytesMax: number, selectionBytesMax = 1 << 20) {
    const query = async (_: unknown, args: { readonly service: string }, read: ReadOptions, call: CallOptions) =>
      read.minIndex === 0 ? ok(this.answer()) : this.#blocking(args.service, call)
    const calls = { query: query as never, tokenOf: () => '' }
    this.cache = new AnswerCache(this.clock.env, calls, undefined, { bytesMax, selectionBytesMax })
  }

  answer(): Answer<string> {
    const meta = { index: modifyIndexOf(this.index), knownLeader: true, lastContactMs: 0 }
    return { value: 'x'.repeat(this.letters), meta }
  }

  async ask(tag: string): Promise<{ readonly hit: boolean; readonly answer: Answer<unknown> }> {
    const args = { service: tag, ...tagsSent([]) }
    const asked = await this.cache.get(serviceNodesEndpoint, args, plain, { revalidate: false }, {})
    if (!asked.ok) throw new Error(asked.error.kind)
    return asked.value
  }

  /** The servers have changed: the answer for one tag is new. */
  async change(tag: string): Promise<void> {
    this.index++
    this.ends.get(tag)?.(ok(this.answer()))
    await settled()
  }

  #blocking(tag: string, call: CallOptions): Promise<Result<Answer<string>, Failure>> {
    this.reads++
    return new Promise((resolve) => {
      this.ends.set(tag, resolve)
      call.onAbort?.(() => {
        this.reads--
        resolve(err({ kind: 'cancelled' }))
      })
    })
  }
}

describe('the memory of answers that an agent keeps', () => {
  it('is bounded: the longest unasked go, with their blocking reads', async () => {
    const servers = new LongAnswers(1 << 20)
    servers.letters = 100_000
    for (let at = 0; at < 20; at++) await servers.ask(`tag-${at}`)
    const { answers, bytes } = servers.cache.size
    expect([answers > 2, answers < 8, bytes <= 1 << 20, servers.reads]).toEqual([true, true, true, answers])
    expect([(await servers.ask('tag-19')).hit, (await servers.ask('tag-0')).hit]).toEqual([true, false])
    servers.cache.stop()
    expect(servers.cache.size).toEqual({ answers: 0, bytes: 0, selectionBytes: 0 })
  })

  it('is bounded when answers grow while they are kept, and is free again when they shrink', async () => {
    const servers = new LongAnswers(1 << 20)
    for (const tag of ['a', 'b', 'c']) await servers.ask(tag)
    const before = servers.cache.size.bytes
    servers.letters = 200_000
    for (const tag of ['c', 'b', 'a']) await servers.change(tag)
    expect([servers.cache.size.answers, servers.cache.size.bytes <= 1 << 20]).toEqual([2, true])
    expect([(await servers.ask('b')).hit, (await servers.ask('c')).hit]).toEqual([true, true])
    servers.letters = 1_000
    for (const tag of ['b', 'c']) await servers.change(tag)
    await servers.ask('a')
    expect(servers.cache.size.bytes).toBe(before)
    servers.cache.stop()
  })

  it('holds no answer that alone is too large, which its caller gets nevertheless, and drops no other for it', async () => {
    const servers = new LongAnswers(1 << 20)
    await servers.ask('other')
    const { bytes } = servers.cache.size
    servers.letters = 1 << 20
    const { hit, answer } = await servers.ask('a')
    await settled()
    const { cache } = servers
    expect([hit, (answer.value as string).length, cache.size.bytes, servers.reads]).toEqual([false, 1 << 20, bytes, 1])
    servers.letters = 1_000
    await servers.ask('a')
    servers.letters = 1 << 20
    await servers.change('a')
    expect([cache.size.answers, cache.size.bytes, (await servers.ask('other')).hit]).toEqual([1, bytes, true])
    cache.stop()
    await settled()
    expect(servers.clock.timers).toBe(0)
  })

  it('includes the encoded forms, which an answer loses with its next change', async () => {
    const servers = new LongAnswers(1 << 20)
    await servers.ask('a')
    const before = servers.cache.size.bytes
    for (let at = 0; at < 2; at++) {
      const forms = (await servers.ask('a')).answer.forms
      expect(forms?.bytesOf('list', () => utf8('y'.repeat(10_000))).length).toBe(10_000)
    }
    expect(servers.cache.size.bytes).toBe(before + 20_000)
    const old = (await servers.ask('a')).answer.forms
    await servers.change('a')
    expect(old?.bytesOf('late', () => utf8('y'.repeat(10_000))).length).toBe(10_000)
    expect(servers.cache.size.bytes).toBe(before)
    servers.cache.stop()
  })

  it('is bounded when callers select parts of one answer by ever new filters', async () => {
    const servers = new LongAnswers(1 << 20, 1 << 16)
    await servers.ask('a')
    await servers.change('a')
    for (let at = 0; at < 1_000; at++) {
      const part = await (await servers.ask('a')).answer.forms?.selected(`filter ${at}`, async () =>
        ok(new Uint32Array(8)),
      )
      if (part?.ok) part.value.bytesOf('list', () => utf8('y'.repeat(1_000)))
    }
    const { selectionBytes } = servers.cache.size
    expect([selectionBytes > 1 << 15, selectionBytes <= 1 << 16]).toEqual([true, true])
    servers.cache.stop()
    expect(servers.cache.size.selectionBytes).toBe(0)
  })
})

describe('the estimate of memory', () => {
  it('counts every text, byte string, list, object and map', () => {
    const text = 24 + 2 * 3
    expect([memoryOf(null), memoryOf(7), memoryOf('abc'), memoryOf(new Uint8Array(10))]).toEqual([0, 0, text, 138])
    expect(memoryOf(['abc', 1])).toBe(48 + 2 * 16 + text)
    expect(memoryOf({ one: 'abc', two: ['abc'] })).toBe(48 + 2 * 16 + text + 48 + 16 + text)
    expect(memoryOf(new Map([['abc', 'abc']]))).toBe(48 + 32 + 2 * text)
  })
})
