import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Result } from '../../../src/base/result.ts'
import type { Closable } from '../../../src/env/async.ts'
import type { Env } from '../../../src/env/env.ts'
import { createHostEnv } from '../../../src/host/env.ts'
import { svcNaming } from '../../../src/model/naming/naming.ts'
import { newestRelease, parseRelease, type Release, releaseText } from '../../../src/model/release.ts'
import { ScratchTime } from '../../../src/program/warm-up/scratch-time.ts'
import { WarmUp } from '../../../src/program/warm-up/warm-up.ts'

/** The time that each look at the clock takes: so the rounds of a test do not depend on the machine. */
const lookMs = 1

/** An agent that is ready, in a world of which the warm-up may use nothing but clock, timers, random and crypto. */
class ReadyAgent {
  asked = 0
  /** By how much timers come too late. */
  lateMs = 0
  /** Virtual times at which a slice began, and the time that each took. */
  readonly slices: { readonly atMs: number; tookMs: number }[] = []
  readonly ends: Result<number, string>[] = []
  readonly touched: string[] = []
  readonly env: Env
  #nowMs = 0
  #due: { readonly atMs: number; readonly fire: () => void } | undefined

  constructor() {
    const host = createHostEnv({ logSink: () => this.touched.push('log'), logLevel: 'trace' })
    const { random, crypto, machine } = host
    const forbidden = (part: string) =>
      new Proxy(
        {},
        {
          get: (_, name) => () => {
            this.touched.push(`${part}.${String(name)}`)
          },
        },
      )
    const parts = ['udp', 'tcp', 'http', 'disk', 'names', 'processes', 'shipped', 'log', 'metrics']
    this.env = {
      ...(Object.fromEntries(parts.map((part) => [part, forbidden(part)])) as unknown as Env),
      random,
      crypto,
      machine,
      clock: { monoMs: () => (this.#nowMs += lookMs), wallMs: () => 1_800_000_000_000 },
      timers: { after: (delayMs, fire) => this.#after(delayMs, fire) },
      deferred: host.deferred,
      detach: (work) => void work,
    }
    host.close()
  }

  warmUp(release: Release): WarmUp {
    return new WarmUp(
      this.env,
      { release, naming: svcNaming },
      { asked: () => this.asked, onEnd: (rounds) => this.ends.push(rounds) },
    )
  }

  /** Fires timers until this time, or until none is set. */
  async until(ms: number): Promise<void> {
    for (let due = this.#due; due !== undefined && due.atMs <= ms; due = this.#due) {
      this.#due = undefined
      if (due.atMs > this.#nowMs) this.slices.push({ atMs: due.atMs, tookMs: 0 })
      this.#nowMs = Math.max(this.#nowMs, due.atMs + this.lateMs)
      const startMs = this.#nowMs
      due.fire()
      const slice = this.slices.at(-1)
      if (slice !== undefined) slice.tookMs += this.#nowMs - startMs
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  get isWaiting(): boolean {
    return this.#due !== undefined
  }

  #after(delayMs: number, fire: () => void): Closable {
    expect(this.#due, 'a warm-up has one timer at a time').toBeUndefined()
    const due = { atMs: this.#nowMs + delayMs, fire }
    this.#due = due
    return {
      close: () => {
        if (this.#due === due) this.#due = undefined
      },
    }
  }
}

const releases = ['0.2.0', '0.9.0', releaseText(newestRelease)]

function released(text: string): Release {
  const release = parseRelease(text)
  if (release === undefined) throw new Error(`no release: ${text}`)
  return release
}

describe('the warm-up of an agent', () => {
  it.each(releases)('succeeds as release %s, and touches nothing of the agent', async (release) => {
    const agent = new ReadyAgent()
    agent.warmUp(released(release))
    await agent.until(60_000)
    expect(agent.ends).toEqual([{ ok: true, value: expect.any(Number) }])
    expect(agent.ends[0]).toSatisfy((end: { value: number }) => end.value >= 3)
    expect(agent.touched).toEqual([])
    expect(agent.isWaiting).toBe(false)
  })

  it('takes slices of about 5 ms with pauses of 20 ms between them, and 200 ms together', async () => {
    const agent = new ReadyAgent()
    agent.warmUp(newestRelease)
    await agent.until(60_000)
    const slices = agent.slices.filter(({ tookMs }) => tookMs > 0)
    const took = slices.map(({ tookMs }) => tookMs)
    expect(Math.max(...took)).toBeLessThanOrEqual(5 + 5 * lookMs)
    expect(took.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(200 + slices.length * 5 * lookMs)
    expect(slices.length).toBeGreaterThan(15)
    const pauses = slices.slice(1).map(({ atMs }, i) => atMs - (slices[i]?.atMs ?? 0) - (slices[i]?.tookMs ?? 0))
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(20)
  })

  it('does nothing while the agent receives requests, and goes on when it has been idle for 250 ms', async () => {
    const agent = new ReadyAgent()
    agent.warmUp(newestRelease)
    for (let ms = 100; ms <= 3_000; ms += 100) {
      agent.asked++
      await agent.until(ms)
    }
    const steps = (): number => agent.slices.filter(({ tookMs }) => tookMs > 3 * lookMs).length
    expect(steps()).toBe(0)
    await agent.until(3_600)
    expect(steps()).toBeGreaterThan(0)
  })

  it('does nothing while the event loop is late, and gives up after a minute', async () => {
    const agent = new ReadyAgent()
    agent.lateMs = 50
    agent.warmUp(newestRelease)
    await agent.until(59_000)
    expect(agent.ends).toEqual([])
    await agent.until(61_000)
    expect(agent.ends).toEqual([{ ok: true, value: 0 }])
    expect(agent.isWaiting).toBe(false)
  })

  it('ends at once when it is closed, and says so once', async () => {
    const agent = new ReadyAgent()
    const warmUp = agent.warmUp(newestRelease)
    await agent.until(600)
    warmUp.close()
    warmUp.close()
    expect(agent.ends).toEqual([{ ok: true, value: expect.any(Number) }])
    expect(agent.isWaiting).toBe(false)
  })

  it('ends with the reason when the scratch agent fails', async () => {
    const agent = new ReadyAgent()
    const crypto = { ...agent.env.crypto, randomBytes: () => raise(new Error('no entropy')) }
    Object.assign(agent.env, { crypto })
    agent.warmUp(newestRelease)
    await agent.until(60_000)
    expect(agent.ends).toEqual([{ ok: false, error: 'no entropy' }])
    expect(agent.isWaiting).toBe(false)
  })

  it('ends with the reason when a timer of the scratch agent throws, and the agent itself goes on', async () => {
    const agent = new ReadyAgent()
    const broken = vi.spyOn(ScratchTime.prototype, 'step').mockImplementation(() => raise(new Error('a timer broke')))
    onTestFinished(() => broken.mockRestore())
    agent.warmUp(newestRelease)
    await agent.until(60_000)
    expect(agent.ends).toEqual([{ ok: false, error: expect.stringContaining('a timer broke') }])
    expect(agent.isWaiting).toBe(false)
  })
})

function raise(error: Error): never {
  throw error
}
