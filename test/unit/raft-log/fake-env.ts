import { createHash } from 'node:crypto'
import type { Disk } from '../../../src/env/disk.ts'
import type { Env } from '../../../src/env/env.ts'
import type { Fields, LogLevel } from '../../../src/env/observe.ts'

/** Numbers that are the same for the same seed. */
export class Draws {
  #state: number

  constructor(seed: number) {
    this.#state = (seed ^ 0x9e3779b9) >>> 0
  }

  uint32(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let t = this.#state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return (t ^ (t >>> 14)) >>> 0
  }

  below(bound: number): number {
    return this.uint32() % bound
  }

  fraction(): number {
    return this.uint32() / 0x1_0000_0000
  }
}

interface SetTimer {
  readonly atMs: number
  readonly sequence: number
  readonly fire: () => void
}

/** Time that stands still until it is moved. */
export class FakeTime {
  nowMs = 0
  #timers: SetTimer[] = []
  #sequence = 0

  get pending(): number {
    return this.#timers.length
  }

  after(delayMs: number, fire: () => void): { close(): void } {
    const timer = { atMs: this.nowMs + Math.max(0, delayMs), sequence: this.#sequence++, fire }
    this.#timers.push(timer)
    this.#timers.sort((a, b) => a.atMs - b.atMs || a.sequence - b.sequence)
    return {
      close: () => {
        this.#timers = this.#timers.filter((other) => other !== timer)
      },
    }
  }

  /** Fires what is due until `ms` later, settling promises after each. */
  async advance(ms: number): Promise<void> {
    const endMs = this.nowMs + ms
    await settle()
    for (let next = this.#timers[0]; next !== undefined && next.atMs <= endMs; next = this.#timers[0]) {
      this.#timers.shift()
      this.nowMs = Math.max(this.nowMs, next.atMs)
      next.fire()
      await settle()
    }
    this.nowMs = endMs
  }
}

/** Lets everything that waits on promises alone go as far as it can. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

export type FakeEnv = Pick<
  Env,
  'disk' | 'crypto' | 'deferred' | 'timers' | 'detach' | 'clock' | 'random' | 'log' | 'metrics'
> & {
  readonly lines: string[]
  readonly time: FakeTime
  readonly seen: Map<string, number[]>
}

export function fakeEnv(disk: Disk, time: FakeTime = new FakeTime(), seed = 1): FakeEnv {
  const draws = new Draws(seed)
  const lines: string[] = []
  const seen = new Map<string, number[]>()
  const metric = (name: string, value: number): void => {
    const values = seen.get(name)
    if (values === undefined) seen.set(name, [value])
    else values.push(value)
  }
  return {
    disk,
    time,
    lines,
    seen,
    clock: { monoMs: () => time.nowMs, wallMs: () => time.nowMs },
    detach: (work) => void work,
    timers: { after: (delayMs, fire) => time.after(delayMs, fire) },
    random: { draws: () => draws },
    crypto: {
      sha256: (bytes) => new Uint8Array(createHash('sha256').update(bytes).digest()),
      runningSha256: () => {
        const hash = createHash('sha256')
        return { update: (bytes) => void hash.update(bytes), digest: () => new Uint8Array(hash.digest()) }
      },
      sealAesGcm: () => new Uint8Array(0),
      openAesGcm: () => undefined,
      makeSigningKey: () => {
        throw new Error('no test of the log signs')
      },
      generateKey: () => Promise.reject(new Error('no test of the log signs')),
      readSigningKey: () => undefined,
      verify: () => false,
      sha1: (bytes) => new Uint8Array(createHash('sha1').update(bytes).digest()),
      randomBytes: (length) => Uint8Array.from({ length }, () => draws.below(256)),
    },
    log: {
      write: (level: LogLevel, topic: string, text: string, fields?: Fields) => {
        lines.push(`${level} ${topic}: ${text} ${JSON.stringify(fields ?? {})}`)
      },
      enabled: () => true,
      follow: () => ({ recent: [], close: () => {} }),
    },
    metrics: { count: (name, by = 1) => metric(name, by), gauge: metric, sample: metric, snapshot: () => [] },
    deferred<T>() {
      let resolve: (value: T) => void = () => {}
      let reject: (reason: Error) => void = () => {}
      const promise = new Promise<T>((yes, no) => {
        resolve = yes
        reject = no
      })
      return { promise, resolve: (value: T) => resolve(value), reject: (reason: Error) => reject(reason) }
    },
  }
}
