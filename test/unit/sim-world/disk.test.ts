import { describe, expect, it } from 'vitest'
import type { SimNode } from '../../../sim/simulation/node.ts'
import type { Simulation } from '../../../sim/simulation/simulation.ts'
import type { DiskOptions } from '../../../sim/world/disk/disk.ts'
import { failingOperations } from '../../../sim/world/disk/disk-errors.ts'
import { equalBytes, textOf, utf8 } from '../../../src/base/bytes.ts'
import type { Result } from '../../../src/base/result.ts'
import type { DiskFailure } from '../../../src/env/disk.ts'
import type { Env } from '../../../src/env/env.ts'
import { inSimulation, value } from './in-simulation.ts'

async function onDisk<T>(
  disk: DiskOptions,
  use: (simulation: Simulation, node: SimNode) => Promise<T>,
  seed = 'disk',
): Promise<T> {
  return await inSimulation({ seed, disk }, async (simulation) => {
    const node = simulation.addNode({ name: 'n', host: '10.0.0.1', directories: ['/data', '/data/log'] })
    return await use(simulation, node)
  })
}

async function writeTwo(env: Env): Promise<void> {
  const file = await value(env.disk.open('/data/f', 'create'))
  await value(env.disk.syncDirectory('/data'))
  await value(file.write(0, utf8('aaaa')))
  await value(file.sync())
  for (const [at, text] of [
    [4, 'bbbb'],
    [8, 'cccc'],
  ] as const) {
    await value(file.write(at, utf8(text)))
  }
}

async function fates(disk: DiskOptions): Promise<ReadonlySet<string>> {
  const seen = new Set<string>()
  for (let seed = 0; seed < 300; seed++) {
    await onDisk(
      disk,
      async (simulation, node) => {
        await simulation.play(node, writeTwo, 1000)
        node.crash()
        seen.add(textOf(node.disk.files().get('/data/f') as Uint8Array).replaceAll('\0', '.'))
      },
      `fate-${seed}`,
    )
  }
  return seen
}

describe('a power cut', () => {
  it('loses unsynced writes in every way that a disk may', async () => {
    const seen = await fates({})
    for (const fate of ['aaaa', 'aaaabbbbcccc', 'aaaabbbb', 'aaaabb', 'aaaabbbbcc', 'aaaa....cccc']) {
      expect([...seen]).toContain(fate)
    }
    for (const fate of seen) expect(fate).toMatch(/^aaaa(b{0,4}|[b.]{4}c{1,4})$/)
  })

  it('loses only what is behind a point in time, where the disk keeps the order of writes', async () => {
    for (const fate of await fates({ unsynced: 'prefix' })) expect('aaaabbbbcccc'.startsWith(fate)).toBe(true)
  })

  it('is the same cut for the same seed', async () => {
    const cut = async (): Promise<string> =>
      await onDisk({}, async (simulation, node) => {
        await simulation.play(node, writeTwo, 1000)
        node.crash()
        return textOf(node.disk.files().get('/data/f') as Uint8Array)
      })
    expect(await cut()).toBe(await cut())
  })

  it('is none when only the process dies', async () => {
    for (let seed = 0; seed < 20; seed++) {
      await onDisk(
        {},
        async (simulation, node) => {
          await simulation.play(node, writeTwo, 1000)
          node.crash({ disk: 'kept' })
          expect(textOf(node.disk.files().get('/data/f') as Uint8Array)).toBe('aaaabbbbcccc')
          // What was not synced is still not safe.
          node.boot(() => undefined)
          node.crash({ disk: 'power' })
        },
        `kept-${seed}`,
      )
    }
  })

  it('may lose a whole tree of names whose first was not synced', async () => {
    const seen = new Set<string>()
    for (let seed = 0; seed < 40; seed++) {
      await onDisk(
        {},
        async (simulation, node) => {
          const program = async (env: Env): Promise<void> => {
            await value(env.disk.makeDirectory('/data/sub'))
            const file = await value(env.disk.open('/data/sub/f', 'create'))
            await value(file.write(0, utf8('x')))
            await value(file.sync())
            await value(env.disk.syncDirectory('/data/sub'))
          }
          await simulation.play(node, program, 1000)
          node.crash()
          seen.add([...node.disk.files().keys()].join())
        },
        `tree-${seed}`,
      )
    }
    expect(seen).toEqual(new Set(['', '/data/sub/f']))
  })
})

describe('a disk', () => {
  it('takes the time that is set, times the factor', async () => {
    await onDisk({ nameMs: 1, writeMs: 2, syncMs: 30, readMs: 4 }, async (simulation, node) => {
      const spans = await simulation.play(
        node,
        async (env) => {
          const marks: number[] = []
          const file = await value(env.disk.open('/data/f', 'create'))
          marks.push(simulation.nowMs)
          await value(file.write(0, utf8('x')))
          marks.push(simulation.nowMs)
          node.disk.setOptions({ slowFactor: 10 })
          await value(file.sync())
          marks.push(simulation.nowMs)
          await value(file.read(0, 1))
          marks.push(simulation.nowMs)
          await value(file.writeSynced(0, utf8('y')))
          marks.push(simulation.nowMs)
          return marks
        },
        10_000,
      )
      expect(spans).toEqual([1, 3, 303, 343, 663])
    })
  })

  it('fails the next read, and the next write with a part of it done', async () => {
    await onDisk({}, async (simulation, node) => {
      const told = await simulation.play(
        node,
        async (env) => {
          const file = await value(env.disk.open('/data/f', 'create'))
          await value(file.write(0, utf8('aaaa')))
          node.disk.fail('read', 1)
          const reads = [(await file.read(0, 4)).ok, (await file.read(0, 4)).ok]
          node.disk.fail('write', 2)
          const writes = [await file.write(4, utf8('bbbb')), await file.writeSynced(4, utf8('cccc'))]
          const kinds = writes.map((written) => (written.ok ? 'ok' : written.error.kind))
          return { reads, kinds, after: (await file.write(4, utf8('dddd'))).ok }
        },
        1000,
      )
      expect(told).toEqual({ reads: [false, true], kinds: ['io', 'io'], after: true })
      expect(textOf(node.disk.files().get('/data/f') as Uint8Array)).toBe('aaaadddd')
    })
  })

  it('refuses to write through behind what is not durable, which a real disk would leave so', async () => {
    await onDisk({}, async (simulation, node) => {
      const told = await simulation.play(
        node,
        async (env) => {
          const file = await value(env.disk.open('/data/f', 'create'))
          await value(file.write(8, utf8('behind')))
          await value(file.writeThrough(4, utf8('four')))
          await value(file.write(0, utf8('four')))
          try {
            return await file.writeThrough(4, utf8('four'))
          } catch (cause) {
            return String(cause)
          }
        },
        1000,
      )
      expect(told).toContain('a file is written through only behind what is durable (at=4)')
    })
  })

  it('fails the next opening and the next renaming, which change nothing', async () => {
    await onDisk({}, async (simulation, node) => {
      const told = await simulation.play(
        node,
        async (env) => {
          node.disk.fail('open', 1)
          const opened = [await env.disk.open('/data/a', 'create-new'), await env.disk.open('/data/a', 'create-new')]
          node.disk.fail('rename', 1)
          const renamed = [await env.disk.rename('/data/a', '/data/b'), await env.disk.rename('/data/a', '/data/b')]
          return [...opened, ...renamed].map((done) => (done.ok ? 'ok' : done.error.kind))
        },
        1000,
      )
      expect(told).toEqual(['io', 'ok', 'io', 'ok'])
      expect([...node.disk.files().keys()]).toEqual(['/data/b'])
    })
  })

  it('fails what it was told to, of the files it was told, until that ends', async () => {
    await onDisk({}, async (simulation, node) => {
      const failed: string[] = []
      node.disk.onFailed = (operation, path) => failed.push(`${operation} ${path}`)
      const kindOf = (result: Result<unknown, DiskFailure>): string => (result.ok ? 'ok' : result.error.message)
      const told = await simulation.play(
        node,
        async (env) => {
          const file = await value(env.disk.open('/data/log/a', 'create'))
          const other = await value(env.disk.open('/data/b', 'create'))
          node.disk.setErrors({ operations: failingOperations, files: /^[/]data[/]log/, chance: 1 })
          const results: Result<unknown, DiskFailure>[] = [
            await file.write(0, utf8('aaaa')),
            await file.truncate(9),
            await file.allocate(9),
            await file.size(),
            await file.read(0, 1),
            await file.sync(),
            await env.disk.syncDirectory('/data/log'),
            await env.disk.list('/data/log'),
            await env.disk.stat('/data/log/a'),
            await env.disk.remove('/data/log/a'),
            await env.disk.rename('/data/log/a', '/data/log/c'),
            await env.disk.makeDirectory('/data/log/d'),
            await env.disk.open('/data/log/a', 'read'),
            await env.disk.lock('/data/log/lock'),
            await other.writeSynced(0, utf8('bbbb')),
          ]
          node.disk.setErrors(undefined)
          results.push(await file.write(0, utf8('aaaa')))
          return results.map(kindOf)
        },
        1000,
      )
      const operations = ['write', 'resize', 'resize', 'stat', 'read', 'sync', 'sync', 'list', 'stat', 'remove']
      operations.push('rename', 'make directory', 'open', 'open')
      expect(told).toEqual([...operations.map((operation) => `${operation}: input/output error`), 'ok', 'ok'])
      expect(failed.map((text) => text.slice(0, text.indexOf(' /')))).toEqual(operations)
      expect([...node.disk.files().keys()]).toEqual(['/data/b', '/data/log/a'])
    })
  })

  it('refuses every change while it is read-only, and reads', async () => {
    await onDisk({}, async (simulation, node) => {
      const told = await simulation.play(
        node,
        async (env) => {
          const file = await value(env.disk.open('/data/log/a', 'create'))
          await value(file.writeSynced(0, utf8('aaaa')))
          node.disk.setReadOnly(/./)
          const results: Result<unknown, DiskFailure>[] = [
            await file.write(0, utf8('bbbb')),
            await file.sync(),
            await env.disk.open('/data/log/a', 'create'),
            await env.disk.makeDirectory('/data/new'),
            await env.disk.remove('/data/log/a'),
            await file.read(0, 4),
            await env.disk.open('/data/log/a', 'read'),
            await env.disk.makeDirectory('/data/log'),
            await env.disk.list('/data/log'),
          ]
          return results.map((result) => (result.ok ? 'ok' : result.error.kind))
        },
        1000,
      )
      const changes = ['permission', 'io', 'permission', 'permission', 'permission']
      expect(told).toEqual([...changes, 'ok', 'ok', 'ok', 'ok'])
      expect(textOf(node.disk.files().get('/data/log/a') as Uint8Array)).toBe('aaaa')
    })
  })

  it('keeps a name whose sync failed off the platter until another change of the directory is synced', async () => {
    const left = new Set<string>()
    for (let seed = 0; seed < 20; seed++) {
      for (const goesOn of [false, true]) {
        await onDisk(
          {},
          async (simulation, node) => {
            const program = async (env: Env): Promise<void> => {
              await value(env.disk.open('/data/a', 'create'))
              node.disk.fail('sync', 1)
              await env.disk.syncDirectory('/data')
              if (goesOn) await value(env.disk.open('/data/b', 'create'))
              await value(env.disk.syncDirectory('/data'))
            }
            await simulation.play(node, program, 1000)
            node.crash()
            left.add(`${goesOn} ${[...node.disk.files().keys()].join(' ')}`)
          },
          `names-${seed}`,
        )
      }
    }
    expect([...left].sort()).toEqual(['false ', 'false /data/a', 'true /data/a /data/b'])
  })

  it('fails nothing any more once it was mended', async () => {
    await onDisk({}, async (simulation, node) => {
      for (const operation of ['open', 'rename', 'read', 'write', 'sync'] as const) node.disk.fail(operation, 9)
      node.disk.setErrors({ operations: failingOperations, files: /./, chance: 1 })
      node.disk.mend()
      expect(node.disk.hasFailed).toBe(true)
      await simulation.play(node, writeTwo, 1000)
      expect(node.disk.files().size).toBeGreaterThan(0)
    })
  })

  it('is empty when it was replaced', async () => {
    await onDisk({}, async (simulation, node) => {
      await simulation.play(node, writeTwo, 1000)
      node.crash()
      node.disk.replace(['/data'])
      expect([...node.disk.files().keys()]).toEqual([])
      expect(node.disk.usedBytes).toBe(0)
    })
  })

  it('finishes nothing while it is stalled, then everything in order', async () => {
    await onDisk({}, async (simulation, node) => {
      const done: string[] = []
      node.boot(async (env) => {
        const file = await value(env.disk.open('/data/f', 'create'))
        node.disk.stall()
        for (const [at, text] of ['a', 'b', 'c'].entries()) {
          env.detach(file.write(at, utf8(text)).then(() => done.push(text)))
        }
        env.detach(file.sync().then(() => done.push('sync')))
      })
      await simulation.run({ untilMs: 5000 })
      expect(done).toEqual([])
      node.disk.unstall()
      await simulation.run({ untilMs: 5001 })
      expect(done).toEqual(['a', 'b', 'c', 'sync'])
    })
  })

  it('whose sync fails says nothing of the bytes, and never syncs them later', async () => {
    const seen = new Set<string>()
    for (let seed = 0; seed < 40; seed++) {
      await onDisk(
        { unsynced: 'prefix' },
        async (simulation, node) => {
          node.disk.fail('sync', 1)
          const program = async (env: Env): Promise<void> => {
            const file = await value(env.disk.open('/data/f', 'create'))
            expect(await env.disk.syncDirectory('/data')).toMatchObject({ ok: false, error: { kind: 'io' } })
            await value(file.write(0, utf8('lost?')))
            node.disk.fail('sync', 1)
            expect(await file.sync()).toMatchObject({ ok: false, error: { kind: 'io' } })
            await value(file.sync())
            await value(env.disk.syncDirectory('/data'))
            expect(textOf(await value(file.read(0, 9)))).toBe('lost?')
          }
          await simulation.play(node, program, 1000)
          node.crash()
          const left = node.disk.files().get('/data/f')
          seen.add(left === undefined ? 'no name' : textOf(left))
        },
        `fsyncgate-${seed}`,
      )
    }
    expect(seen).toEqual(new Set(['no name', '', 'lost?']))
  })

  it('of a quota takes what fits, says full, and has room again when files go', async () => {
    await onDisk({ quotaBytes: 10 }, async (simulation, node) => {
      const program = async (env: Env): Promise<void> => {
        const file = await value(env.disk.open('/data/f', 'create'))
        expect(await file.write(0, new Uint8Array(12))).toMatchObject({ ok: false, error: { kind: 'full' } })
        expect(await value(file.size())).toBe(10)
        expect(await file.write(3, new Uint8Array(7))).toMatchObject({ ok: true })
        expect(await file.truncate(11)).toMatchObject({ ok: false, error: { kind: 'full' } })
        await value(file.truncate(4))
        expect(node.disk.usedBytes).toBe(4)
        const other = await value(env.disk.open('/data/g', 'create'))
        await value(other.write(0, new Uint8Array(6)))
        await value(env.disk.remove('/data/f'))
        expect(node.disk.usedBytes).toBe(10)
        await file.close()
        expect(node.disk.usedBytes).toBe(6)
        await value(env.disk.rename('/data/g', '/data/h'))
        expect(node.disk.usedBytes).toBe(6)
        node.disk.setOptions({ quotaBytes: 0 })
        expect(await other.write(0, new Uint8Array(6))).toMatchObject({ ok: true })
        expect(await other.write(6, new Uint8Array(1))).toMatchObject({ ok: false, error: { kind: 'full' } })
      }
      await simulation.play(node, program, 1000)
      node.crash({ disk: 'kept' })
      expect(node.disk.usedBytes).toBe(6)
    })
  })

  it('without space takes of a write what fits into the last block, where that ends within it', async () => {
    for (const copyOnWrite of [false, true]) {
      await onDisk({}, async (simulation, node) => {
        const program = async (env: Env): Promise<readonly unknown[]> => {
          const file = await value(env.disk.open('/data/f', 'create'))
          await value(file.write(0, new Uint8Array(4_000).fill(1)))
          node.disk.setOptions({ quotaBytes: 0, copyOnWrite })
          const kinds: string[] = []
          for (const [at, length] of [
            [4_000, 50],
            [4_000, 200],
            [4_096, 10],
            [5_000, 9_000],
          ] as const) {
            const written = await file.write(at, new Uint8Array(length).fill(2))
            kinds.push(`${written.ok ? 'ok' : written.error.kind} ${await value(file.size())}`)
          }
          return [...kinds, (await value(file.read(3_999, 2))).join()]
        }
        const expected = ['full 4000', 'full 4096', 'full 4096', 'full 4096', '1,2']
        expect(await simulation.play(node, program, 1000)).toEqual(expected)
      })
    }
  })

  it('rots a bit where it is told to, and nowhere else', async () => {
    await onDisk({}, async (simulation, node) => {
      const read = async (env: Env): Promise<Uint8Array> => {
        const file = await value(env.disk.open('/data/f', 'create'))
        if ((await value(file.size())) === 0) {
          await value(file.write(0, new Uint8Array(8)))
          await value(file.sync())
          await value(env.disk.syncDirectory('/data'))
        }
        return await value(file.read(0, 8))
      }
      await simulation.play(node, read, 1000)
      expect(node.disk.flipBit('/data/f', 5)).toBe(true)
      expect(node.disk.flipBit('/data/f', 8)).toBe(false)
      expect(node.disk.flipBit('/data/g', 0)).toBe(false)
      node.crash()
      const found = await simulation.play(node, read, 1000)
      expect(equalBytes(found, new Uint8Array([0, 0, 0, 0, 0, 1, 0, 0]))).toBe(true)
    })
  })

  it("keeps what is written from later changes of the writer's buffer", async () => {
    await onDisk({}, async (simulation, node) => {
      const program = async (env: Env): Promise<string> => {
        const file = await value(env.disk.open('/data/f', 'create'))
        const bytes = utf8('kept')
        await value(file.write(0, bytes))
        bytes.fill(0)
        await value(file.sync())
        return textOf(await value(file.read(0, 4)))
      }
      expect(await simulation.play(node, program, 1000)).toBe('kept')
    })
  })
})
