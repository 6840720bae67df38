import { expect } from 'vitest'
import { textOf, utf8 } from '../../../src/base/bytes.ts'
import type { Env } from '../../../src/env/env.ts'
import { readFile, writeFile } from './disk-laws.ts'
import type { Place } from './law-world.ts'
import { failureOf, got } from './observed.ts'

type CrashLaw = (title: string, before: (place: Place) => Promise<void>, after: (place: Place) => Promise<void>) => void

async function append(env: Env, path: string, at: number, text: string, sync: boolean): Promise<void> {
  const file = await got(env.disk.open(path, 'create'))
  await got(file.write(at, utf8(text)))
  if (sync) await got(file.sync())
}

/** What `src/env/disk.ts` promises of a power cut, and what it warns of. */
export function crashLaws(law: CrashLaw): void {
  law(
    'a file that was synced, and its name too, is there as it was',
    async ({ env, directory }) => {
      await writeFile(env, `${directory}/f`, 'synced')
      await got(env.disk.syncDirectory(directory))
    },
    async ({ env, directory }) => {
      expect(await readFile(env, `${directory}/f`)).toBe('synced')
    },
  )

  law(
    'a file whose name was not synced is there or not; if it is, what was synced is in it',
    async ({ env, directory }) => {
      await writeFile(env, `${directory}/f`, 'synced')
    },
    async ({ env, directory }) => {
      const names = await got(env.disk.list(directory))
      expect(['', 'f']).toContain(names.join())
      if (names.length > 0) expect(await readFile(env, `${directory}/f`)).toBe('synced')
    },
  )

  law(
    'bytes that were not synced are there, torn, or lost; those before are untouched',
    async ({ env, directory }) => {
      await writeFile(env, `${directory}/f`, 'synced')
      await got(env.disk.syncDirectory(directory))
      await append(env, `${directory}/f`, 6, 'unsynced', false)
    },
    async ({ env, directory }) => {
      const text = await readFile(env, `${directory}/f`)
      expect('syncedunsynced'.startsWith(text)).toBe(true)
      expect(text.startsWith('synced')).toBe(true)
    },
  )

  law(
    'bytes that were written and synced in one step are there, and those before them',
    async ({ env, directory }) => {
      await writeFile(env, `${directory}/f`, 'synced')
      await got(env.disk.syncDirectory(directory))
      const file = await got(env.disk.open(`${directory}/f`, 'create'))
      await got(file.writeSynced(6, utf8(' too')))
    },
    async ({ env, directory }) => {
      expect(await readFile(env, `${directory}/f`)).toBe('synced too')
    },
  )

  law(
    'bytes that were written through are there, also where the room for them was made before, and under another name',
    async ({ env, directory }) => {
      const file = await got(env.disk.open(`${directory}/aside`, 'create'))
      await got(file.write(0, utf8('head')))
      await got(file.allocate(20_000))
      await got(file.sync())
      await got(env.disk.rename(`${directory}/aside`, `${directory}/f`))
      await got(env.disk.syncDirectory(directory))
      await got(file.writeThrough(4, utf8(' and')))
      await got(file.writeThrough(8, utf8(' more')))
    },
    async ({ env, directory }) => {
      const text = await readFile(env, `${directory}/f`)
      expect([text.length, text.replace(/\0+$/, '')]).toEqual([20_000, 'head and more'])
    },
  )

  law(
    'a file that was allocated and synced is as long after it; what was written into it unsynced changes nothing of that',
    async ({ env, directory }) => {
      const file = await got(env.disk.open(`${directory}/f`, 'create'))
      await got(file.write(0, utf8('head')))
      await got(file.allocate(20_000))
      await got(file.sync())
      await got(env.disk.syncDirectory(directory))
      await got(file.write(10_000, utf8('unsynced')))
    },
    async ({ env, directory }) => {
      const text = await readFile(env, `${directory}/f`)
      expect(text.length).toBe(20_000)
      const written = text.slice(10_000).replace(/\0+$/, '')
      expect([text.slice(0, 10_000).replace(/\0+$/, ''), 'unsynced'.startsWith(written)]).toEqual(['head', true])
    },
  )

  law(
    'a rename is done or not done, never half',
    async ({ env, directory }) => {
      await writeFile(env, `${directory}/f`, 'old')
      await got(env.disk.syncDirectory(directory))
      await writeFile(env, `${directory}/aside`, 'new')
      await got(env.disk.rename(`${directory}/aside`, `${directory}/f`))
    },
    async ({ env, directory }) => {
      const text = await readFile(env, `${directory}/f`)
      const names = await got(env.disk.list(directory))
      expect([
        ['old', 'f'],
        ['old', 'aside,f'],
        ['new', 'f'],
      ]).toContainEqual([text, names.join()])
    },
  )

  law(
    'a rename whose directory was synced is done',
    async ({ env, directory }) => {
      await writeFile(env, `${directory}/f`, 'old')
      await writeFile(env, `${directory}/aside`, 'new')
      await got(env.disk.rename(`${directory}/aside`, `${directory}/f`))
      await got(env.disk.syncDirectory(directory))
    },
    async ({ env, directory }) => {
      expect(await readFile(env, `${directory}/f`)).toBe('new')
      expect(await got(env.disk.list(directory))).toEqual(['f'])
    },
  )

  law(
    'a removed name may come back until its directory is synced',
    async ({ env, directory }) => {
      for (const name of ['gone', 'perhaps']) await writeFile(env, `${directory}/${name}`, name)
      await got(env.disk.syncDirectory(directory))
      await got(env.disk.remove(`${directory}/gone`))
      await got(env.disk.syncDirectory(directory))
      await got(env.disk.remove(`${directory}/perhaps`))
    },
    async ({ env, directory }) => {
      const names = await got(env.disk.list(directory))
      expect(['', 'perhaps']).toContain(names.join())
      if (names.length > 0) expect(await readFile(env, `${directory}/perhaps`)).toBe('perhaps')
    },
  )

  law(
    'a write that was under way is there, torn, or lost',
    async ({ env, directory }) => {
      const file = await got(env.disk.open(`${directory}/f`, 'create'))
      await got(env.disk.syncDirectory(directory))
      env.detach(file.write(0, utf8('under way')))
    },
    async ({ env, directory }) => {
      expect('under way'.startsWith(await readFile(env, `${directory}/f`))).toBe(true)
    },
  )

  law(
    'a lock whose holder died is free',
    async ({ env, directory }) => {
      await got(env.disk.lock(`${directory}/lock`))
    },
    async ({ env, directory }) => {
      expect(await failureOf(env.disk.lock(`${directory}/lock`))).toBe('none')
    },
  )

  law(
    'after a restart files grow from what is left of them',
    async ({ env, directory }) => {
      await writeFile(env, `${directory}/f`, 'abc')
      await got(env.disk.syncDirectory(directory))
      await append(env, `${directory}/f`, 3, 'defghi', false)
    },
    async ({ env, directory }) => {
      const file = await got(env.disk.open(`${directory}/f`, 'create'))
      await got(file.truncate(3))
      await got(file.write(5, utf8('!')))
      expect([...(await got(file.read(0, 9)))]).toEqual([97, 98, 99, 0, 0, 33])
      expect(textOf(await got(file.read(0, 3)))).toBe('abc')
    },
  )
}
