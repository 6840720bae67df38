import { describe, expect, it } from 'vitest'
import { fileBytesMax, readWholeFile } from '../../../src/agent/boot/whole-file.ts'
import { CrashDisk } from '../raft-log/crash-disk.ts'

describe('a whole file', () => {
  it('is read up to the bound, and refused beyond it, not cut', async () => {
    const disk = new CrashDisk()
    await disk.makeDirectory('/etc')
    disk.plant('/etc/fits', new Uint8Array(fileBytesMax))
    disk.plant('/etc/larger', new Uint8Array(fileBytesMax + 1))
    const fits = await readWholeFile(disk, '/etc/fits')
    expect(fits.ok && fits.value.length).toBe(fileBytesMax)
    expect(await readWholeFile(disk, '/etc/larger')).toEqual({
      ok: false,
      error: { kind: 'io', path: '/etc/larger', message: 'it has more than 4194304 bytes' },
    })
  })
})
