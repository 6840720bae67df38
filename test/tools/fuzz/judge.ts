import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Coverage } from './coverage.ts'
import { type Bounds, type FuzzTarget, usualBounds } from './target.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** What is wrong with what an input did. */
export interface Finding {
  readonly kind: 'crash' | 'steps' | 'cpu' | 'bytes'
  /** Findings with equal signatures are one. */
  readonly signature: string
  readonly text: string
}

export interface Judgement {
  readonly steps: number
  /** It went a way that none before it went. */
  readonly isNew: boolean
  readonly finding: Finding | undefined
}

/** What is over a bound is measured so often more, and the least counts: a busy machine and the garbage of others are not the input's. */
const remeasured = 3

/** Runs inputs of one target, and holds them against its bounds. */
export class Judge {
  readonly coverage = new Coverage()
  readonly #target: FuzzTarget
  readonly #bounds: Bounds

  constructor(target: FuzzTarget) {
    this.#target = target
    this.#bounds = { ...usualBounds, ...target.bounds }
  }

  async judge(bytes: Uint8Array): Promise<Judgement> {
    this.coverage.begin()
    const measured = await this.#measured(bytes)
    const { steps, isNew } = this.coverage.end()
    if (measured.crash !== undefined) return { steps, isNew, finding: crashOf(measured.crash) }
    const { length } = bytes
    const over = (kind: Finding['kind'], text: string): Judgement => ({
      steps,
      isNew,
      finding: { kind, signature: kind, text },
    })
    if (steps > this.#bounds.steps(length)) {
      return over('steps', `${steps} steps for ${length} bytes, and ${this.#bounds.steps(length)} are allowed`)
    }
    if (measured.wallMs > this.#bounds.cpuMs(length)) {
      const cpuMs = await this.#least(bytes, ({ cpuMs: ms }) => ms)
      if (cpuMs > this.#bounds.cpuMs(length)) {
        return over(
          'cpu',
          `${cpuMs.toFixed(1)} ms of CPU for ${length} bytes, and ${this.#bounds.cpuMs(length)} are allowed`,
        )
      }
    }
    if (measured.allocated > this.#bounds.bytes(length)) {
      const allocated = await this.#least(bytes, (again) => again.allocated)
      if (allocated > this.#bounds.bytes(length)) {
        return over(
          'bytes',
          `${allocated} bytes of memory for ${length} bytes, and ${this.#bounds.bytes(length)} are allowed`,
        )
      }
    }
    return { steps, isNew, finding: undefined }
  }

  async #least(bytes: Uint8Array, of: (measured: Measured) => number): Promise<number> {
    let least = Number.POSITIVE_INFINITY
    for (let times = 0; times < remeasured; times++) {
      collectGarbage()
      least = Math.min(least, of(await this.#measured(bytes)))
    }
    return least
  }

  async #measured(bytes: Uint8Array): Promise<Measured> {
    const before = usedBytes()
    const cpu = process.cpuUsage()
    const beganMs = performance.now()
    let crash: { readonly cause: unknown } | undefined
    try {
      // A decoder may keep a view of what it was given, and nothing may change that.
      const ran = this.#target.run(bytes.slice())
      if (ran !== undefined) await ran
    } catch (cause) {
      crash = { cause }
    }
    const wallMs = performance.now() - beganMs
    const { user, system } = process.cpuUsage(cpu)
    return { wallMs, cpuMs: (user + system) / 1_000, allocated: usedBytes() - before, crash }
  }
}

interface Measured {
  readonly wallMs: number
  readonly cpuMs: number
  readonly allocated: number
  readonly crash: { readonly cause: unknown } | undefined
}

function usedBytes(): number {
  const { used_heap_size, external_memory } = getHeapStatistics()
  return used_heap_size + external_memory
}

function crashOf({ cause }: { readonly cause: unknown }): Finding {
  const text = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)
  const place = /^\s+at .*?([\w-]+\/[\w-]+\.(?:js|ts):\d+)/m.exec(text)?.[1] ?? ''
  const name = cause instanceof Error ? cause.name : typeof cause
  return { kind: 'crash', signature: `crash ${name} ${place}`, text }
}
