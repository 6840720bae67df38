import { describe, expect, it } from 'vitest'
import { unrestricted } from '../../../../src/access/authorizer.ts'
import { AskedTokens } from '../../../../src/agent/access/asked-tokens.ts'
import { Authorizers } from '../../../../src/agent/access/authorizers.ts'
import type { TokenRights, ToldRights } from '../../../../src/agent/access/rights.ts'
import type { DownPolicy } from '../../../../src/agent/settings/access-settings.ts'
import { err, ok, type Result } from '../../../../src/base/result.ts'
import type { Env } from '../../../../src/env/env.ts'
import type { Failure } from '../../../../src/model/failure.ts'
import { modifyIndexOf, noChange } from '../../../../src/model/log-position.ts'
import { HandClock, settled } from '../../features/hand-clock.ts'

const ttlMs = 30_000

/** Servers that know tokens by the keys that they may write, and what an agent makes of them. */
class Asking {
  readonly clock = new HandClock()
  readonly env = {
    ...this.clock.env,
    metrics: { count: () => {}, gauge: () => {}, sample: () => {} },
  } as unknown as Env
  readonly tokens: AskedTokens
  readonly known = new Map<string, string>()
  /** Secrets that were asked for, in order. */
  readonly asked: string[] = []
  /** Instead of an answer. */
  failure: Failure | undefined
  /** How old what is told is known to be. */
  ageMs = 0
  /** Of the state that answers rest on. */
  stateIndex = noChange
  /** Answers that wait for the test to let them go. */
  held: (() => void)[] | undefined
  /** After so many questions no answer comes any more. */
  answersMax = Number.POSITIVE_INFINITY

  constructor(downPolicy: DownPolicy = 'extend-cache', findingMs = 0, ofTtlMs = ttlMs) {
    const authorizers = new Authorizers({
      env: this.env,
      defaultPolicy: 'deny',
      keyListPolicy: false,
      enforces: undefined,
    })
    const ask = (secret: string) => this.#ask(secret)
    const stateIndex = () => this.stateIndex
    this.tokens = new AskedTokens({
      ...{ env: this.env, authorizers, downPolicy, ttlMs: ofTtlMs, findingMs, ask, stateIndex },
    })
  }

  async #ask(secret: string): Promise<Result<ToldRights, Failure>> {
    this.asked.push(secret)
    if (this.asked.length > this.answersMax) this.held = []
    const { held } = this
    if (held !== undefined) await new Promise<void>((resolve) => held.push(resolve))
    if (this.failure !== undefined) return err(this.failure)
    const key = this.known.get(secret)
    return key === undefined ? err({ kind: 'token-not-found' }) : ok({ rights: writing(key), ageMs: this.ageMs })
  }

  /** Whether it may write the key now; or why every request is refused. */
  async mayWrite(secret: string, key: string): Promise<boolean | string> {
    const resolved = await this.tokens.resolve(secret)
    return resolved.ok ? resolved.value.allows('key', key, 'write') : resolved.error.kind
  }
}

function writing(key: string): TokenRights {
  const text = `key "${key}" { policy = "write" }`
  return { accessor: `accessor of ${key}`, management: false, rules: [{ policy: 'p', grammar: 'new', text }] }
}

const unreachable: Failure = { kind: 'no-servers' }

describe('an agent that has just started', () => {
  it('looks for a server that can answer before the down policy counts, and asks again as soon as one appears', async () => {
    const asking = new Asking('deny', 7_000)
    asking.known.set('t', 'a')
    asking.failure = { kind: 'unknown-datacenter', datacenter: 'dc1' }
    const first = asking.mayWrite('t', 'a')
    await settled()
    await asking.clock.advance(1_200)
    expect(asking.asked).toEqual(['t', 't', 't'])
    asking.failure = undefined
    asking.tokens.hope()
    expect(await first).toBe(true)
    expect([asking.asked.length, asking.clock.timers]).toEqual([4, 0])
  })

  it('goes by the down policy when its time for that is over, and at once from then on', async () => {
    const asking = new Asking('deny', 7_000)
    asking.failure = unreachable
    const first = asking.mayWrite('t', 'a')
    await settled()
    await asking.clock.advance(7_000)
    expect(await first).toBe(false)
    const asked = asking.asked.length
    expect(await asking.mayWrite('other', 'a')).toBe(false)
    expect(asking.asked.length).toBe(asked + 1)
  })

  it('takes what it is told, be it that there is no such token', async () => {
    const asking = new Asking('deny', 7_000)
    expect([await asking.mayWrite('t', 'a'), asking.asked]).toEqual(['token-not-found', ['t']])
  })
})

describe('a token that servers are asked for', () => {
  it('is requested once for all concurrent callers, and then cached for as long as answers are valid', async () => {
    const asking = new Asking()
    asking.known.set('t', 'a')
    expect(await Promise.all([asking.mayWrite('t', 'a'), asking.mayWrite('t', 'b')])).toEqual([true, false])
    await asking.clock.advance(ttlMs - 1)
    expect([await asking.mayWrite('t', 'a'), asking.asked]).toEqual([true, ['t']])
    await asking.clock.advance(1)
    expect([await asking.mayWrite('t', 'a'), asking.asked]).toEqual([true, ['t', 't']])
  })

  it('keeps its authorizer as long as its rights stay the same', async () => {
    const asking = new Asking()
    asking.known.set('t', 'a')
    const first = await asking.tokens.resolve('t')
    await asking.clock.advance(ttlMs)
    const second = await asking.tokens.resolve('t')
    expect(first.ok && second.ok && first.value === second.value).toBe(true)
    asking.known.set('t', 'b')
    await asking.clock.advance(ttlMs)
    expect(await asking.mayWrite('t', 'a')).toBe(false)
  })

  it('has had its rights since the state in which they were learned, on an agent that keeps one', async () => {
    const asking = new Asking()
    asking.known.set('t', 'a')
    asking.stateIndex = modifyIndexOf(40)
    await asking.mayWrite('t', 'a')
    asking.stateIndex = modifyIndexOf(50)
    await asking.clock.advance(ttlMs)
    await asking.mayWrite('t', 'a')
    expect([asking.tokens.since('t'), asking.tokens.since('other')]).toEqual([40, 0])
    asking.known.set('t', 'b')
    await asking.clock.advance(ttlMs)
    await asking.mayWrite('t', 'b')
    expect(asking.tokens.since('t')).toBe(50)
    asking.stateIndex = modifyIndexOf(60)
    asking.known.delete('t')
    await asking.clock.advance(ttlMs)
    await asking.mayWrite('t', 'b')
    asking.known.set('t', 'b')
    asking.stateIndex = modifyIndexOf(70)
    await asking.clock.advance(ttlMs)
    await asking.mayWrite('t', 'b')
    expect(asking.tokens.since('t')).toBe(70)
  })

  it('is refused once its answer has run out after it was revoked, whatever the down policy', async () => {
    for (const downPolicy of ['allow', 'deny', 'extend-cache'] as const) {
      const asking = new Asking(downPolicy)
      asking.known.set('t', 'a')
      await asking.mayWrite('t', 'a')
      asking.known.delete('t')
      await asking.clock.advance(ttlMs)
      expect(await asking.mayWrite('t', 'a')).toBe('token-not-found')
    }
  })

  it('that is not there is asked for again soon, for it may have been made', async () => {
    const asking = new Asking()
    expect(await asking.mayWrite('t', 'a')).toBe('token-not-found')
    asking.known.set('t', 'a')
    expect([await asking.mayWrite('t', 'a'), asking.asked.length]).toEqual(['token-not-found', 1])
    await asking.clock.advance(1_000)
    expect(await asking.mayWrite('t', 'a')).toBe(true)
  })

  it('is cached for less long by the age that the answering server reported', async () => {
    const asking = new Asking()
    asking.known.set('t', 'a')
    asking.ageMs = ttlMs - 5_000
    await asking.mayWrite('t', 'a')
    await asking.clock.advance(4_999)
    expect(asking.tokens.now('t')).toBeDefined()
    await asking.clock.advance(1)
    expect(asking.tokens.now('t')).toBeUndefined()
    // An answer of a server that can ask no other is valid only for a moment.
    asking.ageMs = ttlMs * 10
    await asking.mayWrite('t', 'a')
    await asking.clock.advance(999)
    expect(asking.tokens.now('t')).toBeDefined()
    await asking.clock.advance(1)
    expect(asking.tokens.now('t')).toBeUndefined()
  })

  it.each(['allow', 'deny', 'manage'])('cannot be %s', async (secret) => {
    const asking = new Asking('allow')
    expect(await asking.tokens.resolve(secret)).toEqual(err({ kind: 'refused', message: 'Cannot resolve root ACL' }))
    expect(asking.asked).toEqual([])
  })

  it('cannot be longer than is looked at', async () => {
    const asking = new Asking('allow')
    expect(await asking.mayWrite('x'.repeat(4_097), 'a')).toBe('token-not-found')
    expect(asking.asked).toEqual([])
  })
})

describe('while no server can tell what tokens may do', () => {
  const inOutage = async (downPolicy: DownPolicy) => {
    const asking = new Asking(downPolicy)
    asking.known.set('t', 'a')
    await asking.mayWrite('t', 'a')
    asking.failure = unreachable
    await asking.clock.advance(ttlMs)
    return asking
  }

  it.each([
    ['extend-cache', [true, false, false]],
    ['async-cache', [true, false, false]],
    ['deny', [false, false, false]],
    ['allow', [true, true, true]],
  ] as const)('%s: what was known counts or not, what was not is let in or not', async (downPolicy, expected) => {
    const asking = await inOutage(downPolicy)
    expect([
      await asking.mayWrite('t', 'a'),
      await asking.mayWrite('t', 'b'),
      await asking.mayWrite('other', 'a'),
    ]).toEqual(expected)
  })

  it('allow gives no access to tokens and policies themselves', async () => {
    const asking = await inOutage('allow')
    const resolved = await asking.tokens.resolve('t')
    expect(resolved.ok && [resolved.value.unrestricted, resolved.value.allows('acl', '', 'write')]).toEqual([
      false,
      false,
    ])
  })

  it('a repeated request is not held up by attempts, of which there is one a second, and the first answer counts', async () => {
    const asking = await inOutage('extend-cache')
    await asking.mayWrite('t', 'a')
    asking.known.delete('t')
    const before = asking.asked.length
    for (let at = 0; at < 20; at++) {
      expect(asking.tokens.now('t')).toBeDefined()
      await asking.clock.advance(100)
    }
    expect(asking.asked.length - before).toBe(1)
    asking.failure = undefined
    await asking.clock.advance(1_000)
    expect(asking.tokens.now('t')?.ok).toBe(true)
    await settled()
    expect(asking.tokens.now('t')).toEqual(err({ kind: 'token-not-found' }))
  })

  it('and a server answers again, the next request waits for the answer', async () => {
    const asking = await inOutage('extend-cache')
    await asking.mayWrite('t', 'a')
    asking.known.delete('t')
    asking.failure = undefined
    asking.tokens.hope()
    expect(asking.tokens.now('t')).toBeUndefined()
    expect(await asking.mayWrite('t', 'a')).toBe('token-not-found')
  })

  it('a refusal that is kept widens nothing, but by the policy to allow', async () => {
    for (const [downPolicy, expected] of [
      ['extend-cache', 'token-not-found'],
      ['deny', false],
      ['allow', true],
    ] as const) {
      const asking = new Asking(downPolicy)
      await asking.mayWrite('t', 'a')
      asking.failure = unreachable
      await asking.clock.advance(ttlMs)
      expect(await asking.mayWrite('t', 'a')).toBe(expected)
    }
  })

  it('other agents are told that, unless something is known of old', async () => {
    const asking = await inOutage('allow')
    expect(await asking.tokens.rights('t')).toEqual(err(unreachable))
    const keeping = await inOutage('extend-cache')
    expect(await keeping.tokens.rights('t')).toMatchObject({ ok: true, value: { ageMs: ttlMs } })
    expect(await keeping.tokens.rights('other')).toEqual(err(unreachable))
  })
})

describe('async-cache', () => {
  it('gives what has run out while it asks behind', async () => {
    const asking = new Asking('async-cache')
    asking.known.set('t', 'a')
    await asking.mayWrite('t', 'a')
    asking.known.delete('t')
    asking.held = []
    await asking.clock.advance(ttlMs)
    expect(await asking.mayWrite('t', 'a')).toBe(true)
    expect(await asking.mayWrite('t', 'a')).toBe(true)
    expect(asking.asked).toEqual(['t', 't'])
    asking.held[0]?.()
    await settled()
    expect(await asking.mayWrite('t', 'a')).toBe('token-not-found')
  })
})

describe('servers that have access control off', () => {
  it('are taken at their word for two minutes: all is allowed, to all', async () => {
    const asking = new Asking('deny')
    asking.failure = { kind: 'access-control-off' }
    expect(await asking.tokens.resolve('t')).toEqual(ok(unrestricted))
    expect(await asking.tokens.resolve('other')).toEqual(ok(unrestricted))
    expect(asking.asked).toEqual(['t'])
    asking.failure = undefined
    await asking.clock.advance(119_999)
    expect(asking.tokens.now('t')).toEqual(ok(unrestricted))
    await asking.clock.advance(1)
    expect(await asking.mayWrite('t', 'a')).toBe('token-not-found')
  })
})

describe('a follower of a token', () => {
  it('is told once when its rights are others, by an answer asked for when the last has run out', async () => {
    const asking = new Asking()
    asking.known.set('t', 'a')
    const resolved = await asking.tokens.resolve('t')
    if (!resolved.ok) throw new Error('unknown')
    let told = 0
    const following = asking.tokens.onChange('t', resolved.value, () => told++)
    await asking.clock.advance(ttlMs * 2)
    expect([told, asking.asked.length]).toEqual([0, 3])
    asking.known.delete('t')
    await asking.clock.advance(ttlMs)
    expect(told).toBe(1)
    await asking.clock.advance(ttlMs * 2)
    expect([told, asking.asked.length]).toEqual([1, 4])
    following.close()
    expect(asking.clock.timers).toBe(0)
  })

  it('is told soon, but not at once, if they are others already', async () => {
    const asking = new Asking()
    asking.known.set('t', 'a')
    await asking.tokens.resolve('t')
    let told = 0
    asking.tokens.onChange('t', unrestricted, () => told++)
    expect(told).toBe(0)
    await asking.clock.advance(0)
    expect(told).toBe(1)
    asking.tokens.stop()
    expect(asking.clock.timers).toBe(0)
  })

  it('asks once a second for rights that expire at once', async () => {
    const asking = new Asking('extend-cache', 0, 0)
    asking.known.set('t', 'a')
    asking.answersMax = 50
    const resolved = await asking.tokens.resolve('t')
    if (!resolved.ok) throw new Error('unknown')
    let told = 0
    asking.tokens.onChange('t', resolved.value, () => told++)
    await asking.clock.advance(10_000)
    expect([told, asking.asked.length]).toEqual([0, 12])
    asking.known.delete('t')
    await asking.clock.advance(1_000)
    expect(told).toBe(1)
    asking.tokens.stop()
  })

  it('asks no more when no stream follows', async () => {
    const asking = new Asking()
    asking.known.set('t', 'a')
    const resolved = await asking.tokens.resolve('t')
    if (!resolved.ok) throw new Error('unknown')
    const both = [0, 1].map(() => asking.tokens.onChange('t', resolved.value, () => {}))
    for (const each of both) each.close()
    await asking.clock.advance(ttlMs * 3)
    expect([asking.asked.length, asking.clock.timers]).toEqual([1, 0])
  })
})

describe('that no server can answer', () => {
  it.each([undefined, { kind: 'access-control-off' } as const])(
    'is logged once for each time without servers, whatever they say in between: %j',
    async (said) => {
      const asking = new Asking()
      for (const failure of [unreachable, unreachable, said, unreachable]) {
        asking.failure = failure
        await asking.mayWrite('t', 'a')
        await asking.clock.advance(ttlMs * 10)
      }
      expect(asking.clock.logged).toEqual(Array.from({ length: 2 }, () => 'no server can say what the token may do'))
    },
  )
})

describe('what is kept', () => {
  it('is of so many tokens at most', async () => {
    const asking = new Asking()
    for (let at = 0; at < 8_200; at++) {
      asking.known.set(`t${at}`, 'a')
      await asking.tokens.resolve(`t${at}`)
    }
    expect(asking.tokens.size).toBe(8_192)
  })

  it('is fewer secrets that mean nothing, however many are tried', async () => {
    const asking = new Asking()
    for (let at = 0; at < 8_200; at++) await asking.tokens.resolve(`t${at}`)
    expect(asking.tokens.size).toBe(1_024)
  })

  it('is what a token may do, whatever secrets others invent while no server answers', async () => {
    const asking = new Asking()
    asking.known.set('t', 'a')
    expect(await asking.mayWrite('t', 'a')).toBe(true)
    asking.failure = unreachable
    await asking.clock.advance(ttlMs)
    for (let at = 0; at < 8_200; at++) await asking.tokens.resolve(`invented ${at}`)
    expect([await asking.mayWrite('t', 'a'), await asking.mayWrite('t', 'b')]).toEqual([true, false])
  })

  it('is of a token with rights again that was refused before', async () => {
    const asking = new Asking()
    const outcomes = [await asking.mayWrite('t', 'a')]
    for (const isKnown of [true, false]) {
      if (isKnown) asking.known.set('t', 'a')
      else asking.known.delete('t')
      await asking.clock.advance(ttlMs)
      outcomes.push(await asking.mayWrite('t', 'a'))
    }
    expect([outcomes, asking.tokens.size]).toEqual([['token-not-found', true, 'token-not-found'], 1])
  })
})
