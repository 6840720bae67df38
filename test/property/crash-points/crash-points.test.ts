import { describe, expect, it } from 'vitest'
import { CrashDisk } from '../../unit/raft-log/crash-disk.ts'
import { EveryChoice } from './choices.ts'
import type { Format, Progress } from './format.ts'
import { formats } from './formats.ts'

const long = process.env['SVC_TEST_LONG'] === '1'
/** Ways in which one power cut can end that are tried; the count of points says where there were more. */
const waysMax = long ? 20_000 : 40

interface Points {
  readonly operations: number
  points: number
  /** Operations after which there are more ways than were tried. */
  capped: number
}

/** One life until an operation of the disk, which never ends. */
async function lived(format: Format, haltAfter: number): Promise<{ disk: CrashDisk; progress: Progress }> {
  const disk = new CrashDisk()
  disk.haltAfter = haltAfter
  const progress = { begun: 0, durable: 0 }
  const halted = new Promise<void>((resolve) => {
    disk.onHalt = resolve
  })
  await Promise.race([format.live(disk, progress), halted])
  return { disk, progress }
}

async function judge(format: Format, disk: CrashDisk, progress: Progress, title: string): Promise<void> {
  const found = await format.found(disk, progress)
  if (typeof found === 'string') throw new Error(`${format.name}, ${title}: ${found}`)
  if (found < progress.durable) throw new Error(`${format.name}, ${title}: ${found} of ${progress.durable} is there`)
  if (found > progress.begun)
    throw new Error(`${format.name}, ${title}: ${found}, but only ${progress.begun} was begun`)
}

async function everyPoint(format: Format): Promise<Points> {
  const { disk: calm } = await lived(format, Number.POSITIVE_INFINITY)
  const counted: Points = { operations: calm.operations, points: 0, capped: 0 }
  for (let after = 0; after <= calm.operations; after++) {
    const { disk, progress } = await lived(format, after)
    const choices = new EveryChoice(long)
    let ways = 0
    do {
      await judge(format, disk.crashed(choices), progress, `power lost after operation ${after}, way ${ways}`)
      ways++
    } while (choices.advance() && ways < waysMax)
    // Last, because a start writes to the disk that the killed process has left.
    await judge(format, disk.restarted(), progress, `killed after operation ${after}`)
    counted.points += ways + 1
    if (ways === waysMax) counted.capped++
  }
  return counted
}

describe('after a crash at any operation of the disk, whatever is left of what was not synced', () => {
  it.each(formats)(
    'what was acknowledged is there, and nothing that was never written: $name',
    async (format) => {
      const found = await everyPoint(format)
      const counted = format.counted[long ? 'long' : 'short']
      if (counted === undefined) expect(found.operations).toBe(format.counted.short[0])
      else expect(found).toEqual({ operations: counted[0], points: counted[1], capped: counted[2] })
    },
    600_000,
  )
})

/**
 * For each operation of the disk: a process is killed after it. A second process starts from the files that are left and
 * writes the next version. Then the power is cut. What the second process has acknowledged must not depend on data that
 * the first one had written but not made durable.
 */
async function everyKill(format: Format & Required<Pick<Format, 'goOn'>>): Promise<number> {
  const { disk: calm } = await lived(format, Number.POSITIVE_INFINITY)
  let points = 0
  for (let after = 0; after <= calm.operations; after++) {
    const { disk: left, progress } = await lived(format, after)
    const disk = left.restarted()
    const title = `killed after operation ${after}`
    const found = await format.found(disk, progress)
    if (typeof found === 'string') throw new Error(`${format.name}, ${title}: ${found}`)
    if (found === format.versions) continue
    await format.goOn(disk, found)
    const choices = new EveryChoice(false)
    let ways = 0
    do {
      const second = { begun: found + 1, durable: found + 1 }
      await judge(format, disk.crashed(choices), second, `${title}, then without power, way ${ways}`)
      ways++
    } while (choices.advance() && ways < waysAfterKillMax)
    points += ways
  }
  return points
}

const waysAfterKillMax = long ? 2_000 : 12

describe('after a kill at any operation of the disk, another process, and a power cut', () => {
  const goingOn = formats.flatMap((format) => (format.goOn === undefined ? [] : [{ ...format, goOn: format.goOn }]))
  it.each(goingOn)(
    'what the second process acknowledged is there: $name',
    async (format) => {
      expect(await everyKill(format)).toBeGreaterThan(format.versions)
    },
    600_000,
  )
})

describe('the harness', () => {
  it('goes through every combination of choices once', () => {
    const choices = new EveryChoice(true)
    const seen: string[] = []
    do {
      const first = choices.below(2)
      seen.push(first === 0 ? '0' : `1${choices.below(3)}`)
    } while (choices.advance())
    expect(seen).toEqual(['0', '10', '11', '12'])
  })

  it.each([
    ['a sync that does nothing', 'sync'],
    ['a directory that is never synced', 'syncDirectory'],
  ])(
    'finds %s in each format',
    async (_, operation) => {
      for (const format of formats) {
        const forgetful: Format = {
          ...format,
          live: (disk, progress) => format.live(without(disk, operation), progress),
        }
        await expect(everyPoint(forgetful), format.name).rejects.toThrow(format.name)
      }
    },
    60_000,
  )
})

/** A disk that reports an operation as done without doing it. */
function without(disk: CrashDisk, operation: string): CrashDisk {
  disk.skips = operation
  return disk
}
