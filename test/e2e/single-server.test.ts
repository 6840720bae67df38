import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createConnection, createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defaultPortsLock, type HeldPort, heldAlone } from '../tools/own-ports.ts'
import { ask } from './dns-client.ts'
import { eventually, freePorts, RealAgent, runSvc, writeConfig } from './real-agent.ts'
import { Stage } from './stage.ts'

const stage = new Stage()
let lock: HeldPort | undefined
afterEach(async () => {
  await lock?.close()
  lock = undefined
})

/** A single server with a data directory, on 127.0.0.1. */
async function startSingle(more: object = {}): Promise<RealAgent> {
  const ports = await freePorts()
  const file = join(stage.path, 'single.json')
  const config = {
    server: true,
    bootstrap_expect: 1,
    bind_addr: '127.0.0.1',
    data_dir: join(stage.path, 'data'),
    ports,
    performance: { raft_multiplier: 1 },
    ...more,
  }
  writeFileSync(file, JSON.stringify(config))
  return stage.led(new RealAgent(`127.0.0.1:${ports.http}`, [`-config-file=${file}`]))
}

interface Self {
  readonly DebugConfig: Readonly<Record<string, unknown>>
  readonly Stats: { readonly raft: Readonly<Record<string, string>> }
}

async function selfOf(agent: RealAgent): Promise<Self> {
  return JSON.parse(await agent.text('/v1/agent/self')) as Self
}

/** Memory of the process that is in use. */
function residentBytes({ pid }: RealAgent): number {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kib) * 1024
}

async function writeKeys(agent: RealAgent, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    expect((await agent.request('PUT', `/v1/kv/k${n}`, 'x')).status).toBe(200)
  }
}

describe('a single server', () => {
  it('[AGT-005] is warned against at its start, and loses everything with its disk', async () => {
    const before = await startSingle()
    expect(before.output).toContain('bootstrap = true: do not enable unless necessary')
    await before.request('PUT', '/v1/kv/only-copy', 'gone')
    await before.stop('SIGKILL')
    const kept = await startSingle()
    expect(await kept.text('/v1/kv/only-copy?raw')).toBe('gone')
    await kept.stop('SIGKILL')
    rmSync(join(stage.path, 'data'), { recursive: true })
    const after = await startSingle()
    expect((await after.request('GET', '/v1/kv/only-copy')).status).toBe(404)
  })

  it('[RFT-019 LIM-012] takes a Raft snapshot after 16384 entries, looked at every 30 s, and so none after a few', async () => {
    const agent = await startSingle()
    await writeKeys(agent, 50)
    const { DebugConfig, Stats } = await selfOf(agent)
    expect(DebugConfig['RaftSnapshotThreshold']).toBe(16384)
    expect(DebugConfig['RaftSnapshotInterval']).toBe('30s')
    expect(Stats.raft['last_snapshot_index']).toBe('0')
  })

  it.skipIf(process.platform !== 'linux')(
    '[RFT-021 LIM-009] holds its state in memory, in about twice the size of the data set, however often it is replaced',
    async () => {
      const agent = await startSingle()
      // Near the largest that is taken: half as many requests write as much as those of half the size.
      const [keys, valueBytes] = [128, 500 << 10]
      const before = residentBytes(agent)
      const dataBytes = keys * valueBytes
      const put = async (n: number): Promise<void> => {
        const value = String(n % 7).repeat(valueBytes)
        expect((await agent.request('PUT', `/v1/kv/large/${n % keys}`, value)).status).toBe(200)
      }
      let n = 0
      // Kept whole, the log alone would be four times the data.
      for (; n < 4 * keys; n++) await put(n)
      const grown = (): number => (residentBytes(agent) - before) / dataBytes
      expect(grown()).toBeGreaterThan(0.9)
      // The state, the log as large as it, what code takes once it is warm (as much again, beside data as small as
      // this), and what is no more used until the engine comes to it, which more writes make it do.
      await eventually('memory of less than five times the data', async () => {
        if (grown() < 5) return true
        await put(n++)
        return undefined
      })
    },
  )

  it('[RFT-020] takes it as soon and as often as configured', async () => {
    const agent = await startSingle({ raft_snapshot_threshold: 20, raft_snapshot_interval: '50ms' })
    await writeKeys(agent, 50)
    const first = await eventually('a snapshot', async () => {
      const index = Number((await selfOf(agent)).Stats.raft['last_snapshot_index'])
      return index > 0 ? index : undefined
    })
    await writeKeys(agent, 50)
    await eventually('a later one', async () => {
      const index = Number((await selfOf(agent)).Stats.raft['last_snapshot_index'])
      return index > first ? true : undefined
    })
  })
})

/** Whether the field's default ports are free on this machine. */
async function defaultPortsFree(): Promise<boolean> {
  const free = (port: number): Promise<boolean> =>
    new Promise((resolve) => {
      const server = createServer().on('error', () => resolve(false))
      server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
    })
  return (await Promise.all([8500, 8300, 8301, 8600].map(free))).every(Boolean)
}

function connects(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1')
    socket.on('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}

describe('default ports', () => {
  beforeEach(async () => {
    lock = await heldAlone(defaultPortsLock)
  })

  it('[AGT-014 AGT-016 AGT-018 AGT-019 DNS-001] are 8500 for HTTP, 8600 for DNS, 8300 for servers, 8301 for gossip; HTTPS is closed', async (context) => {
    if (!(await defaultPortsFree())) context.skip('another program uses a default port on this machine')
    const agent = await stage.led(new RealAgent('127.0.0.1:8500', ['-dev']))
    expect(await agent.leader()).toBe('127.0.0.1:8300')
    expect(await connects(8300)).toBe(true)
    expect((await selfOf(agent)).DebugConfig['HTTPSPort']).toBe(-1)
    const members = await agent.json<readonly { Addr: string; Port: number }[]>('/v1/agent/members')
    expect(members).toMatchObject([{ Addr: '127.0.0.1', Port: 8301 }])
    expect(await connects(8301)).toBe(true)
    const dns = { host: '127.0.0.1', port: 8600 }
    for (const transport of ['udp', 'tcp'] as const) {
      expect((await ask(dns, 'svc.', 'SOA', transport)).answers?.[0]?.type).toBe('SOA')
    }
  })

  it('[AGT-017] open none for the CLI RPC of old, and refuse to configure one', async (context) => {
    if (!(await defaultPortsFree()) || (await connects(8400)))
      context.skip('8400 or a default port is in use on this machine')
    await stage.led(new RealAgent('127.0.0.1:8500', ['-dev']))
    expect(await connects(8400)).toBe(false)
    const file = writeConfig(stage.path, 'rpc.json', { server: true, ports: { rpc: 8400 } })
    const refused = await runSvc(['agent', `-config-file=${file}`])
    expect(refused.code).toBe(1)
    expect(refused.error).toContain('invalid config key ports.rpc')
  })
})
