import { z } from 'zod'
import { ok, type Result } from '../../base/result.ts'
import { ApiClient } from '../api/client.ts'
import { askJson } from '../api/json-client.ts'
import type { Invocation } from '../command.ts'

const setting = z.custom<unknown>(() => true)

const selfSchema = z.object({
  Config: z.object({ NodeName: z.string(), Server: z.boolean() }),
  DebugConfig: z.record(z.string(), setting),
  Stats: z.record(z.string(), z.record(z.string(), z.string())),
})

const hostSchema = z.object({ CollectionTime: z.number() })

const metricsSchema = z.object({
  Counters: z.array(z.object({ Name: z.string(), Count: z.number() })),
  Samples: z.array(z.object({ Name: z.string(), Count: z.number(), Mean: z.number(), Max: z.number() })),
})

export type AgentMetrics = z.infer<typeof metricsSchema>

/** An agent's clock against the clock of the machine that runs the command. */
export interface ClockReading {
  /** How far the agent's clock is ahead. */
  readonly aheadMs: number
  /** By how much that may be wrong: half of the time that the question and its answer took. */
  readonly errorMs: number
}

/** What an agent reports about itself. */
export interface AskedAgent {
  readonly name: string
  readonly isServer: boolean
  /** By its configuration keys, as the agent shows them. */
  readonly settings: Readonly<Record<string, unknown>>
  readonly stats: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly clock: Result<ClockReading, string>
  readonly metrics: Result<AgentMetrics, string>
}

export async function readAgent(invocation: Invocation): Promise<Result<AskedAgent, string>> {
  const client = new ApiClient(invocation)
  const self = await askJson(client, { method: 'GET', path: '/v1/agent/self' }, selfSchema)
  if (!self.ok) return self
  const { Config, DebugConfig, Stats } = self.value
  return ok({
    name: Config.NodeName,
    isServer: Config.Server,
    settings: DebugConfig,
    stats: Stats,
    clock: await readClock(invocation, client),
    metrics: await askJson(client, { method: 'GET', path: '/v1/agent/metrics' }, metricsSchema),
  })
}

/** The agent reads its clock while the request is under way, at a moment that is taken to be its middle. */
async function readClock({ env }: Invocation, client: ApiClient): Promise<Result<ClockReading, string>> {
  const sentMs = env.clock.wallMs()
  const host = await askJson(client, { method: 'GET', path: '/v1/agent/host' }, hostSchema)
  if (!host.ok) return host
  const doneMs = env.clock.wallMs()
  const errorMs = (doneMs - sentMs) / 2
  return ok({ aheadMs: host.value.CollectionTime / 1e6 - (sentMs + errorMs), errorMs })
}
