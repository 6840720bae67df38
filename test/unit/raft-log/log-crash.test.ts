import { describe, expect, it } from 'vitest'
import { logIndexOf } from '../../../src/model/log-position.ts'
import { CrashDisk } from './crash-disk.ts'
import { Draws } from './fake-env.ts'
import { afterChange, drawChange, emptyState, type LogState, openLog, shown } from './log-model.ts'

interface Ran {
  /** State after each change, the first before any. */
  readonly states: readonly LogState[]
  /** How many changes were reported durable. */
  readonly durable: number
  readonly keepFrom: number
}

/** Writes changes, some together, and compacts now and then, until all are durable or the disk stands still. */
async function run(disk: CrashDisk, changes: number, seed: number): Promise<Ran> {
  const draws = new Draws(seed)
  const states = [emptyState]
  let durable = 0
  let keepFrom = 0
  const halted = new Promise<void>((resolve) => {
    disk.onHalt = resolve
  })
  const work = async (): Promise<void> => {
    const opened = await openLog(disk)
    if (!opened.ok) throw new Error(opened.error.message)
    const { log } = opened.value
    while (states.length <= changes) {
      const together = 1 + draws.below(3)
      const written: Promise<void>[] = []
      for (let i = 0; i < together; i++) {
        const state = states.at(-1) as LogState
        const change = drawChange(state, draws)
        states.push(afterChange(state, change))
        written.push(
          new Promise((resolve) => {
            log.write(change, () => {
              durable++
              resolve()
            })
          }),
        )
      }
      log.flush()
      await Promise.all(written)
      if (draws.below(4) !== 0) continue
      const last = states.at(-1) as LogState
      keepFrom = Math.max(keepFrom, (last.entries.at(-1)?.index ?? last.baseIndex) - 6)
      log.compact(logIndexOf(keepFrom))
    }
    await log.close()
  }
  await Promise.race([work(), halted])
  return { states, durable, keepFrom }
}

/** What recovery found must be the state after some change at or beyond the last durable one. */
async function judge(disk: CrashDisk, { states, durable, keepFrom }: Ran, title: string): Promise<void> {
  const again = await openLog(disk)
  expect(again.ok ? '' : again.error.message, title).toBe('')
  if (!again.ok) return
  const found = again.value.state
  const first = Math.max(keepFrom, found.baseIndex + 1)
  expect(found.baseIndex, title).toBeLessThan(
    Math.max(keepFrom, 1, ...states.slice(durable).map((s) => s.baseIndex + 1)),
  )
  const possible = states.slice(durable).map((state) => shown(state, first))
  expect(possible, title).toContain(shown(found, first))
}

/** Each is a whole life of a log; its crashes, at every operation of the disk, are a few hundred. */
const isLong = process.env['SVC_TEST_LONG'] === '1'
const seeds = isLong ? [5, 6, 7, 8, 9, 10, 11, 12] : [5]
/** Ways in which a power cut leaves the disk, for each operation. */
const choices = isLong ? 4 : 2

describe('the segmented log after a crash', () => {
  it.each(seeds)(
    'starts again and holds all that was durable, at whatever operation the crash came: seed %i',
    async (seed) => {
      const calm = new CrashDisk()
      await run(calm, 50, seed)
      expect(calm.counts.get('remove')).toBeGreaterThan(1)
      expect(calm.counts.get('rename')).toBeGreaterThan(3)
      for (let steps = 0; steps <= calm.operations; steps++) {
        const disk = new CrashDisk()
        disk.haltAfter = steps
        const ran = await run(disk, 50, seed)
        await judge(disk.restarted(), ran, `killed after step ${steps}`)
        for (let choice = 0; choice < choices; choice++) {
          await judge(
            disk.crashed(new Draws(steps * choices + choice)),
            ran,
            `power lost after step ${steps}, choice ${choice}`,
          )
        }
      }
    },
    600_000,
  )

  it('bears crash after crash while it recovers', async () => {
    for (let seed = 0; seed < 40; seed++) {
      const draws = new Draws(seed)
      let disk = new CrashDisk()
      disk.haltAfter = 40 + draws.below(80)
      const ran = await run(disk, 30, seed)
      for (let crash = 0; crash < 6; crash++) {
        disk = draws.below(3) === 0 ? disk.restarted() : disk.crashed(draws)
        disk.haltAfter = draws.below(12)
        const halted = new Promise<void>((resolve) => {
          disk.onHalt = resolve
        })
        await Promise.race([openLog(disk), halted])
      }
      await judge(disk.crashed(draws), ran, `seed ${seed}`)
    }
  })
})
