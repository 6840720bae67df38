import { expect } from 'vitest'
import { textOf, utf8 } from '../../../src/base/bytes.ts'
import type { Env } from '../../../src/env/env.ts'
import type { Law } from './law-world.ts'
import { failureOf, got } from './observed.ts'

export async function writeFile(env: Env, path: string, text: string): Promise<void> {
  const file = await got(env.disk.open(path, 'create'))
  await got(file.truncate(0))
  await got(file.write(0, utf8(text)))
  await got(file.sync())
  await file.close()
}

export async function readFile(env: Env, path: string): Promise<string> {
  const file = await got(env.disk.open(path, 'read'))
  const bytes = await got(file.read(0, await got(file.size())))
  await file.close()
  return textOf(bytes)
}

export function diskLaws(law: Law): void {
  law('what is written is read; a read gives fewer bytes only at the end', async ({ env, directory }) => {
    const file = await got(env.disk.open(`${directory}/f`, 'create'))
    await got(file.write(0, utf8('0123456789')))
    await got(file.write(3, utf8('xyz')))
    expect(textOf(await got(file.read(0, 10)))).toBe('012xyz6789')
    expect(textOf(await got(file.read(7, 10)))).toBe('789')
    expect(textOf(await got(file.read(10, 5)))).toBe('')
    expect(textOf(await got(file.read(99, 5)))).toBe('')
    expect(textOf(await got(file.read(2, 0)))).toBe('')
    expect(await got(file.size())).toBe(10)
    await got(file.writeSynced(9, utf8('!?')))
    expect(textOf(await got(file.read(0, 20)))).toBe('012xyz678!?')
    await got(file.writeThrough(11, utf8(' and more')))
    await got(file.writeThrough(11, utf8(' but')))
    expect(textOf(await got(file.read(8, 20)))).toBe('8!? but more')
    await file.close()
  })

  law('a hole reads as zeros, and so does what truncation adds or leaves behind', async ({ env, directory }) => {
    const file = await got(env.disk.open(`${directory}/f`, 'create'))
    await got(file.write(4, utf8('end')))
    expect([...(await got(file.read(0, 9)))]).toEqual([0, 0, 0, 0, 101, 110, 100])
    await got(file.truncate(5))
    await got(file.truncate(8))
    expect([...(await got(file.read(0, 9)))]).toEqual([0, 0, 0, 0, 101, 0, 0, 0])
    await file.close()
  })

  law('what is allocated is longer, zeros, and what was there stays; a shorter wish changes nothing', async (place) => {
    const { env, directory } = place
    const file = await got(env.disk.open(`${directory}/f`, 'create'))
    await got(file.write(0, utf8('head')))
    await got(file.allocate(300_000))
    expect(await got(file.size())).toBe(300_000)
    expect([...(await got(file.read(0, 6)))]).toEqual([104, 101, 97, 100, 0, 0])
    const rest = await got(file.read(4, 300_000))
    expect([rest.length, rest.every((byte) => byte === 0)]).toEqual([299_996, true])
    await got(file.writeSynced(299_990, utf8('end')))
    await got(file.allocate(8))
    expect([await got(file.size()), textOf(await got(file.read(299_990, 3)))]).toEqual([300_000, 'end'])
    await file.close()
  })

  law('what was written of a file is read without the zeros at its end, however long they are', async (place) => {
    const file = await got(place.env.disk.open(`${place.directory}/f`, 'create'))
    const written = async (length: number): Promise<readonly number[]> => [...(await got(file.readWritten(length)))]
    expect(await written(100)).toEqual([])
    await got(file.allocate(700_001))
    expect(await written(700_001)).toEqual([])
    for (const at of [300_000, 600_000, 700_000]) {
      await got(file.write(at, Uint8Array.of(0, 7, 0)))
      const bytes = await got(file.readWritten(1_000_000))
      expect([bytes.length, bytes.at(-1), bytes.at(-2)]).toEqual([at + 2, 7, 0])
    }
    expect(await written(300_001)).toEqual([])
    await got(file.truncate(5))
    expect(await written(1_000_000)).toEqual([])
    await file.close()
  })

  law('create opens or makes, create-new only makes, read only reads', async ({ env, directory }) => {
    const path = `${directory}/f`
    expect(await env.disk.open(path, 'read')).toMatchObject({ ok: false, error: { kind: 'not-found', path } })
    await writeFile(env, path, 'kept')
    expect(await failureOf(env.disk.open(path, 'create-new'))).toBe('exists')
    const again = await got(env.disk.open(path, 'create'))
    expect(await got(again.size())).toBe(4)
    await again.close()
    const reader = await got(env.disk.open(path, 'read'))
    expect(await failureOf(reader.write(0, utf8('x')))).toBe('io')
    expect(await failureOf(reader.writeThrough(0, utf8('x')))).toBe('io')
    await reader.close()
    expect(await readFile(env, path)).toBe('kept')
  })

  law('the wrong kind of thing at a path is named', async ({ env, directory }) => {
    await writeFile(env, `${directory}/file`, '')
    await got(env.disk.makeDirectory(`${directory}/sub`))
    const { disk } = env
    expect(await failureOf(disk.open(`${directory}/sub`, 'read'))).toBe('is-directory')
    expect(await failureOf(disk.open(`${directory}/sub`, 'create'))).toBe('is-directory')
    expect(await failureOf(disk.open(`${directory}/file/x`, 'create'))).toBe('not-directory')
    expect(await failureOf(disk.open(`${directory}/no/x`, 'create'))).toBe('not-found')
    expect(await failureOf(disk.list(`${directory}/file`))).toBe('not-directory')
    expect(await failureOf(disk.list(`${directory}/no`))).toBe('not-found')
    expect(await failureOf(disk.stat(`${directory}/no`))).toBe('not-found')
    expect(await failureOf(disk.remove(`${directory}/no`))).toBe('not-found')
    expect(await failureOf(disk.rename(`${directory}/no`, `${directory}/yes`))).toBe('not-found')
    expect(await failureOf(disk.syncDirectory(`${directory}/no`))).toBe('not-found')
    expect(await failureOf(disk.syncDirectory(`${directory}/file`))).toBe('not-directory')
    expect(await failureOf(disk.makeDirectory(`${directory}/file`))).toBe('exists')
    expect(await failureOf(disk.makeDirectory(`${directory}/file/sub`))).toBe('not-directory')
  })

  law(
    'directories are made with those above them, listed in order, and told from files',
    async ({ env, directory }) => {
      await got(env.disk.makeDirectory(`${directory}/b/c/d`))
      await got(env.disk.makeDirectory(`${directory}/b/c`))
      for (const name of ['z', 'B', 'a', '10', '9']) await writeFile(env, `${directory}/${name}`, name)
      expect(await got(env.disk.list(directory))).toEqual(['10', '9', 'B', 'a', 'b', 'z'])
      expect(await got(env.disk.list(`${directory}/b/c`))).toEqual(['d'])
      expect(await got(env.disk.stat(`${directory}/10`))).toEqual({ kind: 'file', sizeBytes: 2 })
      expect((await got(env.disk.stat(`${directory}/b`))).kind).toBe('directory')
    },
  )

  law('a path without links is its own real path', async ({ env, directory }) => {
    await got(env.disk.makeDirectory(`${directory}/b`))
    await writeFile(env, `${directory}/b/file`, '')
    for (const path of [directory, `${directory}/b`, `${directory}/b/file`]) {
      expect(await got(env.disk.realPath(path))).toBe(path)
    }
    expect(await failureOf(env.disk.realPath(`${directory}/no`))).toBe('not-found')
  })

  law(
    'a rename replaces its target in one step; the replaced file lives on for code that has it open',
    async ({ env, directory }) => {
      await writeFile(env, `${directory}/old`, 'old')
      await writeFile(env, `${directory}/new`, 'new')
      const held = await got(env.disk.open(`${directory}/old`, 'read'))
      await got(env.disk.rename(`${directory}/new`, `${directory}/old`))
      expect(await readFile(env, `${directory}/old`)).toBe('new')
      expect(textOf(await got(held.read(0, 9)))).toBe('old')
      await held.close()
      expect(await got(env.disk.list(directory))).toEqual(['old'])
      await got(env.disk.syncDirectory(directory))
    },
  )

  law('files and empty directories are removed, others are not', async ({ env, directory }) => {
    await got(env.disk.makeDirectory(`${directory}/sub`))
    await writeFile(env, `${directory}/sub/f`, 'x')
    expect(await failureOf(env.disk.remove(`${directory}/sub`))).toBe('io')
    await got(env.disk.remove(`${directory}/sub/f`))
    await got(env.disk.remove(`${directory}/sub`))
    expect(await got(env.disk.list(directory))).toEqual([])
  })

  law('two handles see one file', async ({ env, directory }) => {
    const a = await got(env.disk.open(`${directory}/f`, 'create'))
    const b = await got(env.disk.open(`${directory}/f`, 'create'))
    await got(a.write(0, utf8('from a')))
    expect(textOf(await got(b.read(0, 99)))).toBe('from a')
    await a.close()
    await got(b.sync())
    await b.close()
  })

  law('a closed file does nothing any more, and may be closed again', async ({ env, directory }) => {
    const file = await got(env.disk.open(`${directory}/f`, 'create'))
    await file.close()
    await file.close()
    expect(await failureOf(file.write(0, utf8('x')))).toBe('io')
    expect(await failureOf(file.read(0, 1))).toBe('io')
    expect(await failureOf(file.sync())).toBe('io')
    expect(await failureOf(file.writeSynced(0, utf8('x')))).toBe('io')
    expect(await failureOf(file.writeThrough(0, utf8('x')))).toBe('io')
    expect(await failureOf(file.truncate(0))).toBe('io')
    expect(await failureOf(file.allocate(9))).toBe('io')
    expect(await failureOf(file.size())).toBe('io')
  })

  law('where there is no room a write says full', async ({ env, fullFile }) => {
    const path = await fullFile()
    if (path === undefined) return
    const file = await got(env.disk.open(path, 'create'))
    expect(await file.write(0, utf8('x'))).toMatchObject({ ok: false, error: { kind: 'full', path } })
    expect(await file.writeSynced(0, utf8('x'))).toMatchObject({ ok: false, error: { kind: 'full', path } })
    expect(await file.writeThrough(0, utf8('x'))).toMatchObject({ ok: false, error: { kind: 'full', path } })
    expect(await file.allocate(1 << 16)).toMatchObject({ ok: false, error: { kind: 'full', path } })
    await file.close()
  })

  law('a lock has one holder, and is free again when it is let go', async ({ env, directory }) => {
    const path = `${directory}/lock`
    const lock = await got(env.disk.lock(path))
    expect(await failureOf(env.disk.lock(path))).toBe('locked')
    await lock.close()
    await lock.close()
    const again = await got(env.disk.lock(path))
    await lock.close()
    expect(await failureOf(env.disk.lock(path))).toBe('locked')
    await again.close()
    expect(await failureOf(env.disk.lock(`${directory}/no/lock`))).toBe('not-found')
  })
}
