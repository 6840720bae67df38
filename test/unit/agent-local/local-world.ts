import type { SimNode } from '../../../sim/simulation/node.ts'
import type { Simulation } from '../../../sim/simulation/simulation.ts'
import type { RegistrantRights } from '../../../src/agent/access/running-access.ts'
import { createLocalServices } from '../../../src/agent/local/local-services.ts'
import type { RunningLocalServices } from '../../../src/agent/local/parts.ts'
import type { AgentConfig } from '../../../src/agent/settings/agent-config.ts'
import { defaultAgentConfig } from '../../../src/agent/settings/default-config.ts'
import type { Env } from '../../../src/env/env.ts'
import type { CheckDefinition, CheckProbe, ServiceDefinition, ServiceFacts } from '../../../src/model/catalog.ts'
import { inSimulation, rest } from '../sim-world/in-simulation.ts'
import { FakeCatalog } from './fake-catalog.ts'

export const nodeId = 'aaaaaaaa-0000-4000-8000-000000000001'

export interface LocalWorld {
  readonly simulation: Simulation
  readonly node: SimNode
  readonly env: Env
  readonly catalog: FakeCatalog
  readonly local: RunningLocalServices
  /** What the agent goes by. */
  readonly tokens: { agent: string; default: string }
  /** Lines of the log, as `level text {fields}`. */
  readonly lines: readonly string[]
  rest(ms: number): Promise<void>
}

export function configOf(changes: Partial<AgentConfig> = {}): AgentConfig {
  return { ...defaultAgentConfig('node-a', '10.0.0.1'), server: true, ...changes }
}

export function serviceOf(id: string, changes: Partial<ServiceFacts> = {}): ServiceFacts {
  return {
    kind: '',
    id,
    service: id,
    tags: [],
    address: '',
    meta: null,
    port: 80,
    weights: { passing: 1, warning: 1 },
    enableTagOverride: false,
    ...changes,
  }
}

export function offer(
  id: string,
  changes: Partial<ServiceFacts> = {},
  checks: CheckDefinition[] = [],
): ServiceDefinition {
  return { service: serviceOf(id, changes), checks }
}

export function checkOf(checkId: string, probe: CheckProbe, changes: Partial<CheckDefinition> = {}): CheckDefinition {
  return {
    checkId,
    name: checkId,
    notes: '',
    serviceId: '',
    status: 'critical',
    probe,
    deregisterCriticalServiceAfterMs: 0,
    ...changes,
  }
}

export const ttl = (ttlMs: number): CheckProbe => ({ kind: 'ttl', ttlMs })

/** An agent's local services on a simulated machine, begun. More virtual time than `limitMs` is not taken. */
export async function withLocalServices(
  config: AgentConfig,
  use: (world: LocalWorld) => Promise<void>,
  prepare: (node: SimNode, simulation: Simulation) => void = () => undefined,
  startWallMs = 1_767_225_600_000,
  rights?: RegistrantRights,
): Promise<void> {
  await inSimulation({ link: { latencyMs: 1 }, startWallMs }, async (simulation) => {
    const node = simulation.addNode({ name: 'a', host: '10.0.0.1', directories: ['/data'] })
    prepare(node, simulation)
    const catalog = new FakeCatalog()
    await simulation.play(node, (env) => begin({ simulation, node, env, config, catalog, use, rights }), 24 * 3_600_000)
    if (simulation.failure !== undefined) throw simulation.failure.error ?? new Error(simulation.failure.message)
  })
}

interface Beginning {
  readonly simulation: Simulation
  readonly node: SimNode
  readonly env: Env
  readonly config: AgentConfig
  readonly catalog: FakeCatalog
  readonly use: (world: LocalWorld) => Promise<void>
  readonly rights: RegistrantRights | undefined
}

async function begin({ simulation, node, env, config, catalog, use, rights }: Beginning): Promise<void> {
  const lines: string[] = []
  catalog.deferred = () => {
    const { promise, resolve } = env.deferred<void>()
    return { promise, resolve: () => resolve() }
  }
  const tokens = { agent: '', default: '' }
  const local = createLocalServices(listening(env, lines), {
    config,
    nodeId,
    catalog,
    tokens,
    rights,
    nodeCount: () => 3,
  })
  const started = await local.start()
  if (!started.ok) throw new Error(`not started: ${JSON.stringify(started.error)}`)
  await use({ simulation, node, env, catalog, local, tokens, lines, rest: (ms) => rest(env, ms) })
  await local.stop()
}

/** The same Env, with its log read. */
export function listening(env: Env, lines: string[]): Env {
  return {
    ...env,
    log: {
      ...env.log,
      enabled: (level) => env.log.enabled(level),
      write: (level, topic, text, fields) => {
        lines.push(`${level} ${text} ${JSON.stringify(fields ?? {})}`)
        env.log.write(level, topic, text, fields)
      },
    },
  }
}
