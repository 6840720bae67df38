import { describe, it } from 'vitest'
import { logIndexOf } from '../../../src/model/log-position.ts'
import { fc } from '../../fast-check.ts'
import { CrashDisk } from '../../unit/raft-log/crash-disk.ts'
import { Draws } from '../../unit/raft-log/fake-env.ts'
import {
  afterChange,
  drawChange,
  emptyState,
  type LogState,
  type Opened,
  openLog,
  shown,
} from '../../unit/raft-log/log-model.ts'

const runs = process.env['SVC_TEST_LONG'] === '1' ? 5000 : 75

type Step =
  | { readonly kind: 'write'; readonly together: number }
  | { readonly kind: 'compact'; readonly keep: number }
  | { readonly kind: 'idle' }
  | { readonly kind: 'close' | 'kill' | 'power' }
  /** The disk stands still after some operations of what follows; then the process is killed, or the power goes. */
  | { readonly kind: 'cut-short'; readonly power: boolean; readonly operations: number; readonly together: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('write' as const), together: fc.integer({ min: 1, max: 5 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('compact' as const), keep: fc.nat(12) }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'idle' as const }) },
  { weight: 2, arbitrary: fc.constantFrom<Step>({ kind: 'close' }, { kind: 'kill' }, { kind: 'power' }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('cut-short' as const),
      power: fc.boolean(),
      operations: fc.nat(8),
      together: fc.integer({ min: 1, max: 5 }),
    }),
  },
)

/** The log beside the simplest model of one: a list of the states that it may be in after a crash. */
class Comparison {
  readonly #draws: Draws
  #disk = new CrashDisk()
  #log: Opened | undefined
  /** The state that is durable, and those after the changes that may have become so. */
  #states: LogState[] = [emptyState]
  #keepFrom = 0

  constructor(seed: number) {
    this.#draws = new Draws(seed)
  }

  async take(step: Step): Promise<void> {
    if (step.kind === 'write') await this.#write(step.together)
    else if (step.kind === 'cut-short') await this.#interrupted(step.operations, step.together, step.power)
    else if (step.kind === 'idle') await (await this.#opened()).env.time.advance(1000)
    else if (step.kind === 'compact') {
      const { entries, baseIndex } = this.#durable
      const last = entries.at(-1)?.index ?? baseIndex
      this.#keepFrom = Math.max(this.#keepFrom, last - step.keep, 1)
      ;(await this.#opened()).log.compact(logIndexOf(this.#keepFrom))
    } else if (step.kind === 'close') {
      await (await this.#opened()).log.close()
      await this.#again(this.#disk.restarted())
    } else await this.#again(step.kind === 'kill' ? this.#disk.restarted() : this.#disk.crashed(this.#draws))
  }

  get #durable(): LogState {
    return this.#states[0] as LogState
  }

  async #opened(): Promise<Opened> {
    this.#log ??= await this.#open()
    return this.#log
  }

  async #open(): Promise<Opened> {
    const opened = await openLog(this.#disk)
    if (!opened.ok) throw new Error(opened.error.message)
    return opened.value
  }

  #queue(log: Opened['log'], together: number): Promise<void>[] {
    return Array.from({ length: together }, () => {
      const state = this.#states.at(-1) as LogState
      const change = drawChange(state, this.#draws)
      this.#states.push(afterChange(state, change))
      return new Promise<void>((resolve) => {
        log.write(change, () => {
          this.#states.shift()
          resolve()
        })
      })
    })
  }

  async #write(together: number): Promise<void> {
    const { log } = await this.#opened()
    const written = this.#queue(log, together)
    log.flush()
    await Promise.all(written)
  }

  async #interrupted(operations: number, together: number, power: boolean): Promise<void> {
    const { log } = await this.#opened()
    const halted = new Promise<void>((resolve) => {
      this.#disk.onHalt = resolve
    })
    this.#disk.haltAfter = this.#disk.operations + operations
    const written = this.#queue(log, together)
    log.flush()
    await Promise.race([Promise.all(written), halted])
    await this.#again(power ? this.#disk.crashed(this.#draws) : this.#disk.restarted())
  }

  /** What is found must be one of the possible states; from there the comparison goes on. */
  async #again(disk: CrashDisk): Promise<void> {
    this.#disk.haltAfter = this.#disk.operations
    this.#disk = disk
    this.#log = await this.#open()
    const found = this.#log.state
    const first = Math.max(this.#keepFrom, found.baseIndex + 1)
    const match = this.#states.find((state) => {
      const complete = found.baseIndex < Math.max(this.#keepFrom, state.baseIndex + 1)
      return complete && shown(state, first) === shown(found, first)
    })
    if (match === undefined) {
      const possible = this.#states.map((state) => `after ${state.baseIndex}: ${shown(state, first)}`).join(' | ')
      throw new Error(`found after ${found.baseIndex}: ${shown(found, first)}, possible ${possible}`)
    }
    this.#states = [match]
  }
}

describe('the segmented log', () => {
  it('is what a list would be, over writes, compactions, kills and power cuts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.array(step, { minLength: 3, maxLength: 40 }), async (seed, steps) => {
        const comparison = new Comparison(seed)
        for (const one of steps) await comparison.take(one)
        await comparison.take({ kind: 'power' })
      }),
      { numRuns: runs },
    )
  })
})
