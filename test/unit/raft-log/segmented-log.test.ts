import { describe, expect, it } from 'vitest'
import { crc32c } from '../../../src/base/crc32c.ts'
import { logIndexOf, termOf } from '../../../src/model/log-position.ts'
import { encodeBatch } from '../../../src/raft/log/batch.ts'
import { logChange } from '../../../src/raft/log/durable-log.ts'
import type { SegmentedLog } from '../../../src/raft/log/segmented-log.ts'
import { CrashDisk } from './crash-disk.ts'
import { Draws, settle } from './fake-env.ts'
import {
  afterChange,
  contentEnd,
  directory,
  drawChange,
  emptyState,
  entryAt,
  type LogState,
  type Opened,
  openLog,
  persist,
  shown,
  smallSegments,
  unwrittenFrom,
} from './log-model.ts'

const oneSegment = { ...smallSegments, segmentBytes: 1 << 14 }
/** One bit of about every eighth byte, another in each; in the long run all of them. */
const bitStep = process.env['SVC_TEST_LONG'] === '1' ? 1 : 67
const batchHeaderBytes = encodeBatch([], { number: 1, offset: 0, salt: 0, chain: 0 }).bytes.length
const segmentPath = `${directory}/0000000001.log`

async function opened(disk: CrashDisk, options = smallSegments, seed = 1): Promise<Opened> {
  const result = await openLog(disk, options, seed)
  if (!result.ok) throw new Error(result.error.message)
  return result.value
}

/** A log of `count` changes, each durable before the next. */
async function filled(disk: CrashDisk, count: number, seed: number, options = smallSegments): Promise<LogState> {
  const { log } = await opened(disk, options)
  const draws = new Draws(seed)
  let state = emptyState
  for (let i = 0; i < count; i++) {
    const change = drawChange(state, draws)
    await persist(log, change)
    state = afterChange(state, change)
  }
  return state
}

describe('the segmented log', () => {
  it('gives back what was made durable', async () => {
    const disk = new CrashDisk()
    const state = await filled(disk, 40, 7)
    const again = await opened(disk.restarted())
    expect(shown(again.state)).toBe(shown(state))
    expect(disk.namesIn(directory).length).toBeGreaterThan(3)
  })

  it('gives back a last batch that ends in zeros, as the rest of its file does', async () => {
    const disk = new CrashDisk()
    const { log } = await opened(disk, oneSegment)
    await persist(log, logChange({ entries: [entryAt(1, 1), entryAt(2, 1, [1, ...new Array(300).fill(0)])] }))
    expect(shown((await opened(disk.copy(), oneSegment)).state)).toMatch(/ 2:1:command:1(,0){300}$/)
  })

  it('is empty when it is new, and stays so over a restart', async () => {
    const disk = new CrashDisk()
    expect(shown((await opened(disk)).state)).toBe(shown(emptyState))
    expect(shown((await opened(disk.restarted())).state)).toBe(shown(emptyState))
  })

  it('commits in groups: what comes during one sync goes with the next', async () => {
    const disk = new CrashDisk()
    const { log } = await opened(disk, oneSegment)
    const before = disk.counts.get('sync') ?? 0
    const order: number[] = []
    const all = Array.from({ length: 50 }, (_, i) => {
      return new Promise<void>((resolve) => {
        log.write(logChange({ entries: [entryAt(i + 1, 1)] }), () => {
          order.push(i)
          resolve()
        })
        if (i === 0) log.flush()
      })
    })
    log.flush()
    await Promise.all(all)
    expect((disk.counts.get('sync') ?? 0) - before).toBe(2)
    expect(order).toEqual(Array.from({ length: 50 }, (_, i) => i))
    expect(log.pendingBytes).toBe(0)
  })

  it('bounds a batch, and still takes a change that is larger than the bound', async () => {
    const disk = new CrashDisk()
    const { log } = await opened(disk, { ...oneSegment, batchBytes: 1000 })
    const before = disk.counts.get('sync') ?? 0
    const all = [300, 300, 300, 5000, 10].map((size, i) => {
      return new Promise<void>((resolve) => log.write(logChange({ entries: [entryAt(i + 1, 1, size)] }), resolve))
    })
    log.flush()
    await Promise.all(all)
    expect((disk.counts.get('sync') ?? 0) - before).toBe(4)
  })

  it('removes segments whose entries are no longer needed, and keeps term and vote', async () => {
    const disk = new CrashDisk()
    const { log } = await opened(disk)
    await persist(log, logChange({ hardState: { term: termOf(3), votedFor: 'node-c' } }))
    for (let i = 1; i <= 60; i++) await persist(log, logChange({ entries: [entryAt(i, 3, 40)] }))
    const before = disk.namesIn(directory)
    log.compact(logIndexOf(50))
    await persist(log, logChange({ entries: [entryAt(61, 3, 40)] }))
    const names = disk.namesIn(directory)
    expect(names.length).toBeLessThan(before.length)
    expect(names[0]).not.toBe(before[0])
    const { state } = await opened(disk.restarted())
    expect(state.hardState).toEqual({ term: 3, votedFor: 'node-c' })
    expect(state.baseIndex).toBeLessThan(50)
    expect(state.entries.at(-1)?.index).toBe(61)
    expect(state.entries.length).toBe(61 - state.baseIndex)
  })

  it('cuts a torn last batch at every byte and keeps all before it', async () => {
    const disk = new CrashDisk()
    const { log } = await opened(disk, oneSegment)
    await persist(
      log,
      logChange({ hardState: { term: termOf(1), votedFor: 'node-a' }, entries: [entryAt(1, 1), entryAt(2, 1)] }),
    )
    const durable = disk.bytesOf(segmentPath)
    await persist(
      log,
      logChange({
        entries: [entryAt(3, 1, 40), entryAt(4, 1, 40)],
        hardState: { term: termOf(2), votedFor: undefined },
      }),
    )
    const whole = disk.bytesOf(segmentPath)
    expect(contentEnd(whole)).toBeGreaterThan(contentEnd(durable) + 100)
    for (let length = contentEnd(durable); length < contentEnd(whole); length++) {
      const torn = disk.copy()
      torn.plant(segmentPath, unwrittenFrom(whole, length))
      const again = await opened(torn, oneSegment)
      expect(shown(again.state)).toBe('1/node-a 1:1:command:1,1,1,1,1,1,1,1 2:1:command:2,2,2,2,2,2,2,2')
      await persist(again.log, logChange({ entries: [entryAt(3, 1, [9])] }))
      expect(shown((await opened(torn.restarted(), oneSegment)).state)).toMatch(/ 3:1:command:9$/)
    }
  })

  it('cuts a torn last batch of which later pages stayed and earlier ones did not', async () => {
    const disk = new CrashDisk()
    const { log } = await opened(disk, oneSegment)
    await persist(log, logChange({ entries: [entryAt(1, 1)] }))
    const durable = disk.bytesOf(segmentPath)
    await persist(log, logChange({ entries: Array.from({ length: 20 }, (_, i) => entryAt(i + 2, 1, 40)) }))
    const whole = disk.bytesOf(segmentPath)
    for (let hole = contentEnd(durable); hole < contentEnd(whole); hole += 16) {
      const torn = disk.copy()
      torn.plant(segmentPath, whole.slice().fill(0, hole, hole + 16))
      expect((await opened(torn, oneSegment)).state.entries.length).toBe(1)
    }
  })

  it('leaves nothing of a torn batch in the file, which keeps its size', async () => {
    const disk = new CrashDisk()
    const state = await filled(disk, 5, 3, oneSegment)
    const bytes = disk.bytesOf(segmentPath).slice()
    const end = contentEnd(bytes)
    bytes.fill(7, end + 40, end + 400)
    disk.plant(segmentPath, bytes)
    expect(shown((await opened(disk, oneSegment)).state)).toBe(shown(state))
    expect(disk.bytesOf(segmentPath).length).toBe(bytes.length)
    expect(contentEnd(disk.bytesOf(segmentPath))).toBe(end + batchHeaderBytes)
  })

  it('does not take a payload that copies a batch for a later batch', async () => {
    const disk = new CrashDisk()
    const { log } = await opened(disk, oneSegment)
    await persist(log, logChange({ entries: [entryAt(1, 1)] }))
    const durable = disk.bytesOf(segmentPath)
    await persist(log, logChange({ entries: [entryAt(2, 1)] }))
    const copied = disk.bytesOf(segmentPath).slice(contentEnd(durable), contentEnd(disk.bytesOf(segmentPath)))
    await persist(log, logChange({ entries: [entryAt(3, 1, [...copied]), entryAt(4, 1, 64)] }))
    const whole = disk.bytesOf(segmentPath)
    disk.plant(segmentPath, unwrittenFrom(whole, contentEnd(whole) - 3))
    expect((await opened(disk, oneSegment)).state.entries.length).toBe(2)
  })

  it('does not take a payload for a later batch that forges one without knowing the salt', async () => {
    const disk = new CrashDisk()
    const { log } = await opened(disk, oneSegment)
    await persist(log, logChange({ entries: [entryAt(1, 1)] }))
    const end = contentEnd(disk.bytesOf(segmentPath))
    const offset = end + batchHeaderBytes + 22
    const payload = [...encodeBatch([], { number: 99, offset, salt: 0, chain: 0 }).bytes]
    await persist(log, logChange({ entries: [entryAt(2, 1, payload), entryAt(3, 1, 64)] }))
    const whole = disk.bytesOf(segmentPath)
    expect(whole.indexOf(0x53, end + batchHeaderBytes)).toBe(offset)
    disk.plant(segmentPath, unwrittenFrom(whole, contentEnd(whole) - 3))
    expect((await opened(disk, oneSegment)).state.entries.length).toBe(1)
  })

  it('finds every flipped bit of a sealed log, or is not harmed by it', async () => {
    const disk = new CrashDisk()
    const state = await filled(disk, 9, 11)
    const { log } = await opened(disk.restarted())
    await log.close()
    let refused = 0
    for (const name of disk.namesIn(directory)) {
      const path = `${directory}/${name}`
      const bytes = disk.bytesOf(path)
      for (let bit = 0; bit < bytes.length * 8; bit += bitStep) {
        const flipped = bytes.slice()
        flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7))
        const damaged = disk.copy()
        damaged.plant(path, flipped)
        const again = await openLog(damaged)
        if (again.ok) expect(shown(again.value.state)).toBe(shown(state))
        else {
          refused++
          expect(again.error.message).toMatch(/damaged at offset \d+|log format/)
          expect(damaged.bytesOf(path)).toEqual(flipped)
        }
      }
    }
    expect(refused).toBeGreaterThan(100)
  }, 60_000)

  it('refuses a log whose last segment is missing', async () => {
    const disk = new CrashDisk()
    await filled(disk, 40, 7)
    const names = disk.namesIn(directory).filter((name) => name.endsWith('.log'))
    disk.lose(`${directory}/${names.at(-1)}`)
    const again = await openLog(disk)
    expect(again.ok ? '' : again.error.message).toContain('the log goes on in')
  })

  it('does not take the segments before a missing one for part of the log', async () => {
    const disk = new CrashDisk()
    const state = await filled(disk, 40, 7)
    disk.lose(`${directory}/0000000002.log`)
    const again = await opened(disk)
    expect(again.state.baseIndex).toBeGreaterThan(0)
    expect(again.state.hardState).toEqual(state.hardState)
  })

  it('takes only what follows the last of several missing ones, as a crash may leave them that were removed', async () => {
    const disk = new CrashDisk()
    const state = await filled(disk, 40, 7)
    const segments = disk.namesIn(directory).filter((name) => name.endsWith('.log')).length
    expect(segments).toBeGreaterThan(4)
    for (const number of [2, 4]) disk.lose(`${directory}/000000000${number}.log`)
    const again = await opened(disk)
    expect(again.state.hardState).toEqual(state.hardState)
    expect(disk.namesIn(directory)).not.toContain('0000000003.log')
  })

  it('refuses a segment of another log', async () => {
    const disk = new CrashDisk()
    await filled(disk, 40, 7)
    const other = new CrashDisk()
    await filled(other, 40, 8)
    const path = `${directory}/0000000002.log`
    disk.plant(path, other.bytesOf(path))
    const again = await openLog(disk)
    expect(again.ok ? '' : again.error.message).toContain('does not follow')
  })

  it('refuses a segment under the name of another', async () => {
    const disk = new CrashDisk()
    await filled(disk, 40, 7)
    disk.plant(`${directory}/0000000002.log`, disk.bytesOf(segmentPath))
    const again = await openLog(disk)
    expect(again.ok ? '' : again.error.message).toContain('it holds segment 1, but has the name of another')
  })

  it('refuses a whole segment of another format and says which', async () => {
    const disk = new CrashDisk()
    await filled(disk, 3, 7)
    const bytes = disk.bytesOf(segmentPath).slice()
    bytes[11] = 9
    const view = new DataView(bytes.buffer)
    const fields = bytes.subarray(20, 20 + view.getUint32(12))
    view.setUint32(16, crc32c(fields, crc32c(bytes.subarray(8, 16))))
    disk.plant(segmentPath, bytes)
    const again = await openLog(disk)
    expect(again).toMatchObject({ error: { kind: 'old-format', message: expect.stringContaining('log format 9') } })
  })

  it.each(['write', 'sync', 'rename', 'syncDirectory', 'open'] as const)(
    'stops for good when %s fails, and reports nothing durable after it',
    async (operation) => {
      const disk = new CrashDisk()
      const { log, failures } = await opened(disk)
      let acknowledged = 0
      disk.fault = (asked) => (asked === operation ? 'io' : undefined)
      for (let i = 1; i <= 30; i++) {
        log.write(logChange({ entries: [entryAt(i, 1, 40)] }), () => acknowledged++)
        log.flush()
        await new Promise((resolve) => setImmediate(resolve))
      }
      const durable = acknowledged
      const tried = disk.counts.get(operation)
      disk.fault = () => undefined
      log.write(logChange({ entries: [entryAt(31, 1, 40)] }), () => acknowledged++)
      log.flush()
      await log.close()
      expect(failures).toMatchObject([{ kind: 'io' }])
      expect(acknowledged).toBe(durable)
      expect(disk.counts.get(operation)).toBe(tried)
      expect(acknowledged).toBeLessThan(30)
      const { state } = await opened(disk.restarted())
      expect(state.entries.length).toBeGreaterThanOrEqual(durable)
    },
  )

  describe('on a full disk', () => {
    function write(log: SegmentedLog, from: number, to: number, durable: number[]): void {
      for (let i = from; i <= to; i++) {
        log.write(logChange({ entries: [entryAt(i, 1, 40)] }), () => durable.push(i))
        log.flush()
      }
    }
    const upTo = (last: number): number[] => Array.from({ length: last }, (_, i) => i + 1)

    it.each([
      ['for a batch', '.log'],
      ['for a new segment', '.tmp'],
    ])('tries again each second where there is no room %s, and loses nothing and no order', async (_, suffix) => {
      const disk = new CrashDisk()
      const { log, env, failures, told } = await opened(disk)
      const durable: number[] = []
      const tried = new Set<number>()
      disk.fault = (operation, path) => {
        if (operation !== 'write' || !path.endsWith(suffix)) return undefined
        tried.add(env.time.nowMs)
        return 'full'
      }
      for (let i = 1; i <= 30; i++) {
        write(log, i, i, durable)
        await settle()
      }
      const before = durable.length
      expect([before < 30, log.isFull, tried.size, told]).toEqual([true, true, 1, ['full']])
      await env.time.advance(3000)
      expect([durable.length, tried.size, told]).toEqual([before, 4, ['full']])
      disk.fault = () => undefined
      await env.time.advance(1000)
      expect([log.isFull, durable, told, failures]).toEqual([false, upTo(30), ['full', 'room'], []])
      await log.close()
      expect((await opened(disk.restarted())).state.entries.map(({ index }) => index)).toEqual(upTo(30))
    })

    it('a crash finds what was reported durable, and nothing torn, wherever the write that had no room ended', async () => {
      for (let part = 0; part < 60; part += 7) {
        const disk = new CrashDisk()
        const { log, told } = await opened(disk, oneSegment)
        const durable: number[] = []
        write(log, 1, 1, durable)
        await settle()
        disk.roomBytes = part
        write(log, 2, 2, durable)
        await settle()
        expect([durable, told]).toEqual([[1], ['full']])
        const again = await opened(disk.restarted(), oneSegment)
        expect(again.state.entries.map(({ index }) => index)).toEqual([1])
      }
    })

    it('ends without what had no room when it is closed', async () => {
      const disk = new CrashDisk()
      const { log, env } = await opened(disk, oneSegment)
      const durable: number[] = []
      disk.fault = (operation) => (operation === 'write' ? 'full' : undefined)
      write(log, 1, 3, durable)
      await settle()
      await log.close()
      expect([durable, env.time.pending]).toEqual([[], 0])
    })
  })

  it.each([
    ['open', '.tmp'],
    ['open', '.log'],
    ['syncDirectory', ''],
  ])(
    'without a descriptor to %s …%s for a new segment, tries again each second, and loses nothing',
    async (needs, end) => {
      const disk = new CrashDisk()
      const { log, env, failures, told } = await opened(disk)
      const durable: number[] = []
      disk.fault = (operation, path) => (operation === needs && path.endsWith(end) ? 'no-descriptor' : undefined)
      for (let i = 1; i <= 30; i++) {
        log.write(logChange({ entries: [entryAt(i, 1, 40)] }), () => durable.push(i))
        log.flush()
        await settle()
      }
      const before = durable.length
      expect([before < 30, log.isFull, told, failures]).toEqual([true, false, ['delayed'], []])
      await env.time.advance(2000)
      expect([durable.length, told.length, failures]).toEqual([before, 3, []])
      for (let seed = 1; seed <= 8; seed++) {
        const crashed = await opened(disk.crashed(new Draws(seed)))
        expect(crashed.state.entries.length).toBeGreaterThanOrEqual(before)
      }
      disk.fault = () => undefined
      await env.time.advance(1000)
      expect(durable).toEqual(Array.from({ length: 30 }, (_, i) => i + 1))
      await log.close()
      expect((await opened(disk.restarted())).state.entries.map(({ index }) => index)).toEqual(durable)
    },
  )

  it('goes on behind a segment that was never used, and that the disk does not remove', async () => {
    const disk = new CrashDisk()
    const { log } = await opened(disk)
    await persist(log, logChange({ entries: [entryAt(1, 1, 40)] }))
    disk.fault = (operation, path) => (operation === 'open' && path.endsWith('.log') ? 'no-descriptor' : undefined)
    // It does not fit into the first segment, which has room left.
    log.write(logChange({ entries: [entryAt(2, 1, 600)] }), () => {})
    log.flush()
    await settle()
    const again = disk.restarted()
    again.fault = (operation) => (operation === 'remove' ? 'permission' : undefined)
    const second = await opened(again)
    const { length } = second.state.entries
    expect([length, again.namesIn(directory).filter((name) => name.endsWith('.log')).length]).toEqual([1, 2])
    const next = entryAt(length + 1, 1, 1)
    await persist(second.log, logChange({ entries: [next] }))
    await second.log.close()
    for (const found of [again.restarted(), again.crashed({ below: () => 0 })]) {
      const third = await opened(found)
      expect(third.state.entries.at(-1)).toEqual(next)
      for (let i = 2; i <= 20; i++) await persist(third.log, logChange({ entries: [entryAt(length + i, 1, 40)] }))
      await third.log.close()
      expect((await opened(found.restarted())).state.entries.length).toBe(length + 20)
    }
  })

  it('without a descriptor to sync the directory, keeps old segments for the next removal', async () => {
    const disk = new CrashDisk()
    const { log, failures } = await opened(disk)
    for (let i = 1; i <= 30; i++) await persist(log, logChange({ entries: [entryAt(i, 1, 40)] }))
    disk.fault = (operation) => (operation === 'syncDirectory' ? 'no-descriptor' : undefined)
    log.compact(logIndexOf(20))
    log.flush()
    await settle()
    disk.fault = () => undefined
    const synced = disk.counts.get('syncDirectory') ?? 0
    for (let i = 31; i <= 60; i++) await persist(log, logChange({ entries: [entryAt(i, 1, 40)] }))
    log.compact(logIndexOf(50))
    log.flush()
    await settle()
    expect(failures).toEqual([])
    expect(disk.counts.get('syncDirectory')).toBeGreaterThan(synced)
    const left = disk.crashed({ below: () => 0 }).namesIn(directory)
    expect(left.filter((name) => name.endsWith('.log')).length).toBeLessThan(6)
  })

  it('seals itself when it has been idle, once, and when it is closed', async () => {
    const disk = new CrashDisk()
    const { log, env } = await opened(disk, oneSegment)
    await persist(log, logChange({ entries: [entryAt(1, 1)] }))
    const end = () => contentEnd(disk.bytesOf(segmentPath))
    const unsealed = end()
    await env.time.advance(999)
    expect(end()).toBe(unsealed)
    await env.time.advance(1)
    expect(end()).toBe(unsealed + 32)
    await env.time.advance(10_000)
    expect(end()).toBe(unsealed + 32)
    expect(env.time.pending).toBe(0)
    await persist(log, logChange({ entries: [entryAt(2, 1)] }))
    const length = end()
    await log.close()
    expect(end()).toBe(length + 32)
    expect(env.time.pending).toBe(0)
  })

  it('seals a batch that is still under way, or waits for its turn, when it is closed', async () => {
    const ends: number[] = []
    for (const isUnderWay of [false, true]) {
      const disk = new CrashDisk()
      const { log } = await opened(disk, oneSegment)
      if (isUnderWay) {
        log.write(logChange({ entries: [entryAt(1, 1)] }), () => {})
        log.flush()
      } else await persist(log, logChange({ entries: [entryAt(1, 1)] }))
      await log.close()
      ends.push(contentEnd(disk.bytesOf(segmentPath)))
    }
    expect(ends[1]).toBe(ends[0])
    const disk = new CrashDisk()
    const { log } = await opened(disk, oneSegment)
    log.write(logChange({ entries: [entryAt(1, 1)] }), () => {})
    await log.close()
    expect(contentEnd(disk.bytesOf(segmentPath))).toBe(ends[0])
  })

  it('vouches for what a killed process left unsynced before it acts on it', async () => {
    const disk = new CrashDisk()
    const { log } = await opened(disk, oneSegment)
    disk.fault = (operation) => (operation === 'sync' ? 'io' : undefined)
    log.write(logChange({ hardState: { term: termOf(5), votedFor: 'node-b' } }), () => {})
    log.flush()
    await new Promise((resolve) => setImmediate(resolve))
    const killed = disk.restarted()
    expect((await opened(killed, oneSegment)).state.hardState.term).toBe(5)
    const nothingStays = { below: () => 0 }
    expect((await opened(killed.crashed(nothingStays), oneSegment)).state.hardState.term).toBe(5)
  })
})
