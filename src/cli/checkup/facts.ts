import { z } from 'zod'
import { err, ok, type Result } from '../../base/result.ts'
import { keyringSchema } from '../api/answers.ts'
import { ApiClient } from '../api/client.ts'
import { forecastSchema } from '../api/connect-answers.ts'
import { askJson } from '../api/json-client.ts'
import type { Forecast } from '../authority-forecast.ts'
import type { Invocation } from '../command.ts'
import { listFlag } from '../flags/values.ts'
import { readCluster } from '../upgrade-facts.ts'
import type { CheckedCluster } from '../upgrade-findings.ts'
import { type AskedAgent, readAgent } from './agent-facts.ts'

const replicationSchema = z.object({ Enabled: z.boolean(), Running: z.boolean(), LastError: z.string() })
const statusSchema = z.object({ Mode: z.enum(['legacy', 'new']), TokensLeft: z.number() })

export type Keyrings = readonly z.infer<typeof keyringSchema>[]
export type AccessStatus = z.infer<typeof statusSchema>
export type Replication = z.infer<typeof replicationSchema>

/** A cluster, as one agent and the servers that were asked besides it report it. */
export interface Facts {
  readonly cluster: CheckedCluster
  /** Agents that were asked about themselves: the agent of the command first. */
  readonly asked: readonly AskedAgent[]
  /** Why an agent that -server names could not be asked, one clause each. */
  readonly unasked: readonly string[]
  readonly forecast: Result<Forecast, string>
  readonly status: Result<AccessStatus, string>
  readonly replication: Result<Replication, string>
  readonly keyrings: Result<Keyrings, string>
}

/** The error is the line to print: without members and the agent itself nothing can be checked. */
export async function readFacts(invocation: Invocation): Promise<Result<Facts, string>> {
  const cluster = await readCluster(invocation)
  if (!cluster.ok) return cluster
  const own = await readAgent(invocation)
  if (!own.ok) return err(`Error reading the agent: ${own.error}`)
  const asked = [own.value]
  const unasked: string[] = []
  for (const address of listFlag(invocation, 'server')) {
    const other = await readAgent({ ...invocation, flags: new Map([...invocation.flags, ['http-addr', address]]) })
    if (!other.ok) unasked.push(`${address} cannot be asked: ${other.error}`)
    else if (asked.every(({ name }) => name !== other.value.name)) asked.push(other.value)
  }
  const client = new ApiClient(invocation)
  const get = <T>(path: string, shape: z.ZodType<T>) => askJson(client, { method: 'GET', path }, shape)
  return ok({
    cluster: cluster.value,
    asked,
    unasked,
    forecast: await get('/v1/connect/ca/forecast', forecastSchema),
    status: await get('/v1/acl/status', statusSchema),
    replication: await get('/v1/acl/replication', replicationSchema),
    keyrings: await get('/v1/operator/keyring', z.array(keyringSchema)),
  })
}
