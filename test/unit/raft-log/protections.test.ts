import { describe, expect, it } from 'vitest'
import { concatBytes } from '../../../src/base/bytes.ts'
import { crc32c } from '../../../src/base/crc32c.ts'
import { err } from '../../../src/base/result.ts'
import { logIndexOf, noIndex, termOf } from '../../../src/model/log-position.ts'
import type { Entry } from '../../../src/raft/core/types.ts'
import { encodeBatch, readBatch, recordsAt } from '../../../src/raft/log/batch.ts'
import { logChange } from '../../../src/raft/log/durable-log.ts'
import { lossOf } from '../../../src/raft/log/log-loss.ts'
import { createLog } from '../../../src/raft/log/opening.ts'
import type { LogRecord } from '../../../src/raft/log/record.ts'
import { recoverLog } from '../../../src/raft/log/recovery.ts'
import { Sealing } from '../../../src/raft/log/sealing.ts'
import { SegmentBytes } from '../../../src/raft/log/segment-bytes.ts'
import { encodeSegmentHeader, logFormats, readSegmentHeader } from '../../../src/raft/log/segment-file.ts'
import { defaultLogOptions } from '../../../src/raft/log/segmented-log.ts'
import { createWatermark, findMark, type Mark, Watermark } from '../../../src/raft/log/watermark.ts'
import { WatermarkWriter } from '../../../src/raft/log/watermark-writer.ts'
import { CrashDisk } from './crash-disk.ts'
import { FakeTime, fakeEnv, settle } from './fake-env.ts'
import { directory, entryAt, openLog, persist, smallSegments } from './log-model.ts'

const markAt = (batch: number): Mark => ({
  batch,
  chain: batch,
  segment: 1,
  end: 100,
  lastIndex: logIndexOf(batch),
  term: termOf(1),
  configurationIndex: noIndex,
})

/** What holds a log together against a second fault: a run without that fault never misses it. */
describe('what protects a log', () => {
  it('a watermark is found as it was written last, whichever of its two places that took', async () => {
    const disk = new CrashDisk()
    await disk.makeDirectory(directory)
    await createWatermark(disk, directory, markAt(0))
    for (let batch = 1; batch <= 4; batch++) {
      const found = await findMark(disk, directory)
      const opened = found.ok && found.value !== undefined ? await Watermark.open(disk, directory, found.value) : found
      if (!opened?.ok || !('write' in (opened.value ?? {}))) throw new Error('the watermark cannot be opened')
      await (opened.value as Watermark).write(markAt(batch))
      expect(await findMark(disk, directory)).toMatchObject({
        ok: true,
        value: { mark: { batch }, sequence: batch + 1 },
      })
    }
  })

  it('marks that are written at once take both places, and the later one is found', async () => {
    const disk = new CrashDisk()
    await disk.makeDirectory(directory)
    await createWatermark(disk, directory, markAt(0))
    const opened = await Watermark.open(disk, directory, { mark: markAt(0), sequence: 1 })
    if (!opened.ok) throw new Error('the watermark cannot be opened')
    await Promise.all([1, 2].map((batch) => opened.value.write(markAt(batch))))
    expect(await findMark(disk, directory)).toMatchObject({ ok: true, value: { mark: { batch: 2 }, sequence: 3 } })
  })

  it('the header of a batch that ends one byte early is none, even if that byte would be zero', () => {
    const place = { number: 1, offset: 0, salt: 5, chain: 0 }
    const cut = encodeBatch([], place).bytes.subarray(0, 31)
    expect(recordsAt(cut, 0, place.salt)).toBeUndefined()
    expect(readBatch(cut, place)).toMatchObject({ ok: false, error: { what: 'the header of a batch is cut short' } })
  })

  it('the header of a segment has as many fields as its format, even if its checksum is right', () => {
    const head = { segment: 1, salt: 5, lastBatch: 0, chain: 0, endOfPrevious: 0, lastIndex: noIndex }
    const header = { ...head, hardState: { term: termOf(1), votedFor: undefined }, allocatedBytes: undefined }
    const bytes = encodeSegmentHeader(header)
    expect(readSegmentHeader(bytes)).toMatchObject({ ok: true })
    const view = new DataView(bytes.buffer)
    view.setUint32(8, logFormats.segments.allocated)
    view.setUint32(16, crc32c(bytes.subarray(20), crc32c(bytes.subarray(8, 16))))
    expect(readSegmentHeader(bytes)).toMatchObject({ ok: false, error: { kind: 'damaged' } })
  })

  it('a watermark that cannot be written ends the log, and one without space does not', async () => {
    const disk = new CrashDisk()
    await disk.makeDirectory(directory)
    await createWatermark(disk, directory, markAt(0))
    const found = await findMark(disk, directory)
    const opened =
      found.ok && found.value !== undefined ? await Watermark.open(disk, directory, found.value) : undefined
    if (opened?.ok !== true) throw new Error('the watermark cannot be opened')
    const failures: string[] = []
    const writer = new WatermarkWriter(
      opened.value,
      () => markAt(1),
      ({ kind }) => failures.push(kind),
    )
    disk.fault = (operation) => (operation.startsWith('write') ? 'full' : undefined)
    await writer.advance()
    expect(failures).toEqual([])
    disk.fault = (operation) => (operation.startsWith('write') ? 'io' : undefined)
    await writer.advance()
    expect(failures).toEqual(['io'])
  })

  it('a log that was written to a fraction of a millisecond before its time is sealed, too', async () => {
    const time = new FakeTime()
    const due: boolean[] = []
    const sealing = new Sealing(fakeEnv(new CrashDisk(), time), 1000, (isIdle) => due.push(isIdle))
    sealing.wrote(false)
    await time.advance(0.5)
    sealing.wrote(false)
    await time.advance(999.5)
    expect(due).toEqual([false])
    await time.advance(0.5)
    expect(due).toEqual([false, true])
  })

  it('a log of a server is sealed, and its watermark has reached it, a second after its last write', async () => {
    const disk = new CrashDisk()
    const opened = await openLog(disk, defaultLogOptions)
    if (!opened.ok) throw new Error(opened.error.message)
    await persist(opened.value.log, logChange({ entries: [entryAt(1, 1)] }))
    const batchOf = async (): Promise<number | undefined> => {
      const found = await findMark(disk, directory)
      return found.ok ? found.value?.mark.batch : undefined
    }
    const before = (await batchOf()) ?? 0
    await opened.value.env.time.advance(1000)
    expect(await batchOf()).toBe(before + 2)
  })

  it('whichever operation fails, making a log ends with that failure, and throws nothing', async () => {
    const sound = new CrashDisk()
    await sound.makeDirectory(directory)
    const before = sound.operations
    await createLog(fakeEnv(sound), directory, smallSegments)
    for (let failing = 1; failing <= sound.operations - before; failing++) {
      const disk = new CrashDisk()
      await disk.makeDirectory(directory)
      let [count, failed] = [0, '']
      disk.fault = (operation) => {
        if (++count === failing) failed = operation
        return count === failing ? 'io' : undefined
      }
      const made = await createLog(fakeEnv(disk), directory, smallSegments)
      // Whether a file is closed changes nothing that is on the disk.
      expect(made.ok, `${failed}, operation ${failing}`).toBe(failed === 'close')
    }
  })
})

describe('a new segment whose name may not be durable', () => {
  /** A disk on which the directory could not be synced when the second segment had got its name. */
  async function withUnsureName(): Promise<CrashDisk> {
    const disk = new CrashDisk()
    const opened = await openLog(disk)
    if (!opened.ok) throw new Error(opened.error.message)
    const { log, failures } = opened.value
    disk.fault = (operation) => (operation === 'syncDirectory' ? 'io' : undefined)
    for (let i = 1; failures.length === 0; i++) {
      log.write(logChange({ entries: [entryAt(i, 1, 40)] }), () => {})
      log.flush()
      await settle()
    }
    disk.fault = () => undefined
    expect(disk.namesIn(directory)).toContain('0000000002.log')
    return disk.restarted()
  }

  it('is left out and made again, so that its name is', async () => {
    const disk = await withUnsureName()
    const read = await recoverLog(disk, directory)
    if (!read.ok || read.value === undefined) throw new Error('it is not read')
    const { segments, leftovers } = read.value
    expect(segments.map(({ segment }) => segment)).toEqual([1])
    expect(leftovers).toEqual([`${directory}/0000000002.log`])
    const operations: string[] = []
    disk.fault = (operation, path) => void operations.push(`${operation} ${path.slice(directory.length + 1)}`)
    const again = await openLog(disk)
    if (!again.ok) throw new Error(again.error.message)
    const last = again.value.state.entries.length
    for (let i = 1; i <= 20; i++) await persist(again.value.log, logChange({ entries: [entryAt(last + i, 1, 40)] }))
    expect(operations).toContain('remove 0000000002.log')
    expect(operations).toContain('rename 0000000002.log.tmp')
    expect((await openLog(disk.restarted())).ok).toBe(true)
  })

  it('stays when the one before says that the log continues in it, or when it has a batch', async () => {
    const disk = new CrashDisk()
    const opened = await openLog(disk)
    if (!opened.ok) throw new Error(opened.error.message)
    for (let i = 1; i <= 20; i++) await persist(opened.value.log, logChange({ entries: [entryAt(i, 1, 40)] }))
    const read = await recoverLog(disk, directory)
    if (!read.ok || read.value === undefined) throw new Error('it is not read')
    expect(read.value.leftovers).toEqual([])
    expect(read.value.segments.length).toBeGreaterThan(2)
  })
})

describe('a log of which something cannot be read', () => {
  /** Four segments, a damaged second one, and a watermark. */
  async function damagedLog(): Promise<CrashDisk> {
    const disk = new CrashDisk()
    const opened = await openLog(disk)
    if (!opened.ok) throw new Error(opened.error.message)
    for (let i = 1; i <= 30; i++) await persist(opened.value.log, logChange({ entries: [entryAt(i, 1, 40)] }))
    const path = `${directory}/0000000002.log`
    const bytes = disk.bytesOf(path).slice()
    bytes[100] = (bytes[100] as number) ^ 1
    disk.plant(path, bytes)
    return disk.restarted()
  }

  it.each(['watermark', '0000000001.log', '0000000004.log'])(
    'is not damaged for that reason: without %s nothing is known of what it lost',
    async (name) => {
      const disk = await damagedLog()
      expect(await recoverLog(disk, directory)).toMatchObject({
        error: { kind: 'damaged-log', loss: { heldUpTo: 30 } },
      })
      for (const failing of ['open', 'read']) {
        disk.fault = (operation, path) => (operation === failing && path.endsWith(name) ? 'io' : undefined)
        const read = await recoverLog(disk, directory)
        expect(read).toEqual(err({ kind: 'io', message: `${directory}/${name}: planted io`, remedy: 'check the disk' }))
      }
    },
  )
})

describe('the configurations that a damaged log is known to have held', () => {
  it('are in the order in which they were written: of two at one index, the one that replaced the other is the last', async () => {
    const disk = new CrashDisk()
    const opened = await openLog(disk)
    if (!opened.ok) throw new Error(opened.error.message)
    const { log } = opened.value
    const configured = (index: number, term: number): Entry => ({ ...entryAt(index, term, 200), kind: 'configuration' })
    for (let i = 1; i <= 9; i++) await persist(log, logChange({ entries: [entryAt(i, 1, 40)] }))
    for (const term of [2, 3, 4]) {
      const hardState = { term: termOf(term), votedFor: undefined }
      const entries = [configured(10, term), entryAt(11, term, 200)]
      await persist(log, logChange({ hardState, truncateFrom: term > 2 ? logIndexOf(10) : undefined, entries }))
    }
    await log.close()
    const path = `${directory}/0000000001.log`
    const bytes = disk.bytesOf(path).slice()
    bytes[100] = (bytes[100] as number) ^ 1
    disk.plant(path, bytes)
    const read = await recoverLog(disk.restarted(), directory)
    const loss = read.ok ? undefined : read.error.loss
    expect(loss?.configurations.map(({ index, term }) => [index, term])).toEqual([
      [10, 2],
      [10, 3],
      [10, 4],
    ])
  })
})

describe('what a damaged log is known to have held', () => {
  const salt = 5
  const hardState = { term: termOf(2), votedFor: undefined }
  const header = { segment: 1, salt, lastBatch: 3, chain: 0, endOfPrevious: 0, hardState, lastIndex: logIndexOf(7) }

  const lossIn = (records: readonly LogRecord[]) => {
    const head = encodeSegmentHeader({ ...header, allocatedBytes: 4096 })
    const batch = encodeBatch(records, { number: 4, offset: head.length, salt, chain: 0 }).bytes
    const bytes = concatBytes(records.length === 0 ? [head] : [head, batch])
    return lossOf(
      undefined,
      undefined,
      [{ bytes: new SegmentBytes(bytes, 4096), from: 0, number: undefined }],
      logFormats.segments,
    )
  }

  it('is what the header of a segment says, even if no batch can be read', () => {
    expect(lossIn([])).toMatchObject({ heldUpTo: 7, term: 2 })
  })

  it('is what the first batch of a segment has, which was not used', () => {
    expect(lossIn([{ kind: 'entry', entry: entryAt(8, 3) }])).toMatchObject({ heldUpTo: 8, term: 3 })
  })

  it('is the term of a snapshot for which the log was dropped', () => {
    expect(lossIn([{ kind: 'reset', index: logIndexOf(9), term: termOf(6) }])).toMatchObject({ heldUpTo: 7, term: 6 })
  })
})
