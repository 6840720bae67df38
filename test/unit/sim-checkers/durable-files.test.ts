import { beforeAll, describe, expect, it } from 'vitest'
import type { DiskLook, FileLook } from '../../../sim/checkers/raft/disk-look.ts'
import { DurableFiles } from '../../../sim/checkers/raft/durable-files.ts'
import { readLogEnd } from '../../../sim/checkers/raft/log-reader.ts'
import { readSnapshotFile } from '../../../sim/checkers/raft/snapshot-reader.ts'
import { logIndexOf, termOf } from '../../../src/model/log-position.ts'
import { newestRelease } from '../../../src/model/release.ts'
import { logChange } from '../../../src/raft/log/durable-log.ts'
import { SnapshotStore } from '../../../src/raft/log/snapshot-store.ts'
import { CrashDisk } from '../raft-log/crash-disk.ts'
import { Draws } from '../raft-log/fake-env.ts'
import {
  afterChange,
  directory,
  drawChange,
  emptyState,
  entryAt,
  openLog,
  persist,
  smallSegments,
} from '../raft-log/log-model.ts'
import { recorder } from './reports.ts'

const snapshots = '/data/raft/snapshots'
const watermark = `${directory}/watermark`
const segment = `${directory}/0000000001.log`
const taken = `${snapshots}/0000000003-000000000000007.snapshot`

/** A disk with a log of entries 1 and 2 of term 3; `closes`: in order. */
async function logOnDisk(closes: boolean): Promise<CrashDisk> {
  const disk = new CrashDisk()
  const opened = await openLog(disk, { ...smallSegments, segmentBytes: 4096 })
  if (!opened.ok) throw new Error(opened.error.message)
  const hardState = { term: termOf(3), votedFor: 'a' }
  await persist(opened.value.log, logChange({ hardState, entries: [entryAt(1, 3), entryAt(2, 3)] }))
  if (closes) await opened.value.log.close()
  return disk
}

async function withSnapshot(disk: CrashDisk, index: number, state: string): Promise<void> {
  await disk.makeDirectory(snapshots)
  const configuration = { servers: [{ id: 'a', address: 'a:8300', suffrage: 'voter' as const }] }
  const meta = { index: logIndexOf(index), term: termOf(3), configuration, configurationIndex: logIndexOf(1) }
  const pieces = [...state].map((letter) => new TextEncoder().encode(letter))
  const written = await new SnapshotStore(disk, snapshots, undefined).write(
    meta,
    { next: () => pieces.shift() },
    logIndexOf(index),
  )
  if (!written.ok) throw new Error(JSON.stringify(written.error))
}

function lookInto(disk: CrashDisk, path: string): FileLook {
  const bytes = disk.bytesOf(path)
  return { size: bytes.length, read: (at, length) => bytes.slice(at, at + length) }
}

function lookAt(disk: CrashDisk, look: Partial<DiskLook> = {}): DiskLook {
  const paths = [directory, snapshots].flatMap((folder) => disk.namesIn(folder).map((name) => `${folder}/${name}`))
  const files = paths.map((path) => [path, lookInto(disk, path)] as const)
  const usual = { when: 'stopped', release: newestRelease, isRotten: false, hasFailed: false, isBusy: false } as const
  return { ...usual, ...look, files: new Map(files) }
}

/** A checker that was told that s1 wrote this long ago. */
function checkerOf(idleSeconds = 60, lastIndex = 2, votedFor = 'a') {
  const { judge, lines, counts } = recorder()
  let nowUs = 0
  const checker = new DurableFiles(
    judge,
    () => nowUs,
    () => lastIndex,
  )
  checker.term('s1', 3, votedFor)
  nowUs = idleSeconds * 1e6
  return { checker, lines, counts }
}

function reported(disk: CrashDisk, look: Partial<DiskLook> = {}, lastIndex = 2): readonly string[] {
  const { checker, lines } = checkerOf(60, lastIndex)
  checker.looked('s1', lookAt(disk, look))
  return lines
}

/** The same disk with one bit of a file turned. */
function turned(disk: CrashDisk, path: string, at: number): CrashDisk {
  const copy = disk.copy()
  const bytes = copy.bytesOf(path).slice()
  bytes[at] = (bytes[at] as number) ^ 1
  copy.plant(path, bytes)
  return copy
}

describe('D3 durable files', () => {
  let closed: CrashDisk
  let crashed: CrashDisk

  beforeAll(async () => {
    closed = await logOnDisk(true)
    crashed = await logOnDisk(false)
  })

  it('reads, apart from the agent, how each of many logs ends', async () => {
    for (let seed = 1; seed <= 12; seed++) {
      const disk = new CrashDisk()
      const opened = await openLog(disk, smallSegments, seed)
      if (!opened.ok) throw new Error(opened.error.message)
      const draws = new Draws(seed)
      let state = emptyState
      for (let i = 0; i < 20; i++) {
        const change = drawChange(state, draws)
        await persist(opened.value.log, change)
        state = afterChange(state, change)
      }
      await opened.value.log.close()
      const last = disk
        .namesIn(directory)
        .filter((name) => name.endsWith('.log'))
        .at(-1)
      expect(readLogEnd(lookInto(disk, `${directory}/${last}`))).toMatchObject({
        lastIndex: state.entries.at(-1)?.index ?? state.baseIndex,
        term: state.hardState.term,
        votedFor: state.hardState.votedFor,
        isSealed: true,
      })
    }
  })

  it('accepts a log that was closed, and one of a process that just ended', () => {
    expect(reported(closed)).toEqual([])
    expect(reported(closed, { when: 'at rest' })).toEqual([])
    expect(reported(crashed, { when: 'ended' })).toEqual([])
  })

  it('reports a log that is not sealed although its server does not write to it', () => {
    const line = 'ends without a seal after batch 2 (entry 2, term 3)'
    expect(reported(crashed)).toEqual([`D3: the log of s1, which has stopped, ${line}`])
    expect(reported(crashed, { when: 'at rest' })).toEqual([`D3: the log of s1, which is at rest, ${line}`])
  })

  it('excuses a log that is in use, and one whose disk has failed', () => {
    const { checker, lines, counts } = checkerOf(2)
    checker.looked('s1', lookAt(crashed, { when: 'at rest' }))
    checker.looked('s1', lookAt(crashed, { hasFailed: true }))
    const writing = checkerOf(60)
    writing.checker.looked('s1', lookAt(crashed, { when: 'at rest', isBusy: true }))
    expect([writing.lines, writing.counts()]).toEqual([[], ['D3 excused: in use 1', 'D3 1']])
    checker.looked('s1', lookAt(turned(closed, segment, 9), { isRotten: true }))
    expect(lines).toEqual([])
    expect(counts()).toEqual(['D3 excused: in use 1', 'D3 2', 'D3 excused: failing disk 1', 'D3 excused: rotten 1'])
  })

  it('reports a watermark that is behind a closed log, torn, or ahead of what is there', () => {
    const behind = closed.copy()
    behind.plant(watermark, crashed.bytesOf(watermark))
    expect(reported(behind)[0]).toMatch(/ends with batch 3 .* but its watermark only says batch 1 /)
    const place = closed.bytesOf(watermark).indexOf(115, 4096) === 4096 ? 4096 : 0
    expect(reported(turned(closed, watermark, place + 20))[0]).toMatch(/one of its places is not whole|only says/)
    const ahead = closed.copy()
    ahead.plant(segment, crashed.bytesOf(segment))
    expect(reported(ahead, { when: 'ended' })[0]).toMatch(/ends with batch 2 .* but its watermark says batch 3 /)
    const none = closed.copy()
    none.plant(watermark, new Uint8Array(8192))
    expect(reported(none)).toEqual(['D3: the watermark of s1 cannot be read: neither of its places is whole'])
  })

  it('reports a log at rest that is not what the server wrote', () => {
    expect(reported(closed, { when: 'at rest' }, 3)[0]).toMatch(/ends with entry 2, but the server wrote 3/)
    const { checker, lines } = checkerOf(60, 2, 'b')
    // A process that stops may write what it does not tell any more.
    checker.looked('s1', lookAt(closed, { when: 'stopped' }))
    expect(lines).toEqual([])
    checker.looked('s1', lookAt(closed, { when: 'at rest' }))
    expect(lines).toEqual([expect.stringMatching(/has term 3 and the vote a, but the server wrote 3 and b$/)])
    expect(reported(turned(closed, segment, 9))[0]).toMatch(/0000000001.log of s1 cannot be read/)
  })

  it('reads snapshots, and reports one that is not whole at whatever byte', async () => {
    const disk = closed.copy()
    await withSnapshot(disk, 7, 'abc')
    expect(reported(disk)).toEqual([])
    const bytes = disk.bytesOf(taken)
    expect(readSnapshotFile(bytes)).toMatchObject({ index: 7, term: 3, isTaken: true })
    for (let at = 0; at < bytes.length; at++) expect(reported(turned(disk, taken, at))).toHaveLength(1)
    for (let length = 0; length < bytes.length; length++)
      expect(typeof readSnapshotFile(bytes.slice(0, length))).toBe('string')
  })

  it('reports a snapshot under the name of another, and one that differs from its like', async () => {
    const disk = closed.copy()
    await withSnapshot(disk, 7, 'abc')
    const other = closed.copy()
    await withSnapshot(other, 7, 'abd')
    const renamed = disk.copy()
    renamed.plant(taken.replace('7.', '8.'), disk.bytesOf(taken))
    expect(reported(renamed)[0]).toMatch(/8.snapshot of s1 holds the snapshot 0{9}3-0{14}7.snapshot/)
    const { checker, lines } = checkerOf()
    checker.looked('s1', lookAt(disk))
    checker.looked('s2', lookAt(disk))
    checker.looked('s3', lookAt(other))
    expect(lines).toEqual([expect.stringMatching(/7.snapshot of s3 is not that of s1/)])
    checker.beganAnew()
    checker.looked('s3', lookAt(other))
    expect(lines).toHaveLength(1)
  })

  it('reports more snapshots than are kept, but for one that is being replaced', async () => {
    const disk = new CrashDisk()
    for (const index of [7, 8]) await withSnapshot(disk, index, 'abc')
    expect(reported(disk, { when: 'at rest' })).toEqual([])
    await withSnapshot(disk, 9, 'abc')
    expect(reported(disk, { when: 'ended' })).toEqual([])
    expect(reported(disk, { when: 'at rest', isBusy: true })).toEqual([])
    expect(reported(disk, { when: 'at rest' })).toEqual(['D3: s1 keeps 3 snapshots'])
    await withSnapshot(disk, 10, 'abc')
    expect(reported(disk, { when: 'ended' })).toEqual(['D3: s1 keeps 4 snapshots'])
    for (let index = 11; index <= 18; index++) await withSnapshot(disk, index, 'abc')
    expect(reported(disk, { when: 'at rest', hasFailed: true })).toEqual([])
    await withSnapshot(disk, 19, 'abc')
    expect(reported(disk, { when: 'at rest', hasFailed: true })).toEqual(['D3: s1 keeps 13 snapshots'])
  })

  it('spares two more snapshots of a server that sends them', async () => {
    const disk = new CrashDisk()
    for (const index of [7, 8, 9, 10]) await withSnapshot(disk, index, 'abc')
    const { checker, lines } = checkerOf()
    checker.sent('s1', { kind: 'append-request' })
    checker.sent('s2', { kind: 'snapshot-chunk' })
    checker.looked('s2', lookAt(disk, { when: 'at rest' }))
    expect(lines).toEqual([])
    checker.looked('s1', lookAt(disk, { when: 'at rest' }))
    await withSnapshot(disk, 11, 'abc')
    checker.looked('s2', lookAt(disk, { when: 'at rest' }))
    expect(lines).toEqual(['D3: s1 keeps 4 snapshots', 'D3: s2 keeps 5 snapshots'])
  })

  it('reports unfinished files that pile up, two more of them on a disk that fails', async () => {
    const disk = closed.copy()
    await disk.makeDirectory(snapshots)
    const add = (name: string): void => disk.plant(`${snapshots}/${name}`, new Uint8Array(3))
    for (const name of ['1.snapshot.tmp', '2.snapshot.part']) add(name)
    expect(reported(disk)).toEqual([])
    add('3.snapshot.tmp')
    const text = 'D3: s1 keeps 3 unfinished files, such as /data/raft/snapshots/1.snapshot.tmp'
    expect([reported(disk), reported(disk, { hasFailed: true })]).toEqual([[text], []])
    for (const name of ['4.snapshot.part', '5.snapshot.tmp']) add(name)
    expect(reported(disk, { hasFailed: true })).toHaveLength(1)
  })
})
