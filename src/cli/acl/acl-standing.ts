import { z } from 'zod'
import { ok, type Result } from '../../base/result.ts'
import type { ApiClient } from '../api/client.ts'
import { askJson } from '../api/json-client.ts'

const statusSchema = z.object({
  Mode: z.enum(['legacy', 'new']),
  NewSinceIndex: z.number(),
  MissingServers: z.array(z.object({ Name: z.string(), Datacenter: z.string(), Why: z.string() })),
  TokensLeft: z.number(),
  MigratedTokens: z.number(),
  MigratedBatches: z.number(),
  CompleteSinceIndex: z.number(),
})

const replicationSchema = z.object({
  Enabled: z.boolean(),
  Running: z.boolean(),
  SourceDatacenter: z.string(),
  ReplicationType: z.string(),
  ReplicatedIndex: z.number(),
  ReplicatedTokenIndex: z.number(),
  LastSuccess: z.string(),
  LastError: z.string(),
})

const never = '0001-01-01T00:00:00Z'

/** The state of a datacenter's access control: labels with values. */
export async function standing(
  client: ApiClient,
): Promise<Result<readonly (readonly [label: string, value: string])[], string>> {
  const status = await askJson(client, { method: 'GET', path: '/v1/acl/status' }, statusSchema)
  if (!status.ok) return status
  const replication = await askJson(client, { method: 'GET', path: '/v1/acl/replication' }, replicationSchema)
  const { Mode, NewSinceIndex, MissingServers } = status.value
  const waits = MissingServers.map(({ Name, Datacenter, Why }) => `${Name} in ${Datacenter}, which ${Why}`)
  return ok([
    ['Mode:', Mode === 'legacy' ? 'legacy' : `new, since index ${NewSinceIndex}`],
    ...(waits.length === 0 ? [] : [['Waits for:', waits.join('; ')] as const]),
    ['Migration:', migrationText(status.value)],
    ['Replication:', replication.ok ? replicationText(replication.value) : replication.error],
  ])
}

function migrationText(status: z.infer<typeof statusSchema>): string {
  const { Mode, TokensLeft, MigratedTokens, MigratedBatches, CompleteSinceIndex } = status
  const done = `${counted(MigratedTokens, 'token')} in ${counted(MigratedBatches, 'batch', 'batches')} so far`
  if (CompleteSinceIndex > 0 && TokensLeft === 0) return `complete since index ${CompleteSinceIndex}; ${done}`
  const left = `${counted(TokensLeft, 'legacy token')} without an accessor`
  return Mode === 'legacy' ? `${left}; migration begins when the mode is new` : `${left}; ${done}`
}

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}

function replicationText(status: z.infer<typeof replicationSchema>): string {
  if (!status.Enabled) return 'off'
  const { Running, SourceDatacenter, ReplicationType, LastSuccess, LastError } = status
  const index = ReplicationType === 'tokens' ? status.ReplicatedTokenIndex : status.ReplicatedIndex
  const how = `${ReplicationType} from ${SourceDatacenter}, ${Running ? 'running' : 'not running'}, at index ${index}`
  return `${how}; last success ${at(LastSuccess)}, last error ${at(LastError)}`
}

function at(moment: string): string {
  return moment === never ? 'never' : moment
}
