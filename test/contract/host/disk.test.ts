import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { utf8 } from '../../../src/base/bytes.ts'
import type { Result } from '../../../src/base/result.ts'
import type { DiskFailure } from '../../../src/env/disk.ts'
import { hostDisk } from '../../../src/host/disk.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-disk-'))
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

async function must<T>(result: Promise<Result<T, DiskFailure>>): Promise<T> {
  const settled = await result
  if (!settled.ok) throw new Error(`${settled.error.kind}: ${settled.error.message}`)
  return settled.value
}

describe('the disk', () => {
  it('reads at an offset what was written there, and less only at the end of the file', async () => {
    const file = await must(hostDisk.open(join(folder, 'f'), 'create'))
    await must(file.write(0, utf8('0123456789')))
    await must(file.write(4, utf8('four')))
    expect(await must(file.read(2, 4))).toEqual(utf8('23fo'))
    expect(await must(file.read(8, 100))).toEqual(utf8('89'))
    expect(await must(file.read(10, 1))).toEqual(new Uint8Array(0))
    expect(await must(file.read(99, 1))).toEqual(new Uint8Array(0))
    expect(await must(file.size())).toBe(10)
    await file.close()
    await file.close()
  })

  it('does not take memory for a read far beyond the file', async () => {
    const file = await must(hostDisk.open(join(folder, 'f'), 'create'))
    await must(file.write(0, utf8('abc')))
    expect(await must(file.read(1, 2 ** 40))).toEqual(utf8('bc'))
    expect(await must(file.read(50, 2 ** 40))).toEqual(new Uint8Array(0))
    await file.close()
  })

  it.skipIf(process.platform === 'win32')(
    'reads all that comes through a pipe, which has no size and no places, up to the limit',
    async () => {
      const pipe = join(folder, 'pipe')
      execFileSync('mkfifo', [pipe])
      for (const [limit, expected] of [[8 << 20, 300_000] as const, [1_000, 1_000] as const]) {
        const writer = spawn('sh', ['-c', 'exec >"$0"; printf a; head -c 299999 /dev/zero', pipe], { stdio: 'ignore' })
        const ended = once(writer, 'close')
        const file = await must(hostDisk.open(pipe, 'read'))
        const bytes = await must(file.read(0, limit))
        expect([bytes.length, bytes[0]]).toEqual([expected, 97])
        await file.close()
        await ended
      }
    },
  )

  it.skipIf(process.platform !== 'linux')(
    'reads a file that the system makes as it is read, and that has no size',
    async () => {
      const path = '/proc/version'
      expect(statSync(path).size).toBe(0)
      for (const limit of [1 << 10, 8 << 20]) {
        const file = await must(hostDisk.open(path, 'read'))
        for (const _again of [1, 2]) expect(await must(file.read(0, limit))).toEqual(utf8(readFileSync(path, 'utf8')))
        await file.close()
      }
    },
  )

  it('leaves zeros in a gap, and cuts and grows by truncate', async () => {
    const path = join(folder, 'f')
    const file = await must(hostDisk.open(path, 'create'))
    await must(file.write(3, utf8('x')))
    expect([...(await must(file.read(0, 4)))]).toEqual([0, 0, 0, 120])
    await must(file.truncate(1))
    await must(file.truncate(2))
    await must(file.sync())
    await file.close()
    expect([...readFileSync(path)]).toEqual([0, 0])
  })

  it('opens for reading only what exists, and never to write', async () => {
    const path = join(folder, 'f')
    expect(await hostDisk.open(path, 'read')).toMatchObject({ error: { kind: 'not-found', path } })
    writeFileSync(path, 'here')
    const file = await must(hostDisk.open(path, 'read'))
    expect(await must(file.read(0, 9))).toEqual(utf8('here'))
    expect(await file.write(0, utf8('x'))).toMatchObject({ ok: false })
    await file.close()
    expect(await file.read(0, 1)).toMatchObject({ error: { kind: 'io', path } })
  })

  it('makes a file new, or says that it exists; keeps the content of one that is opened to create', async () => {
    const path = join(folder, 'f')
    const file = await must(hostDisk.open(path, 'create-new'))
    await must(file.write(0, utf8('kept')))
    await file.close()
    expect(await hostDisk.open(path, 'create-new')).toMatchObject({ error: { kind: 'exists', path } })
    const again = await must(hostDisk.open(path, 'create'))
    expect(await must(again.read(0, 9))).toEqual(utf8('kept'))
    await again.close()
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const open = join(folder, 'public')
    await (await must(hostDisk.open(open, 'create-new', 'everybody'))).close()
    expect(statSync(open).mode & 0o777).toBe(0o644 & ~process.umask())
  })

  it('makes directories, lists them sorted, and renames over what is there', async () => {
    const deep = join(folder, 'a', 'b')
    await must(hostDisk.makeDirectory(deep))
    await must(hostDisk.makeDirectory(deep))
    for (const name of ['b', 'B', 'a10', 'a9', '\u00e4']) writeFileSync(join(deep, name), name)
    expect(await must(hostDisk.list(deep))).toEqual(['B', 'a10', 'a9', 'b', '\u00e4'])
    await must(hostDisk.rename(join(deep, 'a9'), join(deep, 'b')))
    await must(hostDisk.syncDirectory(deep))
    expect(readFileSync(join(deep, 'b'), 'utf8')).toBe('a9')
    expect(await must(hostDisk.stat(deep))).toMatchObject({ kind: 'directory' })
    const seen = { kind: 'file', sizeBytes: 3 }
    chmodSync(join(deep, 'a10'), 0o644)
    expect(await must(hostDisk.stat(join(deep, 'a10')))).toEqual({ ...seen, readers: 'everybody' })
    chmodSync(join(deep, 'a10'), 0o600)
    expect(await must(hostDisk.stat(join(deep, 'a10')))).toEqual(seen)
    expect(statSync(deep).mode & 0o777).toBe(0o700)
  })

  it('removes files and empty directories, and nothing with something in it', async () => {
    writeFileSync(join(folder, 'f'), '')
    await must(hostDisk.makeDirectory(join(folder, 'd', 'e')))
    await must(hostDisk.remove(join(folder, 'f')))
    expect(await hostDisk.remove(join(folder, 'd'))).toMatchObject({ ok: false })
    await must(hostDisk.remove(join(folder, 'd', 'e')))
    await must(hostDisk.remove(join(folder, 'd')))
    expect(await must(hostDisk.list(folder))).toEqual([])
  })

  it('says in one word what is wrong with a path', async () => {
    const file = join(folder, 'file')
    writeFileSync(file, '')
    const missing = join(folder, 'missing')
    const below = join(file, 'below')
    expect(await hostDisk.list(missing)).toMatchObject({
      error: { kind: 'not-found', path: missing, message: 'no such file or directory' },
    })
    expect(await hostDisk.stat(missing)).toMatchObject({ error: { kind: 'not-found' } })
    expect(await hostDisk.remove(missing)).toMatchObject({ error: { kind: 'not-found' } })
    expect(await hostDisk.rename(missing, file)).toMatchObject({ error: { kind: 'not-found', path: missing } })
    expect(await hostDisk.syncDirectory(file)).toMatchObject({ error: { kind: 'not-directory' } })
    expect(await hostDisk.list(file)).toMatchObject({ error: { kind: 'not-directory' } })
    expect(await hostDisk.open(below, 'create')).toMatchObject({ error: { kind: 'not-directory' } })
    expect(await hostDisk.makeDirectory(below)).toMatchObject({ error: { kind: 'not-directory' } })
    expect(await hostDisk.makeDirectory(file)).toMatchObject({ error: { kind: 'exists' } })
    expect(await hostDisk.open(folder, 'create')).toMatchObject({ error: { kind: 'is-directory' } })
    expect(await hostDisk.open(folder, 'read')).toMatchObject({ error: { kind: 'is-directory' } })
    expect(await hostDisk.open(`${file}\0`, 'read')).toMatchObject({ error: { kind: 'io' } })
  })

  it.skipIf(process.getuid?.() === 0)('says when it may not', async () => {
    const path = join(folder, 'closed')
    writeFileSync(path, '')
    chmodSync(path, 0)
    expect(await hostDisk.open(path, 'read')).toMatchObject({ error: { kind: 'permission', path } })
  })

  it('reports a full disk as full', async () => {
    const path = join(folder, 'full')
    symlinkSync('/dev/full', path)
    const file = await must(hostDisk.open(path, 'create'))
    expect(await file.write(0, utf8('x'))).toMatchObject({ error: { kind: 'full', path } })
    await file.close()
  })
})
