import { describe, expect, it } from 'vitest'
import type { SimNode } from '../../../sim/world/node.ts'
import type { Simulation } from '../../../sim/world/simulation.ts'
import type { AgentConfig } from '../../../src/agent/agent-config.ts'
import { createLocalAgent } from '../../../src/agent/local/local-agent.ts'
import type { RunningLocalAgent } from '../../../src/agent/local/parts.ts'
import { utf8 } from '../../../src/base/bytes.ts'
import type { Env } from '../../../src/env/env.ts'
import { inSimulation, rest, value } from '../sim-world/in-simulation.ts'
import { FakeCatalog } from './fake-catalog.ts'
import { checkOf, configOf, listening, nodeId, offer, serviceOf, ttl } from './local-world.ts'

const onDisk = configOf({ dataDir: '/data' })

interface Life {
  readonly agent: RunningLocalAgent
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
      const agent = createLocalAgent(listening(env, lines), parts)
      await value(agent.start())
      return use({ agent, env, lines })
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

const web = offer('web', { tags: ['a'], meta: [['k', 'v']] }, [
  checkOf('service:web', ttl(600_000), { serviceId: 'web' }),
])

describe('what came over the API', () => {
  it('is there again after a power cut, whatever the disk lost that it was not told to keep', async () => {
    for (let seed = 0; seed < 20; seed++) {
      await withLives(async (lives) => {
        await lives.live(async ({ agent }) => {
          await value(agent.registerService(web))
          await value(agent.registerService(offer('gone')))
          await value(agent.registerCheck(checkOf('node', { kind: 'fixed' }, { notes: 'why' })))
          await value(agent.deregisterService('gone'))
        })
        await lives.live(async ({ agent, lines }) => {
          expect(agent.services()).toEqual([web.service])
          expect(agent.checks()).toMatchObject([
            { checkId: 'node', notes: 'why', status: 'critical' },
            { checkId: 'service:web', serviceId: 'web', serviceTags: ['a'] },
          ])
          expect(lines).toEqual([])
          await value(agent.deregisterService('web'))
          await value(agent.deregisterCheck('node'))
        })
        await lives.live(async ({ agent }) => {
          expect(agent.services()).toEqual([])
          expect(agent.checks()).toEqual([])
        })
      }, `power-${seed}`)
    }
  })

  it('is one file for each, named by a hash of its ID', async () => {
    await withLives(async (lives) => {
      await lives.live(async ({ agent, env }) => {
        await value(agent.registerService(offer('../../etc/passwd')))
        await value(agent.registerService(web))
        const names = await value(env.disk.list('/data/services'))
        expect(names).toHaveLength(2)
        expect(names.every((name) => /^[0-9a-f]{64}$/.test(name))).toBe(true)
        expect(await value(env.disk.list('/data/checks'))).toHaveLength(2)
      })
    })
  })

  it('is nowhere on disk without a data directory', async () => {
    await withLives(async (lives) => {
      await lives.live(async ({ agent, env }) => {
        await value(agent.registerService(web))
        expect(await value(env.disk.list('/data'))).toEqual([])
      }, configOf())
    })
  })

  it('in a damaged file is left out, with a line that names the file, and nothing else is', async () => {
    await withLives(async (lives) => {
      await lives.live(async ({ agent, env }) => {
        await value(agent.registerService(web))
        await value(agent.registerService(offer('api')))
        const [first] = await value(env.disk.list('/data/services'))
        const file = await value(env.disk.open(`/data/services/${first}`, 'create'))
        await value(file.write(0, utf8('}')))
        await value(file.sync())
      })
      await lives.live(async ({ agent, lines }) => {
        expect(agent.services()).toHaveLength(1)
        expect(lines).toEqual([
          expect.stringMatching(
            /^error a file of the data directory is damaged and was left out {"file":"\/data\/services\/[0-9a-f]{64}","reason":"not JSON"}$/,
          ),
        ])
      })
    })
  })

  it('gives way to a file that defines the same ID, for good', async () => {
    await withLives(async (lives) => {
      await lives.live(async ({ agent }) => {
        await value(agent.registerService(web))
      })
      const port = { ...onDisk, services: [offer('web', { port: 9 })] }
      await lives.live(async ({ agent }) => {
        expect(agent.services()).toEqual([serviceOf('web', { port: 9 })])
      }, port)
      await lives.live(async ({ agent }) => expect(agent.services()).toEqual([]))
    })
  })

  it('is not run as a script once scripts are no longer enabled', async () => {
    const checks = { ...configOf().checksConfig, remoteScripts: true, localScripts: true, updateIntervalMs: 0 }
    const script = checkOf('s', { kind: 'script', argv: ['sh'], intervalMs: 1_000, timeoutMs: 1_000 })
    await withLives(async (lives) => {
      await lives.live(
        async ({ agent }) => {
          await value(agent.registerCheck(script))
        },
        { ...onDisk, checksConfig: checks },
      )
      await lives.live(async ({ agent, lines }) => {
        expect(agent.checks()).toEqual([])
        expect(lines).toEqual(['warn a kept check is left out: scripts are disabled on this agent {"check":"s"}'])
      })
    })
  })
})

describe('the state of a TTL check', () => {
  it('is taken up again while it is fresh', async () => {
    await withLives(async (lives) => {
      await lives.live(
        async ({ agent, env }) => {
          await value(agent.registerService(web))
          await value(agent.reportTtl('service:web', 'passing', 'well'))
          await rest(env, 300_000)
        },
        onDisk,
        'kept',
      )
      await lives.live(async ({ agent, env }) => {
        expect(agent.checks()).toMatchObject([{ status: 'passing', output: 'well' }])
        await rest(env, 600_001)
        expect(agent.checks()).toMatchObject([
          { status: 'critical', output: 'TTL expired (last output before timeout follows): well' },
        ])
      })
    })
  })

  it('is not taken up again when it is older than its time to live', async () => {
    await withLives(async (lives) => {
      await lives.live(
        async ({ agent, env }) => {
          await value(agent.registerService(web))
          await value(agent.reportTtl('service:web', 'passing', 'well'))
          await rest(env, 599_000)
        },
        onDisk,
        'kept',
      )
      await lives.simulation.run({ untilMs: lives.simulation.nowMs + 5_000 })
      await lives.live(async ({ agent }) => expect(agent.checks()).toMatchObject([{ status: 'critical', output: '' }]))
    })
  })

  it('serves definitions from files as well', async () => {
    const config = { ...onDisk, services: [web] }
    await withLives(async (lives) => {
      await lives.live(
        async ({ agent, env }) => {
          await value(agent.reportTtl('service:web', 'warning', 'hm'))
          await rest(env, 1_000)
          expect(await value(env.disk.list('/data/services'))).toEqual([])
        },
        config,
        'kept',
      )
      await lives.live(async ({ agent }) => {
        expect(agent.checks()).toMatchObject([{ status: 'warning', output: 'hm' }])
      }, config)
    })
  })

  it('is forgotten at the next start once no file defines the check', async () => {
    await withLives(async (lives) => {
      const config = { ...onDisk, services: [web] }
      await lives.live(async ({ agent }) => value(agent.reportTtl('service:web', 'warning', 'hm')), config, 'kept')
      const states = ({ env }: Life): Promise<readonly string[]> => value(env.disk.list('/data/checks/state'))
      const kept = await lives.live(states, config, 'kept')
      expect([kept.length, (await lives.live(states, onDisk, 'kept')).length]).toEqual([1, 0])
    })
  })
})
