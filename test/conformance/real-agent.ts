import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AgentConfig } from '../../src/agent/agent-config.ts'
import { loadConfig } from '../../src/config/load.ts'
import type { Env } from '../../src/env/env.ts'
import { createHostEnv, type HostEnv } from '../../src/host/env.ts'
import { type Program, startProgram } from '../../src/program/start.ts'
import type { Raft } from '../../src/raft/raft.ts'
import type { Exact } from './golden/exact-json.ts'
import type { GoldenTarget } from './golden/golden-target.ts'
import { fill, firstVariables, loadGolden } from './golden/sequence.ts'
import { socketTarget } from './golden/socket-target.ts'

/** A whole agent of this process on loopback, with its own data directory, that leads a cluster of its own. */
export interface RealAgent {
  readonly target: GoldenTarget
  readonly program: Program
  readonly config: AgentConfig
  /** What it has logged so far. */
  readonly log: readonly string[]
  stop(): Promise<void>
}

const portNames = ['dns', 'http', 'https', 'serf_lan', 'serf_wan', 'server', 'extra1', 'extra2']
const host = '127.0.0.1'

export interface RealAgentOptions {
  /** Of `test/golden/profiles.json`. */
  readonly profile?: string
  /** Members of the configuration file besides, or instead of, the profile's. */
  readonly changes?: Readonly<Record<string, Exact>>
  /** Puts something between the agent and the world. */
  readonly wrap?: (env: HostEnv) => Env
}

/** Starts an agent and waits until it leads. */
export async function startRealAgent(options: RealAgentOptions = {}): Promise<RealAgent> {
  const { profile = 'default', changes = {}, wrap = (env) => env } = options
  const directory = await mkdtemp(join(tmpdir(), 'svc-conformance-'))
  const ports = await freePorts()
  const log: string[] = []
  const env = createHostEnv({ logSink: (line) => log.push(line), logLevel: 'debug' })
  const closeAll = async (program?: Program): Promise<void> => {
    await program?.stop()
    env.close()
    await rm(directory, { recursive: true, force: true })
  }
  try {
    const config = await configOf(env, directory, { ...documentOf(profile, ports), ...changes })
    const program = await startProgram(wrap(env), config)
    if (!program.ok) throw new Error(`the agent did not start: ${program.error.message}`)
    await leads(program.value.agent.raft as Raft)
    const stop = () => closeAll(program.value)
    return { target: socketTarget(host, ports), program: program.value, config, log, stop }
  } catch (cause) {
    await closeAll()
    throw cause
  }
}

function documentOf(profile: string, ports: Record<string, number>): Record<string, Exact> {
  const profiles = loadGolden('profiles.json') as Record<string, Record<string, Exact>>
  const named = profiles[profile]?.['config'] as Record<string, Exact> | undefined
  if (named === undefined) throw new Error(`there is no profile ${profile}`)
  return fill({ ...profiles['base'], ...named }, firstVariables(ports)) as Record<string, Exact>
}

async function configOf(env: HostEnv, directory: string, document: Record<string, Exact>): Promise<AgentConfig> {
  const path = join(directory, 'config.json')
  await writeFile(path, JSON.stringify({ data_dir: join(directory, 'data'), ...document }))
  const loaded = await loadConfig(env, new Map([['config-file', [path]]]))
  if (loaded.ok) return loaded.value.config
  throw new Error(loaded.error.map(({ place, message }) => `${place}: ${message}`).join('\n'))
}

function leads(raft: Raft): Promise<void> {
  return new Promise((resolve) => {
    const watch = raft.onRoleChange(({ role }) => {
      if (role === 'leader') done()
    })
    const done = (): void => {
      watch.close()
      resolve()
    }
    if (raft.status().role === 'leader') done()
  })
}

/** Ports that were free a moment ago, by the names of the profiles. */
async function freePorts(): Promise<Record<string, number>> {
  const servers = await Promise.all(portNames.map(listening))
  const ports = servers.map((server) => {
    const address = server.address()
    return typeof address === 'object' && address !== null ? address.port : 0
  })
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return Object.fromEntries(portNames.map((name, at) => [name, ports[at] as number]))
}

function listening(): Promise<ReturnType<typeof createServer>> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, host, () => resolve(server))
  })
}
