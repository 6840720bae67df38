import { z } from 'zod'
import { ok, type Result } from '../base/result.ts'
import { productName } from '../model/names.ts'
import { AclApi } from './acl-api.ts'
import type { ApiClient } from './client.ts'
import { askJson } from './json-client.ts'

const selfSchema = z.object({
  Config: z.object({ Datacenter: z.string() }),
  Stats: z.record(z.string(), z.record(z.string(), z.string())),
})

const membersSchema = z.array(
  z.object({ Name: z.string(), Tags: z.record(z.string(), z.string()), Status: z.number() }),
)

const replicationSchema = z.object({
  Enabled: z.boolean(),
  Running: z.boolean(),
  SourceDatacenter: z.string(),
  ReplicationType: z.string(),
  ReplicatedIndex: z.number(),
  LastSuccess: z.string(),
  LastError: z.string(),
})

/** In the pool, members that are there. */
const alive = 1
/** What servers say of their access control in the pool. Reference: CLI 4. */
const newSystem: ReadonlySet<string> = new Set(['1', '2'])
const never = '0001-01-01T00:00:00Z'

/** Where the access control of a datacenter stands: labels and what follows them. */
export async function standing(
  client: ApiClient,
): Promise<Result<readonly (readonly [label: string, value: string])[], string>> {
  const self = await askJson(client, { method: 'GET', path: '/v1/agent/self' }, selfSchema)
  if (!self.ok) return self
  const mode = self.value.Stats[productName]?.['acl'] ?? 'unknown'
  const { Datacenter } = self.value.Config
  const head = [
    ['Datacenter:', Datacenter],
    ['Mode:', mode],
  ] as const
  if (mode === 'disabled') return ok(head)
  const members = await askJson(client, { method: 'GET', path: '/v1/agent/members' }, membersSchema)
  if (!members.ok) return members
  const waits = members.value.flatMap((member) => waitReason(member, Datacenter))
  const replication = await askJson(client, { method: 'GET', path: '/v1/acl/replication' }, replicationSchema)
  return ok([
    ...head,
    ...(mode === 'legacy' ? [['Waits for:', waits.length === 0 ? 'the leader' : waits.join(', ')] as const] : []),
    ['Tokens:', await tokensText(client, mode)],
    ['Replication:', replication.ok ? replicationText(replication.value) : replication.error],
  ])
}

type Member = z.infer<typeof membersSchema>[number]

/** Why a server keeps its datacenter in legacy mode. */
function waitReason({ Name, Tags, Status }: Member, datacenter: string): readonly string[] {
  if (Tags['role'] !== productName || Tags['dc'] !== datacenter || Status !== alive) return []
  const said = Tags['acls']
  if (said !== undefined && newSystem.has(said)) return []
  const release = Tags['build']?.split(':')[0] ?? 'an unknown release'
  return [said === '0' ? `${Name} (access control is off there)` : `${Name} (it runs ${release})`]
}

async function tokensText(client: ApiClient, mode: string): Promise<string> {
  if (mode === 'legacy') return 'not migrated before the mode changes'
  const tokens = await new AclApi(client).tokens()
  if (!tokens.ok) return tokens.error
  const legacy = tokens.value.filter((token) => token.Legacy === true).length
  const left = tokens.value.filter((token) => token.AccessorID === '').length
  return `${tokens.value.length}, ${legacy} of them legacy; ${left} without an accessor${left === 0 ? ': the migration is complete' : ''}`
}

function replicationText(status: z.infer<typeof replicationSchema>): string {
  if (!status.Enabled) return 'off'
  const { Running, SourceDatacenter, ReplicationType, ReplicatedIndex, LastSuccess, LastError } = status
  const how = `${ReplicationType} from ${SourceDatacenter}, ${Running ? 'running' : 'not running'}, at index ${ReplicatedIndex}`
  return `${how}; last success ${at(LastSuccess)}, last error ${at(LastError)}`
}

function at(moment: string): string {
  return moment === never ? 'never' : moment
}
