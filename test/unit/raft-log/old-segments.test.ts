import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { logChange } from '../../../src/raft/log/durable-log.ts'
import { CrashDisk } from './crash-disk.ts'
import { Draws } from './fake-env.ts'
import { directory, entryAt, openLog, persist, smallSegments } from './log-model.ts'

/** A log of six segments, as release 1.4.0 wrote them: they grow, and there is no watermark. */
const written = new URL('./written-by-1.4.0/', import.meta.url)

async function oldLog(): Promise<CrashDisk> {
  const disk = new CrashDisk()
  await disk.makeDirectory(directory)
  for (const name of readdirSync(written)) {
    disk.plant(`${directory}/${name}`, new Uint8Array(readFileSync(new URL(name, written))))
  }
  return disk
}

async function opened(disk: CrashDisk) {
  const result = await openLog(disk, smallSegments)
  if (!result.ok) throw new Error(result.error.message)
  return result.value
}

describe('a log of segments that grow', () => {
  it('is read, and goes on in a segment of full size, beside a watermark', async () => {
    const disk = await oldLog()
    const { log, state } = await opened(disk)
    expect([state.hardState, state.entries.length]).toEqual([{ term: 3, votedFor: 'node-c' }, 30])
    expect(disk.namesIn(directory).slice(-2)).toEqual(['0000000007.log', 'watermark'])
    const before = disk.bytesOf(`${directory}/0000000006.log`)
    expect(disk.bytesOf(`${directory}/0000000007.log`).length).toBe(smallSegments.segmentBytes)
    await persist(log, logChange({ entries: [entryAt(31, 3)] }))
    expect(disk.bytesOf(`${directory}/0000000006.log`)).toEqual(before)
    await log.close()
    const again = await opened(disk.restarted())
    expect(again.state.entries.at(-1)?.index).toBe(31)
  })

  it('is whole after a crash at any step of the start that goes on from it', async () => {
    const calm = await oldLog()
    await opened(calm)
    for (let step = 0; step <= calm.operations; step++) {
      for (let choice = 0; choice < 4; choice++) {
        const disk = await oldLog()
        disk.haltAfter = step
        const halted = new Promise<void>((resolve) => {
          disk.onHalt = resolve
        })
        await Promise.race([openLog(disk, smallSegments), halted])
        const { state } = await opened(disk.crashed(new Draws(step * 4 + choice)))
        expect(state.entries.length, `step ${step}`).toBe(30)
      }
    }
  })

  it('is cut where it was torn, as ever', async () => {
    const disk = await oldLog()
    const path = `${directory}/0000000006.log`
    disk.plant(path, disk.bytesOf(path).slice(0, -3))
    expect((await opened(disk)).state.entries.length).toBe(29)
  })
})
