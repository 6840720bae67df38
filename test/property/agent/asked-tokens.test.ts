import { describe, expect, it } from 'vitest'
import { AskedTokens } from '../../../src/agent/access/asked-tokens.ts'
import { Authorizers } from '../../../src/agent/access/authorizers.ts'
import type { ToldRights } from '../../../src/agent/access/rights.ts'
import type { DownPolicy } from '../../../src/agent/settings/access-settings.ts'
import { err, ok, type Result } from '../../../src/base/result.ts'
import type { Env } from '../../../src/env/env.ts'
import type { Failure } from '../../../src/model/failure.ts'
import { fc } from '../../fast-check.ts'
import { HandClock } from '../../unit/features/hand-clock.ts'

const ttlMs = 30_000
/** How long servers within reach take to answer at most, and how long an outage may still show after it has ended. */
const answerMs = 400
const afterOutageMs = 3_500
const keys = ['k0', 'k1', 'k2'] as const

type Step =
  /** What the one token may write from here on; null: it is revoked. */
  | { readonly kind: 'grant'; readonly key: (typeof keys)[number] | null }
  | { readonly kind: 'outage'; readonly isOut: boolean }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'ask' }

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('grant' as const), key: fc.constantFrom(...keys, null) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('outage' as const), isOut: fc.boolean() }) },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.constantFrom(300, 1_100, 31_000, 31_000) }),
  },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('ask' as const) }) },
)

/** What was so, and from when on. */
interface Since<T> {
  readonly fromMs: number
  readonly value: T
}

class World {
  readonly clock = new HandClock()
  readonly #env = {
    ...this.clock.env,
    metrics: { count: () => {}, gauge: () => {}, sample: () => {} },
  } as unknown as Env
  readonly tokens: AskedTokens
  readonly #granted: Since<string | null>[] = [{ fromMs: 0, value: null }]
  readonly #outages: Since<boolean>[] = [{ fromMs: 0, value: false }]
  readonly #policy: DownPolicy
  readonly #delays: readonly number[]
  #asks = 0

  constructor(policy: DownPolicy, delays: readonly number[]) {
    this.#policy = policy
    this.#delays = delays
    const env = this.#env
    const authorizers = new Authorizers({ env, defaultPolicy: 'deny', keyListPolicy: false, enforces: undefined })
    this.tokens = new AskedTokens({ env, authorizers, downPolicy: policy, ttlMs, ask: () => this.#answer() })
  }

  get nowMs(): number {
    return this.clock.env.clock.monoMs()
  }

  /**
   * Servers in reach answer after a while with what was so when they were asked; those out of reach, later, not at all.
   */
  async #answer(): Promise<Result<ToldRights, Failure>> {
    const delayMs = this.#delays[this.#asks++ % this.#delays.length] ?? 0
    const [key, isOut] = [last(this.#granted).value, last(this.#outages).value]
    const deferred = this.#env.deferred<void>()
    this.#env.timers.after(isOut ? delayMs * 10 : delayMs, () => deferred.resolve())
    await deferred.promise
    if (isOut) return err({ kind: 'no-servers' })
    if (key === null) return err({ kind: 'token-not-found' })
    const text = `key "${key}" { policy = "write" }`
    return ok({
      rights: { accessor: 'a', management: false, rules: [{ policy: 'p', grammar: 'new', text }] },
      ageMs: 0,
    })
  }

  async take(step: Step): Promise<void> {
    if (step.kind === 'grant') this.#granted.push({ fromMs: this.nowMs, value: step.key })
    if (step.kind === 'outage') this.#outages.push({ fromMs: this.nowMs, value: step.isOut })
    if (step.kind === 'pass') await this.clock.advance(step.ms)
    if (step.kind === 'ask') await this.#ask()
  }

  async #ask(): Promise<void> {
    const askedMs = this.nowMs
    let settled: Result<{ allows(resource: 'key', name: string, right: 'write'): boolean }, Failure> | undefined
    void this.tokens.resolve('t').then((result) => {
      settled = result
    })
    await this.clock.advance(0)
    for (let waited = 0; settled === undefined && waited < 200; waited++) await this.clock.advance(25)
    if (settled === undefined) throw new Error('never answered')
    const { ok: isThere } = settled
    const allowed = settled.ok ? keys.filter((key) => settled?.ok && settled.value.allows('key', key, 'write')) : []
    this.#judge(askedMs, isThere, allowed)
  }

  #judge(askedMs: number, isThere: boolean, allowed: readonly string[]): void {
    const outMs = this.#lastOutMs(askedMs)
    const isReached = outMs === undefined || outMs < askedMs - afterOutageMs
    // A: all that is allowed was granted at some time that the policy lets count.
    const oldestMs = isReached || !keepsForever(this.#policy) ? askedMs - ttlMs - answerMs : 0
    const granted = new Set(this.#grantedSince(this.#policy === 'async-cache' ? 0 : oldestMs))
    const isLetIn = this.#policy === 'allow' && !isReached && allowed.length === keys.length
    if (!isLetIn) for (const key of allowed) expect(granted).toContain(key)
    // B: what the policy says for when no server answers, once all that was known has run out.
    if (this.#outSinceMs(askedMs) < askedMs - ttlMs - 10 * answerMs) {
      if (this.#policy === 'deny') expect(allowed).toEqual([])
      if (this.#policy === 'allow') expect(allowed).toEqual(keys)
    }
    // C: while servers can be reached, no token is refused that had the right all the time.
    if (!isReached && this.#policy !== 'allow') return
    const steady = [...new Set(this.#grantedSince(askedMs - ttlMs - answerMs))]
    if (steady.length !== 1) return
    if (this.#policy === 'async-cache') return
    const [key] = steady
    if (key === null || key === undefined) expect(isLetIn || !isThere).toBe(true)
    else expect(allowed).toContain(key)
  }

  /** When servers were out of reach last by then; undefined: never. */
  #lastOutMs(byMs: number): number | undefined {
    const out = this.#outages.filter(({ fromMs }) => fromMs <= byMs)
    const at = out.findLastIndex(({ value }) => value)
    return at < 0 ? undefined : (out[at + 1]?.fromMs ?? byMs)
  }

  /** Since when servers have been out of reach; later than ever: they are within reach. */
  #outSinceMs(byMs: number): number {
    const changes = this.#outages.filter(({ fromMs }) => fromMs <= byMs)
    const within = changes.findLastIndex(({ value }) => !value)
    return changes[within + 1]?.fromMs ?? Number.POSITIVE_INFINITY
  }

  /** What was so at any moment since then; of several that began in one millisecond each may have been asked for. */
  #grantedSince(fromMs: number): readonly (string | null)[] {
    const at = this.#granted.findLastIndex((each) => each.fromMs < fromMs)
    return this.#granted.slice(Math.max(at, 0)).map(({ value }) => value)
  }
}

function keepsForever(policy: DownPolicy): boolean {
  return policy === 'extend-cache' || policy === 'async-cache'
}

function last<T>(list: readonly Since<T>[]): Since<T> {
  const found = list.at(-1)
  if (found === undefined) throw new Error('nothing yet')
  return found
}

describe('what an agent knows of a token under random outages', () => {
  it.each<DownPolicy>(['allow', 'deny', 'extend-cache', 'async-cache'])(
    'was so within the time that it is good for, and %s holds while nobody answers',
    async (policy) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(step, { minLength: 5, maxLength: 30 }),
          fc.array(fc.nat({ max: answerMs - 50 }), { minLength: 1, maxLength: 5 }),
          async (steps, delays) => {
            const world = new World(policy, delays)
            for (const each of steps) await world.take(each)
            world.tokens.stop()
          },
        ),
        { numRuns: process.env['SVC_TEST_LONG'] === '1' ? 5_000 : 50 },
      )
    },
  )
})
