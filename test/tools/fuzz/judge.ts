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

/** What is over a bound is measured this often again. */
const remeasured = { cpu: 3, bytes: 5 } as const

/** Runs inputs of one target, and holds them against its bounds. */
export class Judge {
  readonly coverage = new Coverage()
  readonly #target: FuzzTarget
  readonly #bounds: Bounds

  constructor(target: FuzzTarget) {
    this.#target = target
    this.#bounds = { ...usualBounds, ...target.bounds }
  }

  /**
   * `expected` is what an input that this one was cut from did: memory is then measured several times whatever the
   * first time says.
   */
  async judge(bytes: Uint8Array, expected?: Finding['kind']): Promise<Judgement> {
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
      // The least counts: what a busy machine adds is not the input's.
      const cpuMs = (await this.#again(bytes, remeasured.cpu, ({ cpuMs: ms }) => ms))[0] as number
      if (cpuMs > this.#bounds.cpuMs(length)) {
        return over(
          'cpu',
          `${cpuMs.toFixed(1)} ms of CPU for ${length} bytes, and ${this.#bounds.cpuMs(length)} are allowed`,
        )
      }
    }
    if (measured.allocated > this.#bounds.bytes(length) || expected === 'bytes') {
      // The one in the middle counts: the engine frees what is garbage at the same time, which takes any amount away.
      const middle = Math.floor(remeasured.bytes / 2)
      const allocated = (await this.#again(bytes, remeasured.bytes, (again) => again.allocated))[middle] as number
      if (allocated > this.#bounds.bytes(length)) {
        return over(
          'bytes',
          `${allocated} bytes of memory for ${length} bytes, and ${this.#bounds.bytes(length)} are allowed`,
        )
      }
    }
    return { steps, isNew, finding: undefined }
  }

  /** What each of several measurements says, the least first. */
  async #again(bytes: Uint8Array, times: number, of: (measured: Measured) => number): Promise<readonly number[]> {
    const measured: number[] = []
    while (measured.length < times) {
      // The second waits for what the first left to another thread, which would count as given back by the input.
      collectGarbage()
      collectGarbage()
      measured.push(of(await this.#measured(bytes)))
    }
    return measured.sort((one, other) => one - other)
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
