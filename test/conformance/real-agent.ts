import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AgentConfig } from '../../src/agent/settings/agent-config.ts'
import { ok } from '../../src/base/result.ts'
import { loadConfig } from '../../src/config/load.ts'
import type { Env } from '../../src/env/env.ts'
import { createHostEnv, type HostEnv } from '../../src/host/env.ts'
import { type Program, startProgram } from '../../src/program/start.ts'
import type { Raft } from '../../src/raft/raft.ts'
import { freePort } from '../tools/own-ports.ts'
import type { Exact } from './golden/exact-json.ts'
import type { GoldenTarget } from './golden/golden-target.ts'
import { socketTarget } from './golden/socket-target.ts'
import { profileDocument } from './profile.ts'

/** A whole agent of this process on loopback, with its own data directory, that leads a cluster of its own. */
export interface RealAgent {
  readonly target: GoldenTarget
  stop(): Promise<void>
}

const portNames = ['dns', 'http', 'https', 'serf_lan', 'serf_wan', 'server', 'extra1', 'extra2']
const host = '127.0.0.1'

export interface RealAgentOptions {
  /** Of `test/golden/profiles.json`. */
  readonly profile?: string
  /** Keys besides those of the profile. */
  readonly more?: Record<string, Exact>
  /** Puts something between the agent and the world. */
  readonly wrap?: (env: HostEnv) => Env
}

/** Starts an agent and waits until it leads. */
export async function startRealAgent(options: RealAgentOptions = {}): Promise<RealAgent> {
  const { profile = 'default', more = {}, wrap = (env) => env } = options
  const directory = await mkdtemp(join(tmpdir(), 'svc-conformance-'))
  const ports = await freePorts()
  const env = createHostEnv({ logSink: () => {}, logLevel: 'error' })
  const closeAll = async (program?: Program): Promise<void> => {
    await program?.stop()
    env.close()
    await rm(directory, { recursive: true, force: true })
  }
  try {
    const config = await configOf(env, directory, { ...profileDocument(profile, ports), ...more })
    const program = await startProgram(wrap(env), config, { reread: async () => ok(config) })
    if (!program.ok) throw new Error(`the agent did not start: ${program.error.message}`)
    await leads(program.value.agent.raft as Raft)
    const stop = () => closeAll(program.value)
    return { target: socketTarget(host, ports), stop }
  } catch (cause) {
    await closeAll()
    throw cause
  }
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

/** By the names of the profiles. */
async function freePorts(): Promise<Record<string, number>> {
  const ports: Record<string, number> = {}
  for (const name of portNames) ports[name] = await freePort()
  return ports
}
