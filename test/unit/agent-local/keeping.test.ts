import { describe, expect, it } from 'vitest'
import type { SimNode } from '../../../sim/simulation/node.ts'
import type { Simulation } from '../../../sim/simulation/simulation.ts'
import { readFrames } from '../../../src/agent/local/journal-frames.ts'
import { createLocalServices } from '../../../src/agent/local/local-services.ts'
import type { RunningLocalServices } from '../../../src/agent/local/parts.ts'
import type { AgentConfig } from '../../../src/agent/settings/agent-config.ts'
import { compareText, hex, utf8 } from '../../../src/base/bytes.ts'
import type { Env } from '../../../src/env/env.ts'
import { inSimulation, rest, value } from '../sim-world/in-simulation.ts'
import { FakeCatalog } from './fake-catalog.ts'
import { checkOf, configOf, listening, nodeId, offer, serviceOf, ttl } from './local-world.ts'

const onDisk = configOf({ dataDir: '/data' })

interface Life {
  readonly local: RunningLocalServices
  readonly env: Env
  readonly lines: string[]
}

/** One process after the other on one disk. */
class Lives {
  readonly simulation: Simulation
  readonly node: SimNode

  constructor(simulation: Simulation) {
    this.simulation = simulation
    this.node = simulation.addNode({ name: 'a', host: '10.0.0.1', directories: ['/data'] })
  }

  /** Ends without being asked: with the power, or only the process, whose writes then reach the disk in time. */
  async live<T>(
    use: (life: Life) => Promise<T>,
    config: AgentConfig = onDisk,
    end: 'power' | 'kept' = 'power',
  ): Promise<T> {
    const live = async (env: Env): Promise<T> => {
      const lines: string[] = []
      const parts = { config, nodeId, catalog: new FakeCatalog(), nodeCount: () => 1 }
      const local = createLocalServices(listening(env, lines), parts)
      await value(local.start())
      return use({ local, env, lines })
    }
    const result = await this.simulation.play(this.node, live, 24 * 3_600_000)
    this.node.crash({ disk: end })
    return result
  }
}

async function withLives(use: (lives: Lives) => Promise<void>, seed = 'test'): Promise<void> {
  await inSimulation({ seed }, async (simulation) => {
    await use(new Lives(simulation))
    if (simulation.failure !== undefined) throw simulation.failure.error ?? new Error(simulation.failure.message)
  })
}

const journal = '/data/local/registrations'

async function framesOf(env: Env): Promise<number> {
  return readFrames(await bytesAt(env, journal)).frames.length
}

async function bytesAt(env: Env, path: string): Promise<Uint8Array> {
  const file = await value(env.disk.open(path, 'read'))
  return value(file.read(0, 1 << 24))
}

async function overwrite(env: Env, path: string, at: number): Promise<void> {
  const file = await value(env.disk.open(path, 'create'))
  await value(file.writeSynced(at, utf8('}')))
}

async function put(env: Env, path: string, text: string): Promise<void> {
  const file = await value(env.disk.open(path, 'create-new'))
  await value(file.writeSynced(0, utf8(text)))
}

const web = offer('web', { tags: ['a'], meta: [['k', 'v']] }, [
  checkOf('service:web', ttl(600_000), { serviceId: 'web' }),
])

describe('what came over the API', () => {
  it('is there again after a power cut, whatever the disk lost that it was not told to keep', async () => {
    for (let seed = 0; seed < 20; seed++) {
      await withLives(async (lives) => {
        await lives.live(async ({ local }) => {
          await value(local.registerService(web))
          await value(local.registerService(offer('gone')))
          await value(local.registerCheck(checkOf('node', { kind: 'fixed' }, { notes: 'why' })))
          await value(local.deregisterService('gone'))
        })
        await lives.live(async ({ local, lines }) => {
          expect(local.services()).toEqual([web.service])
          expect(local.checks()).toMatchObject([
            { checkId: 'node', notes: 'why', status: 'critical' },
            { checkId: 'service:web', serviceId: 'web', serviceTags: ['a'] },
          ])
          expect(lines).toEqual([])
          await value(local.deregisterService('web'))
          await value(local.deregisterCheck('node'))
        })
        await lives.live(async ({ local }) => {
          expect(local.services()).toEqual([])
          expect(local.checks()).toEqual([])
        })
      }, `power-${seed}`)
    }
  })

  it('for a service of a file ends with it for good when a reload takes the service away, also while it cannot run', async () => {
    const withWeb = configOf({ dataDir: '/data', services: [offer('web')] })
    const { checksConfig } = withWeb
    const scripted = { ...withWeb, checksConfig: { ...checksConfig, remoteScripts: true } }
    await withLives(async (lives) => {
      await lives.live(async ({ local }) => {
        await value(local.registerCheck(checkOf('ttl', ttl(600_000), { serviceId: 'Web' })))
        await value(local.reportTtl('ttl', 'passing', ''))
        const script = { kind: 'script', argv: ['sh'], intervalMs: 60_000, timeoutMs: 1_000 } as const
        await value(local.registerCheck(checkOf('script', script, { serviceId: 'web' })))
        await value(local.registerCheck(checkOf('node', { kind: 'fixed' })))
        await value(local.reload(withWeb))
        await value(local.reload(onDisk))
        expect(local.checks()).toMatchObject([{ checkId: 'node' }])
        await value(local.reload(scripted))
        expect(local.checks()).toMatchObject([{ checkId: 'node' }])
      }, scripted)
      await lives.live(async ({ local, env }) => {
        expect(local.checks()).toMatchObject([{ checkId: 'node' }])
        expect(await value(env.disk.list('/data/checks/state'))).toEqual([])
      }, scripted)
    })
  })

  it('gives way to a check of a file for good, also while it cannot run', async () => {
    const scripts = { ...onDisk, checksConfig: { ...onDisk.checksConfig, remoteScripts: true } }
    const script = { kind: 'script', argv: ['sh'], intervalMs: 60_000, timeoutMs: 1_000 } as const
    await withLives(async (lives) => {
      await lives.live(async ({ local }) => {
        await value(local.registerCheck(checkOf('c', script)))
        await value(local.reload(onDisk))
        await value(local.reload({ ...onDisk, checks: [checkOf('c', ttl(600_000))] }))
        await value(local.reload(scripts))
        expect(local.checks()).toEqual([])
      }, scripts)
    })
  })

  it('may have any ID', async () => {
    await withLives(async (lives) => {
      const ids = ['../../etc/passwd', 'a/b', 'ä\0\u2028', '😀', '__proto__']
      await lives.live(async ({ local }) => {
        for (const id of ids) await value(local.registerService(offer(id)))
      })
      await lives.live(async ({ local }) => {
        expect(local.services().map(({ id }) => id)).toEqual([...ids].sort(compareText))
      })
    })
  })

  it('comes to the disk with what comes at the same time, in one sync', async () => {
    await withLives(async (lives) => {
      const ids = Array.from({ length: 50 }, (_, at) => `web-${at}`)
      await lives.live(async ({ local, env }) => {
        await value(local.registerService(offer('first')))
        const before = await framesOf(env)
        await Promise.all(ids.map((id) => value(local.registerService(offer(id)))))
        expect((await framesOf(env)) - before).toBeLessThan(4)
      })
      await lives.live(async ({ local }) => expect(local.services()).toHaveLength(51))
    })
  })

  it('is not written again where it says nothing new', async () => {
    await withLives(async (lives) => {
      await lives.live(async ({ local, env }) => {
        await value(local.registerService(web))
        const before = await framesOf(env)
        await value(local.registerService(web))
        await value(local.deregisterService('strange'))
        expect(await framesOf(env)).toBe(before)
      })
    })
  })

  it('takes no more than twice the room that it needs, and a mebibyte', async () => {
    await withLives(async (lives) => {
      await lives.live(async ({ local, env }) => {
        const notes = 'x'.repeat(40_000)
        for (let round = 0; round < 60; round++) {
          await value(local.registerCheck(checkOf('c', { kind: 'fixed' }, { notes: `${round} ${notes}` })))
          expect((await value(env.disk.stat(journal))).sizeBytes).toBeLessThanOrEqual((1 << 20) + 80_000)
        }
      })
      await lives.live(async ({ local }) => expect(local.checks()[0]?.notes.startsWith('59 ')).toBe(true))
    })
  })

  it('is written behind what is there, not all anew, in letters of any length', async () => {
    await withLives(async (lives) => {
      await lives.live(async ({ local, env }) => {
        const notes = '記'.repeat(40_000)
        for (let at = 0; at < 14; at++)
          await value(local.registerCheck(checkOf(`c${at}`, { kind: 'fixed' }, { notes })))
        const before = await framesOf(env)
        await value(local.registerService(web))
        expect(await framesOf(env)).toBe(before + 1)
      })
    })
  })

  it('is refused while there is no room on the disk, as if it had not been asked for, and taken when there is', async () => {
    await withLives(async (lives) => {
      await lives.live(async ({ local, env }) => {
        await value(local.registerService(offer('first')))
        await value(local.registerCheck(checkOf('c', ttl(600_000))))
        const used = lives.node.disk.usedBytes
        lives.node.disk.setOptions({ quotaBytes: used + 10 })
        expect(await local.registerService(web)).toMatchObject({ ok: false, error: { kind: 'refused' } })
        expect(local.services()).toHaveLength(1)
        await value(local.reportTtl('c', 'passing', 'well'))
        expect(await value(env.disk.list('/data/checks/state'))).toEqual([])
        expect(lives.node.disk.usedBytes).toBeLessThanOrEqual(used)
        lives.node.disk.setOptions({ quotaBytes: Number.POSITIVE_INFINITY })
        await value(local.registerService(offer('second')))
      })
      await lives.live(async ({ local, lines }) => {
        expect(local.services().map(({ id }) => id)).toEqual(['first', 'second'])
        expect(lines).toEqual([])
      })
    })
  })

  it.each(['write', 'rename'] as const)(
    'leaves no half of a file where a new one cannot be made: %s',
    async (operation) => {
      await withLives(async (lives) => {
        await lives.live(async ({ local, env }) => {
          lives.node.disk.fail(operation, 1)
          expect(await local.registerService(web)).toMatchObject({ ok: false, error: { kind: 'refused' } })
          expect(await value(env.disk.list('/data/local'))).toEqual([])
          await value(local.registerService(web))
        })
      })
    },
  )

  it('goes into a new file after a sync that failed', async () => {
    for (let seed = 0; seed < 10; seed++) {
      await withLives(async (lives) => {
        await lives.live(async ({ local }) => {
          await value(local.registerService(offer('first')))
          lives.node.disk.fail('sync', 1)
          expect(await local.registerService(web)).toMatchObject({ ok: false, error: { kind: 'refused' } })
          await value(local.registerService(offer('second')))
        })
        await lives.live(async ({ local, lines }) => {
          expect(local.services().map(({ id }) => id)).toEqual(['first', 'second'])
          expect(lines).toEqual([])
        })
      }, `failed-${seed}`)
    }
  })

  it('is nowhere on disk without a data directory', async () => {
    await withLives(async (lives) => {
      await lives.live(async ({ local, env }) => {
        await value(local.registerService(web))
        expect(await value(env.disk.list('/data'))).toEqual([])
      }, configOf())
    })
  })

  it.each([
    [1, ['db', 'web'], String.raw`\d+ bytes that are no record`],
    [2, ['api', 'web'], 'the last record is not whole: its write was cut off, or it is damaged'],
  ])(
    'in a damaged part of the file, here record %i, is left out, reported, and kept aside, and nothing else is',
    async (hit, left, reason) => {
      await withLives(async (lives) => {
        const damaged = await lives.live(async ({ local, env }) => {
          const starts: number[] = []
          for (const id of ['web', 'api', 'db']) {
            starts.push(id === 'web' ? 0 : (await value(env.disk.stat(journal))).sizeBytes)
            await value(local.registerService(offer(id)))
          }
          await overwrite(env, journal, (starts[hit] ?? 0) + 40)
          return bytesAt(env, journal)
        })
        await lives.live(async ({ local, lines, env }) => {
          expect(local.services().map(({ id }) => id)).toEqual(left)
          const told = 'a part of a file of the data directory is damaged and was left out'
          expect(lines).toEqual([
            expect.stringMatching(
              new RegExp(`^error ${told} {"file":"/data/local/registrations","at":\\d+,"reason":"${reason}"}$`),
            ),
            'warn a damaged file was copied before it is written again {"to":"/data/local/registrations.damaged"}',
          ])
          await value(local.registerService(offer('new')))
          expect(await bytesAt(env, `${journal}.damaged`)).toEqual(damaged)
        })
      })
    },
  )

  it('in the form of earlier builds, a file for each, is taken over once, and does not come back when it is taken out', async () => {
    await withLives(async (lives) => {
      await lives.live(async ({ env }) => {
        const service = JSON.stringify({ version: 1, service: web.service })
        const check = JSON.stringify({ version: 1, check: web.checks[0] })
        const other = JSON.stringify({ version: 1, service: offer('api').service })
        const files = [
          ['services', 'web', service],
          ['services', 'api', other],
          ['checks', 'service:web', check],
        ] as const
        for (const [kind, id, text] of files) {
          await value(env.disk.makeDirectory(`/data/${kind}`))
          await put(env, `/data/${kind}/${hex(env.crypto.sha256(utf8(id)))}`, text)
          await value(env.disk.syncDirectory(`/data/${kind}`))
        }
        await put(env, `/data/services/${'0'.repeat(64)}`, '{')
        await value(env.disk.syncDirectory('/data/services'))
        await value(env.disk.syncDirectory('/data'))
      })
      await lives.live(async ({ local, lines, env }) => {
        expect(local.services().map(({ id }) => id)).toEqual(['api', 'web'])
        expect(local.services()).toContainEqual(web.service)
        expect(local.checks()).toMatchObject([{ checkId: 'service:web' }])
        expect(lines).toEqual([
          `error a file of the data directory is damaged and was left out {"file":"/data/services/${'0'.repeat(64)}","reason":"not JSON"}`,
        ])
        expect(await value(env.disk.list('/data/services'))).toEqual(['0'.repeat(64)])
        expect(await value(env.disk.list('/data/checks'))).toEqual(['state'])
        for (const id of ['web', 'api']) await value(local.deregisterService(id))
      })
      await lives.live(async ({ local }) => expect(local.services()).toEqual([]))
    })
  })

  it('gives way to a file that defines the same ID, for good', async () => {
    await withLives(async (lives) => {
      await lives.live(async ({ local }) => {
        await value(local.registerService(web))
      })
      const port = { ...onDisk, services: [offer('web', { port: 9 })] }
      await lives.live(async ({ local }) => {
        expect(local.services()).toEqual([serviceOf('web', { port: 9 })])
      }, port)
      await lives.live(async ({ local }) => expect(local.services()).toEqual([]))
    })
  })

  it('is not run as a script once scripts are no longer enabled', async () => {
    const checks = { ...configOf().checksConfig, remoteScripts: true, localScripts: true, updateIntervalMs: 0 }
    const script = checkOf('s', { kind: 'script', argv: ['sh'], intervalMs: 1_000, timeoutMs: 1_000 })
    await withLives(async (lives) => {
      await lives.live(
        async ({ local }) => {
          await value(local.registerCheck(script))
        },
        { ...onDisk, checksConfig: checks },
      )
      await lives.live(async ({ local, lines }) => {
        expect(local.checks()).toEqual([])
        expect(lines).toEqual([
          'warn a check that came over the API is left out: scripts are disabled on this agent {"check":"s"}',
        ])
      })
    })
  })

  it.each([
    ['by itself', async (local: RunningLocalServices) => value(local.deregisterCheck('S'))],
    ['with its service', async (local: RunningLocalServices) => value(local.deregisterService('WEB'))],
  ])('as a script that does not run for now goes for good when it is deregistered %s', async (_, drop) => {
    const checks = { ...configOf().checksConfig, remoteScripts: true, localScripts: true }
    const probe = { kind: 'script', argv: ['sh'], intervalMs: 1_000, timeoutMs: 1_000 } as const
    const scripts = { ...onDisk, checksConfig: checks }
    await withLives(async (lives) => {
      await lives.live(async ({ local }) => {
        await value(local.registerService(offer('web')))
        for (const id of ['s', 'moved']) await value(local.registerCheck(checkOf(id, probe, { serviceId: 'web' })))
        await value(local.registerCheck(checkOf('other', probe)))
      }, scripts)
      await lives.live(async ({ local }) => {
        await value(local.registerCheck(checkOf('moved', ttl(1_000))))
        await drop(local)
        await value(local.registerService(offer('web')))
      })
      await lives.live(async ({ local }) => {
        expect(local.checks().map(({ checkId }) => checkId)).toEqual(['moved', 'other'])
      }, scripts)
    })
  })
})

describe('the state of a TTL check', () => {
  it('is taken up again while it is fresh', async () => {
    await withLives(async (lives) => {
      await lives.live(
        async ({ local, env }) => {
          await value(local.registerService(web))
          await value(local.reportTtl('service:web', 'passing', 'well'))
          await rest(env, 300_000)
        },
        onDisk,
        'kept',
      )
      await lives.live(async ({ local, env }) => {
        expect(local.checks()).toMatchObject([{ status: 'passing', output: 'well' }])
        await rest(env, 600_001)
        expect(local.checks()).toMatchObject([
          { status: 'critical', output: 'TTL expired (last output before timeout follows): well' },
        ])
      })
    })
  })

  it('is taken up again without its output where outputs are discarded', async () => {
    await withLives(async (lives) => {
      await lives.live(
        async ({ local }) => {
          await value(local.registerService(web))
          await value(local.reportTtl('service:web', 'passing', 'a secret'))
        },
        onDisk,
        'kept',
      )
      const discarding = { ...onDisk, checksConfig: { ...onDisk.checksConfig, discardOutput: true } }
      await lives.live(async ({ local }) => {
        expect(local.checks()).toMatchObject([{ status: 'passing', output: '' }])
      }, discarding)
    })
  })

  it('that the disk does not take counts nevertheless, and is logged once a second however many reports come', async () => {
    await withLives(async (lives) => {
      const logged: Parameters<Env['log']['write']>[] = []
      await lives.simulation.play(
        lives.node,
        async (env) => {
          const log: Env['log'] = { ...env.log, write: (...line) => void logged.push(line) }
          const parts = { config: onDisk, nodeId, catalog: new FakeCatalog(), nodeCount: () => 1 }
          const local = createLocalServices({ ...env, log }, parts)
          await value(local.start())
          await value(local.registerCheck(checkOf('c', ttl(10_000))))
          lives.node.disk.setOptions({ quotaBytes: lives.node.disk.usedBytes + 10 })
          await value(local.reportTtl('c', 'passing', 'well'))
          expect(local.checks()).toMatchObject([{ status: 'passing', output: 'well' }])
        },
        60_000,
      )
      const fields = { file: expect.stringMatching('/data/checks/state/'), reason: 'full' }
      const told = ['warn', 'agent', 'the state of a check could not be kept', fields, 'sampled']
      expect(logged.filter(([level]) => level === 'warn')).toEqual([told])
    })
  })

  it('is not taken up again when it is older than its time to live', async () => {
    await withLives(async (lives) => {
      await lives.live(
        async ({ local, env }) => {
          await value(local.registerService(web))
          await value(local.reportTtl('service:web', 'passing', 'well'))
          await rest(env, 599_000)
        },
        onDisk,
        'kept',
      )
      await lives.simulation.run({ untilMs: lives.simulation.nowMs + 5_000 })
      await lives.live(async ({ local }) => expect(local.checks()).toMatchObject([{ status: 'critical', output: '' }]))
    })
  })

  it('serves definitions from files as well', async () => {
    const config = { ...onDisk, services: [web] }
    await withLives(async (lives) => {
      await lives.live(
        async ({ local, env }) => {
          await value(local.reportTtl('service:web', 'warning', 'hm'))
          await rest(env, 1_000)
          expect(await value(env.disk.list('/data/local'))).toEqual([])
        },
        config,
        'kept',
      )
      await lives.live(async ({ local }) => {
        expect(local.checks()).toMatchObject([{ status: 'warning', output: 'hm' }])
      }, config)
    })
  })

  it('is forgotten at the next start once no file defines the check', async () => {
    await withLives(async (lives) => {
      const config = { ...onDisk, services: [web] }
      await lives.live(async ({ local }) => value(local.reportTtl('service:web', 'warning', 'hm')), config, 'kept')
      const states = ({ env }: Life): Promise<readonly string[]> => value(env.disk.list('/data/checks/state'))
      const kept = await lives.live(states, config, 'kept')
      expect([kept.length, (await lives.live(states, onDisk, 'kept')).length]).toEqual([1, 0])
    })
  })
})
