import { describe, expect, it } from 'vitest'
import type { DiskFile } from '../../../src/env/disk.ts'
import { MemoryFiles } from '../../../src/raft/log/memory-files.ts'

const MiB = 1 << 20

async function opened(): Promise<DiskFile> {
  const file = await new MemoryFiles().open('state', 'create')
  if (!file.ok) throw new Error(file.error.message)
  return file.value
}

async function read(file: DiskFile, at: number, length: number): Promise<readonly number[]> {
  const bytes = await file.read(at, length)
  if (!bytes.ok) throw new Error(bytes.error.message)
  return [...bytes.value]
}

describe('a file in memory', () => {
  it('has what was written across the ends of its pieces, and zeros where nothing was', async () => {
    const file = await opened()
    const bytes = Uint8Array.from({ length: 2 * MiB }, (_, at) => at % 251)
    await file.write(MiB - 3, bytes)
    expect(await read(file, MiB - 5, 6)).toEqual([0, 0, 0, 1, 2, 3])
    const all = await file.read(MiB - 3, bytes.length)
    expect(all.ok && Buffer.compare(all.value, bytes)).toBe(0)
    await file.write(2 * MiB - 1, Uint8Array.of(255, 254))
    expect(await read(file, 2 * MiB - 2, 4)).toEqual([(MiB + 1) % 251, 255, 254, (MiB + 4) % 251])
  })

  it('reads no further than its end', async () => {
    const file = await opened()
    await file.write(0, Uint8Array.of(1, 2, 3))
    expect(await read(file, 1, 10)).toEqual([2, 3])
    expect(await read(file, 3, 10)).toEqual([])
    expect(await read(file, MiB * 3, 10)).toEqual([])
  })

  it.each([1, MiB - 1, MiB, MiB + 1])(
    'is cut to %s bytes, and has zeros behind them when it grows again',
    async (size) => {
      const file = await opened()
      await file.write(0, new Uint8Array(3 * MiB).fill(7))
      await file.truncate(size)
      expect(await file.size()).toEqual({ ok: true, value: size })
      expect(await read(file, size - 1, 10)).toEqual([7])
      await file.truncate(size + 2)
      await file.write(size + 2, Uint8Array.of(9))
      expect(await read(file, size - 1, 10)).toEqual([7, 0, 0, 9])
    },
  )
})
