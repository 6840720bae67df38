import { describe, expect, it } from 'vitest'
import { concatBytes, equalBytes } from '../../../src/base/bytes.ts'
import { done, err, type Result } from '../../../src/base/result.ts'
import { logIndexOf, noIndex, termOf } from '../../../src/model/log-position.ts'
import type { SnapshotChunk } from '../../../src/raft/core/messages.ts'
import type { SnapshotMeta } from '../../../src/raft/core/types.ts'
import { findSnapshots } from '../../../src/raft/log/found-snapshots.ts'
import { MemoryFiles } from '../../../src/raft/log/memory-files.ts'
import { SnapshotStore } from '../../../src/raft/log/snapshot-store.ts'
import { snapshotName } from '../../../src/raft/log/stored-snapshot.ts'
import type { StateRestore, StateSnapshot } from '../../../src/raft/raft.ts'
import { CrashDisk } from './crash-disk.ts'
import { Draws, settle } from './fake-env.ts'

const directory = '/data/raft/snapshots'

function metaAt(index: number, term = 3): SnapshotMeta {
  const configuration = { servers: [{ id: 'a', address: 'a:8300', suffrage: 'voter' as const }] }
  return { index: logIndexOf(index), term: termOf(term), configuration, configurationIndex: logIndexOf(1) }
}

function stateOf(bytes: Uint8Array, pieceBytes = 100): StateSnapshot {
  let at = 0
  return {
    next: () => {
      if (at >= bytes.length) return undefined
      at += pieceBytes
      return bytes.subarray(at - pieceBytes, at)
    },
  }
}

function bytesOf(length: number, seed = 1): Uint8Array {
  const draws = new Draws(seed)
  return Uint8Array.from({ length }, () => draws.below(256))
}

class Collected implements StateRestore {
  readonly pieces: Uint8Array[] = []
  finished = false
  write(bytes: Uint8Array): Result<undefined, string> {
    this.pieces.push(new Uint8Array(bytes))
    return done
  }
  finish(): Result<undefined, string> {
    this.finished = true
    return done
  }
  get bytes(): Uint8Array {
    return concatBytes(this.pieces)
  }
}

async function madeDisk(): Promise<CrashDisk> {
  const disk = new CrashDisk()
  await disk.makeDirectory(directory)
  return disk
}

async function written(store: SnapshotStore, meta: SnapshotMeta, bytes: Uint8Array): Promise<number> {
  const size = await store.write(meta, stateOf(bytes), noIndex)
  if (!size.ok) throw new Error(JSON.stringify(size.error))
  return size.value
}

async function found(disk: CrashDisk) {
  const result = await findSnapshots(disk, directory, () => new Collected())
  if (!result.ok) throw new Error(result.error.message)
  return result.value
}

async function wholeOf(store: SnapshotStore, meta: SnapshotMeta): Promise<Uint8Array> {
  const { bytes } = await store.read(meta, 0, 1 << 24)
  if (bytes === undefined) throw new Error('it is gone')
  return bytes
}

/** Sends a whole snapshot in chunks; returns the answer to the last. */
async function sendAll(store: SnapshotStore, meta: SnapshotMeta, file: Uint8Array, chunkBytes: number, from = 0) {
  let answer = { nextOffset: from, complete: false }
  while (!answer.complete && answer.nextOffset < file.length) {
    const received = await store.receive(chunkOf(meta, file, answer.nextOffset, chunkBytes))
    if (!received.ok) throw new Error(received.error.message)
    answer = received.value
    if (answer.nextOffset === 0) break
  }
  return answer
}

function chunkOf(meta: SnapshotMeta, file: Uint8Array, offset: number, length: number): SnapshotChunk {
  const bytes = file.subarray(offset, offset + length)
  return { kind: 'snapshot-chunk', term: termOf(3), meta, sizeBytes: file.length, offset, bytes, round: 1 }
}

describe('snapshots', () => {
  it.each([0, 1, 99, 100, 250, 200_000])('give back a state of %i bytes', async (length) => {
    const store = new SnapshotStore(await madeDisk(), directory)
    const bytes = bytesOf(length)
    const size = await store.write(metaAt(9), stateOf(bytes, 150_000), noIndex)
    expect(size.ok).toBe(true)
    const restore = new Collected()
    expect(await store.restore(metaAt(9), restore)).toEqual(done)
    expect(equalBytes(restore.bytes, bytes)).toBe(true)
    expect(restore.finished).toBe(true)
    expect(Math.max(0, ...restore.pieces.map((piece) => piece.length))).toBeLessThanOrEqual(1 << 16)
  })

  it('are found again with what they stand for, the newest first, two at most', async () => {
    const disk = await madeDisk()
    const store = new SnapshotStore(disk, directory)
    for (const index of [10, 20, 30]) await written(store, metaAt(index), bytesOf(300, index))
    expect(disk.namesIn(directory)).toHaveLength(2)
    expect((await found(disk)).newest?.meta).toEqual(metaAt(30))
    expect((await store.read(metaAt(10), 0, 10)).bytes).toBeUndefined()
    expect((await store.read(metaAt(20), 0, 10)).bytes).toHaveLength(10)
  })

  it('that are being sent stay with the newest two, two at most, until they are no longer', async () => {
    const disk = await madeDisk()
    const store = new SnapshotStore(disk, directory)
    const isThere = async (index: number) => (await store.read(metaAt(index), 0, 1)).bytes !== undefined
    const names = async () => {
      const listed = await disk.list(directory)
      return listed.ok ? listed.value.toSorted() : []
    }
    const namesOf = (...indexes: number[]) => indexes.map((index) => snapshotName(metaAt(index))).toSorted()
    await written(store, metaAt(1), bytesOf(10))
    for (const index of [2, 3, 4, 5]) {
      expect(await isThere(1)).toBe(true)
      await written(store, metaAt(index), bytesOf(10))
    }
    expect(await names()).toEqual(namesOf(1, 4, 5))
    for (const index of [1, 4, 5]) expect(await isThere(index)).toBe(true)
    await written(store, metaAt(6), bytesOf(10))
    for (const index of [1, 4, 5, 6]) expect(await isThere(index)).toBe(true)
    await written(store, metaAt(7), bytesOf(10))
    expect(await names()).toEqual(namesOf(4, 5, 6, 7))
    await written(store, metaAt(8), bytesOf(10))
    expect(await names()).toEqual(namesOf(7, 8))
  })

  it('hold every byte of a state, whichever way its pieces are cut into chunks', async () => {
    const chunk = 1 << 16
    for (const length of [chunk - 1, chunk, chunk + 1, 2 * chunk + 1]) {
      const disk = await madeDisk()
      const store = new SnapshotStore(disk, directory)
      const bytes = bytesOf(length)
      const size = await store.write(metaAt(10), stateOf(bytes, length), noIndex)
      expect(size.ok).toBe(true)
      const restore = new Collected()
      expect(await store.restore(metaAt(10), restore)).toEqual(done)
      expect(equalBytes(restore.bytes, bytes), `${length} bytes`).toBe(true)
    }
  })

  it('that rotted after they were written count as none, and go with the next', async () => {
    const disk = await madeDisk()
    const store = new SnapshotStore(disk, directory)
    await written(store, metaAt(10), bytesOf(300))
    await written(store, metaAt(20), bytesOf(300))
    const path = `${directory}/${snapshotName(metaAt(20))}`
    disk.plant(path, disk.bytesOf(path).fill(0, 100, 101))
    expect((await store.verify(metaAt(10))).ok).toBe(true)
    expect(await store.verify(metaAt(20))).toEqual(err(expect.stringContaining(`${path} is damaged at offset`)))
    expect(store.newest?.meta.index).toBe(10)
    expect((await store.read(metaAt(20), 0, 10)).bytes).toBeUndefined()
    await written(store, metaAt(30), bytesOf(300))
    expect(disk.namesIn(directory).toSorted()).toEqual([metaAt(10), metaAt(30)].map(snapshotName))
    await written(store, metaAt(40), bytesOf(300))
    expect(disk.namesIn(directory).toSorted()).toEqual([metaAt(30), metaAt(40)].map(snapshotName))
  })

  it('whose file has another one since count as none, and one that is not stored is no error', async () => {
    const disk = await madeDisk()
    const store = new SnapshotStore(disk, directory)
    for (const index of [10, 20]) await written(store, metaAt(index), bytesOf(300, index))
    const [older, newer] = [10, 20].map((index) => `${directory}/${snapshotName(metaAt(index))}`) as [string, string]
    disk.plant(newer, disk.bytesOf(older).slice())
    expect(await store.verify(metaAt(20))).toEqual(err(`${newer} is another snapshot`))
    expect(store.newest?.meta).toEqual(metaAt(10))
    expect([await store.verify(metaAt(10)), await store.verify(metaAt(30))]).toEqual([done, done])
  })

  it('of an earlier life, whole or not, go with the next', async () => {
    const disk = await madeDisk()
    const before = new SnapshotStore(disk, directory)
    for (const index of [10, 20]) await written(before, metaAt(index), bytesOf(300))
    const again = new SnapshotStore(disk, directory, await found(disk))
    await written(again, metaAt(30), bytesOf(300))
    expect(disk.namesIn(directory).toSorted()).toEqual([metaAt(20), metaAt(30)].map(snapshotName))
    const rotten = `${directory}/${snapshotName(metaAt(30))}`
    disk.plant(rotten, disk.bytesOf(rotten).fill(0, 100, 101))
    const next = new SnapshotStore(disk, directory, await found(disk))
    expect(next.newest?.meta).toEqual(metaAt(20))
    await written(next, metaAt(40), bytesOf(300))
    expect(disk.namesIn(directory).toSorted()).toEqual([metaAt(20), metaAt(40)].map(snapshotName))
  })

  it('that cannot be read count as none', async () => {
    const disk = await madeDisk()
    const store = new SnapshotStore(disk, directory)
    await written(store, metaAt(10), bytesOf(300))
    disk.lose(`${directory}/${snapshotName(metaAt(10))}`)
    expect((await store.verify(metaAt(10))).ok).toBe(false)
    expect(store.newest).toBeUndefined()
  })

  it('that could not be read once are complete nevertheless; if that continues, they count as absent', async () => {
    const disk = await madeDisk()
    const store = new SnapshotStore(disk, directory)
    await written(store, metaAt(10), bytesOf(300))
    const tooManyFiles = async (): Promise<boolean> => {
      disk.fault = () => 'io'
      const verified = await store.verify(metaAt(10))
      disk.fault = () => undefined
      expect(verified.ok).toBe(false)
      return store.newest !== undefined
    }
    expect([await tooManyFiles(), await tooManyFiles()]).toEqual([true, true])
    expect((await store.verify(metaAt(10))).ok).toBe(true)
    expect([await tooManyFiles(), await tooManyFiles(), await tooManyFiles()]).toEqual([true, true, false])
  })

  it.each(['rename', 'syncDirectory'])(
    'that count as absent because they could not be read stay if another cannot take their place: %s',
    async (failing) => {
      const disk = await madeDisk()
      const store = new SnapshotStore(disk, directory)
      await written(store, metaAt(10), bytesOf(300))
      const file = await wholeOf(store, metaAt(10))
      disk.fault = () => 'io'
      while (store.newest !== undefined) expect((await store.verify(metaAt(10))).ok).toBe(false)
      disk.fault = (operation) => (operation === failing ? 'io' : undefined)
      expect(await store.receive(chunkOf(metaAt(10), file, 0, file.length))).toMatchObject({ ok: false })
      expect(disk.namesIn(directory)).toEqual([snapshotName(metaAt(10))])
      expect((await found(disk)).newest?.meta).toEqual(metaAt(10))
      disk.fault = () => undefined
      expect(await written(store, metaAt(10), bytesOf(300))).toBe(file.length)
      expect((await store.verify(metaAt(10))).ok).toBe(true)
    },
  )

  it('whose file cannot be opened are neither sent nor restored, and are there when it can', async () => {
    const disk = await madeDisk()
    const store = new SnapshotStore(disk, directory)
    const size = await written(store, metaAt(10), bytesOf(300))
    const restore = new Collected()
    disk.fault = (operation) => (operation === 'open' ? 'io' : undefined)
    expect(await store.read(metaAt(10), 0, 10)).toEqual({ bytes: undefined, sizeBytes: 0 })
    expect(await store.restore(metaAt(10), restore)).toMatchObject({ ok: false, error: { kind: 'io' } })
    expect([restore.pieces, restore.finished]).toEqual([[], false])
    disk.fault = () => undefined
    expect(await store.read(metaAt(10), 0, 10)).toMatchObject({ sizeBytes: size })
    expect(await store.restore(metaAt(10), restore)).toEqual(done)
  })

  it('yield to the loop between the pieces', async () => {
    const disk = await madeDisk()
    const store = new SnapshotStore(disk, directory)
    const before = disk.counts.get('write') ?? 0
    await written(store, metaAt(5), bytesOf(10_000))
    expect((disk.counts.get('write') ?? 0) - before).toBeGreaterThanOrEqual(100)
  })

  it('are judged whole or not by every bit', async () => {
    const disk = await madeDisk()
    const store = new SnapshotStore(disk, directory)
    await written(store, metaAt(5), bytesOf(150))
    await written(store, metaAt(6), bytesOf(150))
    const path = `${directory}/${disk.namesIn(directory)[1]}`
    const whole = disk.bytesOf(path)
    for (let bit = 0; bit < whole.length * 8; bit++) {
      const flipped = whole.slice()
      flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7))
      disk.plant(path, flipped)
      const result = await findSnapshots(disk, directory, () => new Collected())
      if (!result.ok) throw new Error(`bit ${bit}: ${result.error.message}`)
      expect(result.value.newest?.meta.index, `bit ${bit}`).toBe(5)
      expect(result.value.damaged[0]?.message).toMatch(/damaged at offset \d+/)
      const { bytes, finished } = result.value.restore as Collected
      expect([equalBytes(bytes, bytesOf(150)), finished]).toEqual([true, false])
    }
    for (const length of [0, 10, whole.length - 1]) {
      disk.plant(path, whole.slice(0, length))
      expect((await found(disk)).newest?.meta.index).toBe(5)
    }
    disk.plant(path, concatBytes([whole, new Uint8Array(1)]))
    expect((await found(disk)).newest?.meta.index).toBe(5)
  })

  it('survive a crash at every step, the new one or the one before', async () => {
    const calm = await madeDisk()
    await written(new SnapshotStore(calm, directory), metaAt(5), bytesOf(300))
    const first = calm.operations
    const step = async (disk: CrashDisk): Promise<SnapshotStore> => {
      const store = new SnapshotStore(disk, directory)
      await written(store, metaAt(5), bytesOf(300))
      return store
    }
    let newer = 0
    for (let after = first; after < first + 14; after++) {
      for (let choice = 0; choice < 6; choice++) {
        const disk = await madeDisk()
        const store = await step(disk)
        disk.haltAfter = after
        let durable = false
        void store.write(metaAt(8), stateOf(bytesOf(200)), noIndex).then(() => {
          durable = true
        })
        for (let i = 0; i < 3; i++) await settle()
        const { newest, damaged } = await found(disk.crashed(new Draws(after * 10 + choice)))
        expect(damaged).toEqual([])
        if (durable) expect(newest?.meta.index).toBe(8)
        else expect([5, 8]).toContain(newest?.meta.index)
        if (newest?.meta.index === 8) newer++
      }
    }
    expect(newer).toBeGreaterThan(6)
  })

  it('are the same bytes wherever they are written', async () => {
    const files: Uint8Array[] = []
    for (const disk of [await madeDisk(), new MemoryFiles()]) {
      const store = new SnapshotStore(disk, directory)
      const size = await store.write(metaAt(7), stateOf(bytesOf(1000)), noIndex)
      expect(size.ok).toBe(true)
      files.push(await wholeOf(store, metaAt(7)))
    }
    expect(files[0]).toEqual(files[1])
  })
})

describe('where a snapshot is from', () => {
  it('is recorded for one that was taken, with how far the log was durable then, and is not sent', async () => {
    const disk = new CrashDisk()
    await disk.makeDirectory(directory)
    const store = new SnapshotStore(disk, directory)
    const size = await store.write(metaAt(9), stateOf(bytesOf(500)), logIndexOf(8))
    if (!size.ok) throw new Error('not written')
    const { newest } = await found(disk)
    expect(newest).toEqual({ meta: metaAt(9), sizeBytes: size.value, origin: { kind: 'taken', logIndex: 8 } })
    const sent = await store.read(metaAt(9), 0, 1 << 20)
    expect([sent.sizeBytes, sent.bytes?.length]).toEqual([size.value, size.value])
  })

  it('is not known of a file that ends without, and a part of it is damage', async () => {
    const disk = new CrashDisk()
    await disk.makeDirectory(directory)
    const size = await new SnapshotStore(disk, directory).write(metaAt(9), stateOf(bytesOf(500)), logIndexOf(8))
    const path = `${directory}/${disk.namesIn(directory)[0]}`
    const whole = disk.bytesOf(path)
    const shared = size.ok ? size.value : 0
    for (let length = shared; length < whole.length; length++) {
      disk.plant(path, whole.slice(0, length))
      const { newest, damaged } = await found(disk)
      expect([newest?.origin, damaged.length]).toEqual([undefined, length === shared ? 0 : 1])
      expect(newest === undefined).toBe(length !== shared)
    }
  })
})

describe('a snapshot that comes from a leader', () => {
  async function sender(length = 1000, index = 7) {
    const store = new SnapshotStore(new MemoryFiles(), directory)
    await store.write(metaAt(index), stateOf(bytesOf(length)), noIndex)
    return { meta: metaAt(index), file: await wholeOf(store, metaAt(index)) }
  }

  it('is complete when the last chunk is durable and in its place', async () => {
    const disk = await madeDisk()
    const store = new SnapshotStore(disk, directory)
    const { meta, file } = await sender()
    expect(await sendAll(store, meta, file, 64)).toEqual({ nextOffset: file.length, complete: true })
    const after = disk.crashed({ below: () => 0 })
    expect((await found(after)).newest).toEqual({ meta, sizeBytes: file.length, origin: { kind: 'received' } })
    expect((await found(after)).leftovers).toEqual([])
  })

  it('resumes where it was, and ignores repeated and early chunks', async () => {
    const store = new SnapshotStore(await madeDisk(), directory)
    const { meta, file } = await sender()
    await store.receive(chunkOf(meta, file, 0, 100))
    expect(await store.receive(chunkOf(meta, file, 0, 100))).toMatchObject({ value: { nextOffset: 100 } })
    expect(await store.receive(chunkOf(meta, file, 300, 100))).toMatchObject({ value: { nextOffset: 100 } })
    expect(await sendAll(store, meta, file, 100, 100)).toMatchObject({ complete: true })
    expect(await store.receive(chunkOf(meta, file, 0, 100))).toMatchObject({
      value: { nextOffset: file.length, complete: true },
    })
  })

  it('is not disturbed by a late chunk of another', async () => {
    const store = new SnapshotStore(await madeDisk(), directory)
    const { meta, file } = await sender()
    const other = await sender(500, 6)
    await store.receive(chunkOf(meta, file, 0, 100))
    expect(await store.receive(chunkOf(other.meta, other.file, 100, 100))).toMatchObject({ value: { nextOffset: 0 } })
    expect(await store.receive(chunkOf(meta, file, 0, 100))).toMatchObject({ value: { nextOffset: 100 } })
  })

  it('gives way to another that begins', async () => {
    const disk = await madeDisk()
    const store = new SnapshotStore(disk, directory)
    const { meta, file } = await sender()
    const other = await sender(500, 9)
    await store.receive(chunkOf(meta, file, 0, 100))
    expect(await sendAll(store, other.meta, other.file, 90)).toMatchObject({ complete: true })
    expect(disk.namesIn(directory)).toHaveLength(1)
  })

  it('is wanted from its start again when it is not whole', async () => {
    const disk = await madeDisk()
    const store = new SnapshotStore(disk, directory)
    const { meta, file } = await sender()
    const bad = file.slice()
    bad[500] = (bad[500] as number) ^ 1
    expect(await sendAll(store, meta, bad, file.length)).toEqual({
      nextOffset: 0,
      complete: false,
      damage: 'the checksum of a chunk does not match',
    })
    expect(store.newest).toBeUndefined()
    expect(disk.namesIn(directory)).toEqual([])
    expect(await sendAll(store, meta, file, 333)).toMatchObject({ complete: true })
  })

  it('is not taken for another, whatever the leader calls it', async () => {
    const store = new SnapshotStore(await madeDisk(), directory)
    const { file } = await sender()
    expect(await sendAll(store, metaAt(8), file, file.length)).toEqual({
      nextOffset: 0,
      complete: false,
      damage: 'it is another snapshot',
    })
  })

  it('leaves nothing in its place when the disk fails', async () => {
    const disk = await madeDisk()
    const store = new SnapshotStore(disk, directory)
    const { meta, file } = await sender()
    disk.fault = (operation) => (operation === 'sync' ? 'io' : undefined)
    const received = await store.receive(chunkOf(meta, file, 0, file.length))
    expect(received).toMatchObject({ ok: false, error: { kind: 'io' } })
    expect((await found(disk.restarted())).newest).toBeUndefined()
  })

  it.each(['write', 'sync', 'read'])(
    'is dropped before it is answered that the disk failed (%s), and wanted from its start at once',
    async (failing) => {
      const disk = await madeDisk()
      const store = new SnapshotStore(disk, directory)
      const { meta, file } = await sender()
      await store.receive(chunkOf(meta, file, 0, 100))
      let isFailing = true
      disk.fault = (operation) => {
        if (!isFailing || operation !== failing) return undefined
        isFailing = false
        return 'io'
      }
      expect(await store.receive(chunkOf(meta, file, 100, file.length))).toMatchObject({ error: { kind: 'io' } })
      expect(disk.namesIn(directory)).toEqual([])
      expect(await store.receive(chunkOf(meta, file, 100, 100))).toMatchObject({
        value: { nextOffset: 0, complete: false },
      })
      expect(await sendAll(store, meta, file, 100)).toMatchObject({ complete: true })
      expect((await found(disk)).newest?.meta).toEqual(meta)
    },
  )

  it('says that a restore was refused', async () => {
    const store = new SnapshotStore(await madeDisk(), directory)
    await written(store, metaAt(7), bytesOf(10))
    const refusing: StateRestore = { write: () => done, finish: () => err('not a state') }
    expect(await store.restore(metaAt(7), refusing)).toMatchObject({ error: { kind: 'refused', what: 'not a state' } })
  })
})
