import { describe, expect, it } from 'vitest'
import type { Env } from '../../../src/env/env.ts'
import { logIndexOf, termOf } from '../../../src/model/log-position.ts'
import { placeFile } from '../../../src/raft/log/disk-steps.ts'
import { logChange } from '../../../src/raft/log/durable-log.ts'
import { migrateOldLog } from '../../../src/raft/log/migration.ts'
import { createLog } from '../../../src/raft/log/opening.ts'
import { recoverLog } from '../../../src/raft/log/recovery.ts'
import { logFormats } from '../../../src/raft/log/segment-file.ts'
import { defaultLogOptions, SegmentedLog } from '../../../src/raft/log/segmented-log.ts'
import { inSimulation, value } from '../sim-world/in-simulation.ts'
import { CrashDisk } from './crash-disk.ts'
import { Draws, fakeEnv } from './fake-env.ts'
import { entryAt, persist } from './log-model.ts'

const dataDir = '/data'
const hardState = { term: termOf(4), votedFor: 'b' }

function envOf(disk: CrashDisk): Env & { readonly lines: string[] } {
  const lines: string[] = []
  const log = { write: (_level: string, _part: string, text: string) => lines.push(text) }
  return { ...fakeEnv(disk), log, lines } as unknown as Env & { readonly lines: string[] }
}

/** A log in `mdb` with so many entries, 8 to 107 by default, behind a snapshot up to 7. */
async function oldServer(count = 100): Promise<CrashDisk> {
  const disk = new CrashDisk()
  const old = `${dataDir}/mdb`
  await disk.makeDirectory(old)
  await writeOld(disk, old, count)
  return disk
}

async function writeOld(disk: CrashDisk, old: string, count: number): Promise<void> {
  const env = fakeEnv(disk)
  const options = { ...defaultLogOptions, format: logFormats.mdb, segmentBytes: 2000 }
  const made = await createLog(env, old, options, { hardState, lastIndex: logIndexOf(7) })
  const recovered = await recoverLog(disk, old, logFormats.mdb)
  if (!made.ok || !recovered.ok || recovered.value === undefined) throw new Error('the old log cannot be made')
  const ignore = () => {}
  const listener = {
    batchDurable: ignore,
    full: ignore,
    delayed: ignore,
    room: ignore,
    notRemoved: ignore,
    failed: ignore,
  }
  const log = await SegmentedLog.open(env, old, recovered.value, undefined, options, listener)
  if (!log.ok) throw new Error(log.error.message)
  for (let i = 0; i < count; i++) await persist(log.value, logChange({ entries: [entryAt(8 + i, 4)] }))
  await log.value.close()
}

async function newLogOf(disk: CrashDisk) {
  const recovered = await recoverLog(disk, `${dataDir}/raft/log`)
  if (!recovered.ok) throw new Error(recovered.error.message)
  return recovered.value?.log
}

describe('a log in mdb', () => {
  it('is brought over whole: hard state, where it begins, and every entry; the old one is laid aside', async () => {
    const disk = await oldServer()
    const old = await recoverLog(disk, `${dataDir}/mdb`, logFormats.mdb)
    const env = envOf(disk)
    expect(await migrateOldLog(env, dataDir)).toMatchObject({ ok: true })
    const log = await newLogOf(disk)
    expect(log?.hardState).toEqual(hardState)
    expect([log?.baseIndex, log?.lastIndex]).toEqual([7, 107])
    expect(log?.entries).toEqual(old.ok ? old.value?.log.entries : [])
    expect(await disk.stat(`${dataDir}/mdb`)).toMatchObject({ ok: false, error: { kind: 'not-found' } })
    expect(disk.namesIn(`${dataDir}/mdb.backup`).length).toBeGreaterThan(1)
    expect(env.lines).toEqual([expect.stringMatching(/^==> Successfully migrated raft data in \d+(\.\d+)?ms$/)])
  })

  it('is not to be read by a release that knows the new form alone, nor the other way round', async () => {
    const disk = await oldServer()
    const read = await recoverLog(disk, `${dataDir}/mdb`)
    expect(read).toMatchObject({ ok: false, error: { kind: 'old-format' } })
    await migrateOldLog(envOf(disk), dataDir)
    expect(await recoverLog(disk, `${dataDir}/raft/log`, logFormats.mdb)).toMatchObject({ ok: false })
  })

  it('is whole in one place or the other wherever the power fails, and the next start goes on', async () => {
    const operations = await operationsOf(await oldServer())
    expect(operations).toBeGreaterThan(15)
    for (let halt = 0; halt < operations; halt++) {
      const disk = await oldServer()
      disk.haltAfter = disk.operations + halt
      const halted = new Promise<void>((resolve) => {
        disk.onHalt = resolve
      })
      void migrateOldLog(envOf(disk), dataDir)
      await halted
      const after = disk.crashed(new Draws(halt + 1))
      expect(await migrateOldLog(envOf(after), dataDir), `halted at ${halt}`).toMatchObject({ ok: true })
      const log = await newLogOf(after)
      expect([log?.hardState.term, log?.baseIndex, log?.lastIndex], `halted at ${halt}`).toEqual([4, 7, 107])
    }
  })

  it('beside another one that says something else is refused, and nothing is changed', async () => {
    const disk = await oldServer()
    await migrateOldLog(envOf(disk), dataDir)
    await disk.makeDirectory(`${dataDir}/mdb`)
    await writeOld(disk, `${dataDir}/mdb`, 3)
    const names = disk.namesIn(`${dataDir}/mdb`)
    const refused = await migrateOldLog(envOf(disk), dataDir)
    expect(refused).toMatchObject({ ok: false, error: { kind: 'old-format' } })
    expect(disk.namesIn(`${dataDir}/mdb`)).toEqual(names)
    expect((await newLogOf(disk))?.lastIndex).toBe(107)
  })

  it('stays where it is while the directory for the new one cannot be listed', async () => {
    const disk = await oldServer()
    disk.fault = (operation, path) =>
      operation === 'list' && path === `${dataDir}/raft/log.migrating` ? 'io' : undefined
    expect(await migrateOldLog(envOf(disk), dataDir)).toMatchObject({ ok: false, error: { kind: 'io' } })
    disk.fault = () => undefined
    expect(await migrateOldLog(envOf(disk), dataDir)).toMatchObject({ ok: true })
    expect((await newLogOf(disk))?.lastIndex).toBe(107)
  })

  it('says which operation failed, whichever it is, and is brought over when the disk is well', async () => {
    const old = await oldServer(9)
    const operations = await operationsOf(old.copy())
    for (let failing = 1; failing <= operations; failing++) {
      const disk = old.copy()
      let [count, failed] = [0, '']
      disk.fault = (operation, path) => {
        if (++count === failing) failed = `${operation} ${path}`
        return count === failing ? 'io' : undefined
      }
      const migrated = await migrateOldLog(envOf(disk), dataDir)
      // The next start writes the last mark, which only protects what is durable already.
      const isNoLoss = /^remove |^(write|sync) [^ ]*[/]log[.]migrating[/]watermark$/
      if (migrated.ok) expect(failed, `operation ${failing}`).toMatch(isNoLoss)
      else expect(migrated.error.message, failed).toContain(`${failed.split(' ')[1]}: planted io`)
      disk.fault = () => undefined
      expect(await migrateOldLog(envOf(disk), dataDir), failed).toMatchObject({ ok: true })
      expect((await newLogOf(disk))?.lastIndex, failed).toBe(16)
    }
  })

  it('without a log needs nothing', async () => {
    const disk = new CrashDisk()
    await disk.makeDirectory(dataDir)
    const env = envOf(disk)
    expect(await migrateOldLog(env, dataDir)).toMatchObject({ ok: true })
    expect(env.lines).toEqual([])
  })
})

async function operationsOf(disk: CrashDisk): Promise<number> {
  const before = disk.operations
  await migrateOldLog(envOf(disk), dataDir)
  return disk.operations - before
}

describe('a log whose new name could not be made durable', () => {
  it('is laid away only when it is, so that no power cut leaves a server without any', async () => {
    const old = await oldServer()
    for (let seed = 0; seed < 6; seed++) {
      await inSimulation({ seed: `${seed}` }, async (simulation) => {
        const node = simulation.addNode({ name: 'a', host: '10.0.0.1', directories: ['/data/mdb'] })
        const live = <T>(use: (env: Env) => Promise<T>): Promise<T> => simulation.play(node, use, 60_000)
        await live(async ({ disk }) => {
          for (const name of old.namesIn('/data/mdb')) {
            await value(placeFile(disk, '/data/mdb', name, old.bytesOf(`/data/mdb/${name}`)))
          }
        })
        const errors = { operations: ['sync'], files: /^[/]data[/]raft$/, chance: 1 } as const
        node.disk.setErrors(errors)
        expect(await live((env) => migrateOldLog(env, dataDir))).toMatchObject({ ok: false, error: { kind: 'io' } })
        node.disk.setErrors(undefined)
        expect(await live((env) => migrateOldLog(env, dataDir))).toMatchObject({ ok: true })
        node.crash({ disk: 'power' })
        const found = await live((env) => recoverLog(env.disk, `${dataDir}/raft/log`))
        expect(found.ok && found.value?.log.lastIndex).toBe(107)
      })
    }
  })
})
