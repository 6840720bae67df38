import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { utf8 } from '../../../src/base/bytes.ts'
import { done, ok } from '../../../src/base/result.ts'
import { writeArchiveFile } from '../../../src/cli/files/archives.ts'
import type { Disk } from '../../../src/env/disk.ts'
import { createHostEnv } from '../../../src/host/env.ts'
import { CliWorld } from './cli-world.ts'

let world: CliWorld
let directory: string
let file: string

beforeEach(async () => {
  world = await CliWorld.begun()
  // Archives are packed in turns of their own, which only time gives.
  Object.assign(world.sessions.server.agent, { env: createHostEnv({ logSink: () => undefined, logLevel: 'error' }) })
  directory = await mkdtemp(join(tmpdir(), 'svc-snapshot-'))
  file = join(directory, 'a.snap')
  for (const [key, value] of Object.entries({ a: '1', b: '2', c: '3' })) await world.run(['kv', 'put', key, value])
})
afterEach(() => rm(directory, { recursive: true }))

describe('snapshot', () => {
  it('save writes a whole archive that only its owner may read, restore brings it back', async () => {
    const saved = await world.run(['snapshot', 'save', file])
    expect(saved).toEqual({
      code: 0,
      out: `Saved and verified snapshot to index ${world.sessions.server.index}\n`,
      error: '',
    })
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    await world.run(['kv', 'put', 'a', 'other'])
    expect(await world.run(['snapshot', 'restore', '-force', file])).toEqual({
      code: 0,
      out: 'Restored snapshot\n',
      error: '',
    })
    expect(await world.textAt('a')).toBe('1')
  })

  it('save leaves nothing behind where the file cannot take its place', async () => {
    const { code, error } = await world.run(['snapshot', 'save', directory])
    expect([code, error]).toEqual([1, expect.stringMatching(/^Error writing snapshot file: write /)])
    expect(existsSync(`${directory}.tmp`)).toBe(false)
  })

  it('gives the whole state more time than other requests, also where it warns of what a restore removes', async () => {
    await world.run(['snapshot', 'save', file])
    world.limits.clear()
    await world.run(['snapshot', 'restore', file])
    expect([...world.limits]).toEqual([
      ['GET /v1/snapshot', 600_000],
      ['PUT /v1/snapshot', 600_000],
    ])
    await world.run(['snapshot', 'save', file])
    await world.run(['kv', 'get', 'a'])
    expect([world.limits.get('GET /v1/snapshot'), world.limits.get('GET /v1/kv/a')]).toEqual([600_000, 60_000])
  })

  it('restore -dry-run says what would change, and changes nothing', async () => {
    await world.run(['snapshot', 'save', file])
    await world.run(['kv', 'put', 'a', 'other'])
    await world.run(['kv', 'put', 'd', 'new'])
    await world.run(['kv', 'put', 'e', 'new'])
    await world.run(['kv', 'delete', 'b'])
    const { index } = world.sessions.server
    const { code, out } = await world.run(['snapshot', 'restore', '-dry-run', file])
    const lines = out.split('\n').map((line) => line.trim().split(/ +/))
    expect([code, lines[0], lines.find(([type]) => type === 'kv')]).toEqual([
      0,
      ['Type', 'Added', 'Removed', 'Changed'],
      ['kv', '1', '2', '1'],
    ])
    expect(lines.find(([type]) => type === 'catalog-nodes')?.slice(1)).toEqual(['0', '0', '0'])
    expect(world.sessions.server.index).toBe(index)
  })

  it('inspect shows what an archive says of itself, and how much of each type is in it', async () => {
    await world.run(['snapshot', 'save', file])
    const { code, out } = await world.run(['snapshot', 'inspect', file])
    expect(code).toBe(0)
    expect(out).toMatch(/^ID {11}2-\d+-\d+\nSize {9}\d+\nIndex {8}\d+\nTerm {9}2\nVersion {6}1\n\nType +Count +Size\n/)
    expect(out).toMatch(/\nkv +3 +\d+\n/)
  })

  it.each([['restore'], ['inspect']])('%s of a file that was changed says so and asks no agent', async (verb) => {
    await world.run(['snapshot', 'save', file])
    const bytes = await readFile(file)
    bytes[bytes.length - 40] = (bytes.at(-40) as number) ^ 1
    await writeFile(file, bytes)
    const { length } = world.asked
    const ran = await world.run(['snapshot', verb, file])
    expect(ran).toMatchObject({ code: 1, out: '' })
    expect(ran.error).toMatch(/^Error (restoring|verifying) snapshot: /)
    expect(world.asked).toHaveLength(length)
  })

  it.each([['save'], ['restore'], ['inspect']])('%s needs one file', async (verb) => {
    for (const files of [[], ['a', 'b']]) {
      const ran = await world.run(['snapshot', verb, ...files])
      expect(ran).toMatchObject({ code: 1, out: '' })
    }
  })

  it('save makes the name durable in the directory of the file, whichever that is', async () => {
    const synced: string[] = []
    const disk = {
      open: async () => ok({ writeSynced: async () => done, close: async () => {} }),
      rename: async () => done,
      syncDirectory: async (path: string) => {
        synced.push(path)
        return done
      },
    } as unknown as Disk
    for (const path of ['/a.snap', '/srv/a.snap', 'a.snap', 'kept/a.snap']) {
      expect(await writeArchiveFile(disk, path, utf8('x'))).toEqual(done)
    }
    expect(synced).toEqual(['/', '/srv', '.', 'kept'])
  })
})
