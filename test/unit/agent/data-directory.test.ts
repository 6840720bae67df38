import { describe, expect, it } from 'vitest'
import { openDataDirectory, storedNodeId } from '../../../src/agent/boot/data-directory.ts'
import { Keeping } from '../../../src/agent/local/keeping.ts'
import { textOf } from '../../../src/base/bytes.ts'
import { ok } from '../../../src/base/result.ts'
import type { Env } from '../../../src/env/env.ts'
import { CrashDisk } from '../raft-log/crash-disk.ts'
import { fakeEnv } from '../raft-log/fake-env.ts'
import { inSimulation } from '../sim-world/in-simulation.ts'

const fresh = 'aaaaaaaa-0000-4000-8000-000000000001'
const configured = 'bbbbbbbb-0000-4000-8000-000000000002'
const path = '/var/data'

async function idOf(disk: CrashDisk, configuredId: string | undefined, freshId = fresh): Promise<string> {
  const opened = await openDataDirectory(fakeEnv(disk) as unknown as Env, path, configuredId, freshId, undefined)
  if (!opened.ok) throw new Error(opened.error.message)
  await opened.value.release()
  return opened.value.nodeId
}

async function emptyDisk(): Promise<CrashDisk> {
  const disk = new CrashDisk()
  await disk.makeDirectory('/var')
  return disk
}

describe('the ID of a node', () => {
  it('is drawn at the first start, stored, and the same at every later one', async () => {
    const disk = await emptyDisk()
    expect(await idOf(disk, undefined)).toBe(fresh)
    expect(textOf(disk.bytesOf(`${path}/node-id`))).toBe(fresh)
    expect(await idOf(disk, undefined, configured)).toBe(fresh)
    expect(await storedNodeId(fakeEnv(disk) as unknown as Env, path)).toEqual(ok(fresh))
  })

  it('is not another one because its file cannot be read once', async () => {
    const disk = await emptyDisk()
    const stored = (): ReturnType<typeof storedNodeId> => storedNodeId(fakeEnv(disk) as unknown as Env, path)
    expect(await stored()).toEqual(ok(undefined))
    await idOf(disk, undefined)
    for (const failing of ['open', 'read']) {
      disk.fault = (operation) => (operation === failing ? 'io' : undefined)
      expect(await stored()).toMatchObject({
        ok: false,
        error: { kind: 'data-directory', message: `data_dir: ${path}/node-id: planted io`, remedy: 'check the disk' },
      })
    }
  })

  it('is the configured one, which takes the place of the stored one', async () => {
    const disk = await emptyDisk()
    await idOf(disk, undefined)
    expect(await idOf(disk, configured)).toBe(configured)
    expect(await idOf(disk, undefined)).toBe(configured)
  })
})

describe('the names of a data directory', () => {
  it('are durable at the second start, before anything relies on them, even if the first could not sync them', async () => {
    for (let seed = 0; seed < 10; seed++) {
      await inSimulation({ seed: `${seed}` }, async (simulation) => {
        const node = simulation.addNode({ name: 'a', host: '10.0.0.1', directories: [path] })
        const started = (id: string) =>
          simulation.play(
            node,
            async (env) => {
              const opened = await openDataDirectory(env, path, undefined, id, undefined)
              if (!opened.ok) return opened.error.message
              const kept = await new Keeping(env, path).load()
              return kept.ok ? opened.value.nodeId : kept.error.message
            },
            10_000,
          )
        node.disk.setErrors({ operations: ['sync'], files: /^[/]var[/]data$/, chance: 1 })
        expect(await started(fresh)).toBe(`data_dir: ${path}: sync: input/output error`)
        node.disk.setErrors(undefined)
        expect(await started(configured)).toBe(fresh)
        node.crash({ disk: 'power' })
        expect(await started(configured)).toBe(fresh)
      })
    }
  })

  it('are durable up to the first directory that was there', async () => {
    for (let seed = 0; seed < 10; seed++) {
      await inSimulation({ seed: `${seed}` }, async (simulation) => {
        const node = simulation.addNode({ name: 'a', host: '10.0.0.1', directories: ['/srv'] })
        const openedAs = (id: string) =>
          simulation.play(
            node,
            (env) => openDataDirectory(env, '/srv/svc/agents/one', undefined, id, undefined),
            10_000,
          )
        expect(await openedAs(fresh)).toMatchObject({ ok: true })
        node.crash({ disk: 'power' })
        expect(await openedAs(configured)).toMatchObject({ ok: true, value: { nodeId: fresh } })
      })
    }
  })

  it('are not synced where the agent may not read the parent, which another user has prepared', async () => {
    const disk = await emptyDisk()
    disk.fault = (operation, at) => (operation === 'syncDirectory' && at === '/var' ? 'permission' : undefined)
    expect(await idOf(disk, undefined)).toBe(fresh)
    disk.fault = (operation, at) => (operation === 'syncDirectory' && at === '/var' ? 'io' : undefined)
    await expect(idOf(disk, undefined)).rejects.toThrow('data_dir: /var: planted io')
  })
})
