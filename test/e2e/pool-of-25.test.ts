import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/config/load.ts'
import { suspicionMaxMult, suspicionMinMs } from '../../src/gossip/core/scaling.ts'
import type { Pool } from '../../src/gossip/pool.ts'
import { createHostEnv, type HostEnv } from '../../src/host/env.ts'
import { type Program, startProgram } from '../../src/program/start.ts'
import { eventually, freePorts, makeWorkplace } from './real-agent.ts'

const size = 25
/** Half of what an agent has by default. */
const probeIntervalMs = 500
const suspicionMult = 4
const gossip = {
  gossip_interval: '100ms',
  probe_interval: `${probeIntervalMs}ms`,
  probe_timeout: '250ms',
  suspicion_mult: suspicionMult,
}

/**
 * Until all know of a crash. Each member probes each other at least once in 2n - 1 probe intervals (SWIM, section 4.3);
 * a suspicion that no member confirms lasts its longest time (Lifeguard, section 4.B); and each member repeats what is
 * new every 100 ms, so that a second is long for 25 of them (SWIM, section 4.1).
 */
const boundMs =
  (2 * size - 1) * probeIntervalMs + suspicionMaxMult * suspicionMinMs(suspicionMult, size, probeIntervalMs) + 1_000

interface RunningAgent {
  readonly name: string
  readonly env: HostEnv
  readonly program: Program
}

const workplace = makeWorkplace()
const agents: RunningAgent[] = []
let httpPort = 0

/** One server and 24 clients: whole agents with sockets of their own, in this process for processes are dear. */
beforeAll(async () => {
  const ports = await freePorts()
  httpPort = ports.http
  agents.push(...(await Promise.all(Array.from({ length: size }, (_, at) => start(at, ports)))))
})
afterAll(async () => {
  await Promise.all(agents.map(({ program }) => program.stop()))
  for (const { env } of agents) env.close()
  workplace.remove()
})

async function start(at: number, ports: object): Promise<RunningAgent> {
  const name = `n${String(at + 1).padStart(2, '0')}`
  const path = join(workplace.path, `${name}.json`)
  const host = addressOf(at)
  const role = at === 0 ? { server: true, bootstrap_expect: 1 } : { retry_join: [addressOf(0)] }
  const place = { node_name: name, data_dir: join(workplace.path, name), bind_addr: host, client_addr: host, ports }
  writeFileSync(path, JSON.stringify({ ...place, ...role, gossip_lan: gossip }))
  const env = createHostEnv({ logSink: () => undefined, logLevel: 'error' })
  const loaded = await loadConfig(env, new Map([['config-file', [path]]]))
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error))
  const program = await startProgram(env, loaded.value.config)
  if (!program.ok) throw new Error(program.error.message)
  return { name, env, program: program.value }
}

function addressOf(at: number): string {
  return `127.0.25.${at + 1}`
}

/** Asks the first agent. */
async function get<T>(path: string): Promise<T> {
  return (await (await fetch(`http://${addressOf(0)}:${httpPort}${path}`)).json()) as T
}

/** Waits until every one of them sees exactly these members so. */
async function allSee(observers: readonly RunningAgent[], statuses: ReadonlyMap<string, string>): Promise<void> {
  const sees = (pool: Pool): boolean => {
    const members = pool.members()
    return members.length === statuses.size && members.every(({ name, status }) => statuses.get(name) === status)
  }
  await Promise.all(
    observers.map(async ({ env, program }) => {
      const pool = program.agent.lan
      const seen = env.deferred<void>()
      const watching = pool.onChange(() => {
        if (sees(pool)) seen.resolve()
      })
      if (!sees(pool)) await seen.promise
      watching.close()
    }),
  )
}

function statusesWith(failed?: string): ReadonlyMap<string, string> {
  return new Map(agents.map(({ name }) => [name, name === failed ? 'failed' : 'alive']))
}

describe('a pool of 25 agents', () => {
  it('[AGT-002 MEM-001] forms through one address: each sees all, and the catalog has all', async () => {
    await allSee(agents, statusesWith())
    const nodes = await eventually('25 nodes in the catalog', async () => {
      const listed = await get<readonly { Node: string }[]>('/v1/catalog/nodes')
      return listed.length === size ? listed.map(({ Node }) => Node) : undefined
    })
    expect(nodes).toEqual(agents.map(({ name }) => name))
  })

  it('[MEM-006 MEM-012 MEM-013 MEM-014] agrees on one that was killed, and on no other member', async () => {
    const victim = agents[17] as RunningAgent
    const others = agents.filter((agent) => agent !== victim)
    const web = { method: 'PUT', body: '{"Name":"web"}' }
    expect((await fetch(`http://${addressOf(17)}:${httpPort}/v1/agent/service/register`, web)).status).toBe(200)
    const webNodes = async () =>
      (await get<readonly { Node: string }[]>('/v1/catalog/service/web')).map(({ Node }) => Node)
    await eventually('the service in the catalog', async () => ((await webNodes()).length === 1 ? true : undefined))
    // Its sockets and timers are gone, and it has said nothing.
    victim.env.close()
    const late = new Promise<never>((_, reject) => {
      setTimeout(() => reject(new Error(`not all agree after ${boundMs} ms`)), boundMs).unref()
    })
    await Promise.race([allSee(others, statusesWith(victim.name)), late])
    const health = await eventually('the node to be critical', async () => {
      const checks = await get<readonly { CheckID: string; Status: string }[]>(`/v1/health/node/${victim.name}`)
      return checks.every(({ Status }) => Status === 'critical') ? checks : undefined
    })
    expect(health.map(({ CheckID }) => CheckID)).toEqual(['serfHealth'])
    expect(await get<readonly object[]>('/v1/catalog/nodes')).toHaveLength(size)
    expect(await webNodes()).toEqual([victim.name])
    expect(await get('/v1/health/service/web?passing')).toEqual([])
    expect(await get<readonly object[]>('/v1/health/state/critical')).toHaveLength(1)
  })
})
