import { z } from 'zod'
import { ok } from '../../../base/result.ts'
import { type ModifyIndex, noChange } from '../../../model/log-position.ts'
import { open } from '../../contract/access.ts'
import type { ServerEndpoint } from '../../contract/endpoint.ts'
import { stateIndex } from '../../contract/fields.ts'
import type { WithDuties, WithPlace, WithServerAccess } from '../../contract/server-context.ts'
import type { WithEnv } from '../../contract/surroundings.ts'
import { eitherSystem, isPrimary } from '../asked.ts'
import { tokensDuty } from '../duty.ts'
import { timeText } from '../model.ts'
import type { Progress } from './replication-duty.ts'

/** The server as far as this duty uses it. */
type ReplicationStatusServer = WithEnv & WithDuties & WithPlace & WithServerAccess

const replicationStatus = z.object({
  running: z.boolean(),
  source: z.string(),
  type: z.enum(['', 'legacy', 'policies', 'tokens']),
  index: stateIndex,
  tokenIndex: stateIndex,
  lastSuccessMs: z.number(),
  lastErrorMs: z.number(),
  lastError: z.string(),
  lagMs: z.number(),
})

/** The state of replication in a secondary datacenter. */
export interface ReplicationStatus {
  readonly running: boolean
  /** Empty: nothing is replicated to this datacenter. */
  readonly source: string
  readonly type: '' | 'legacy' | 'policies' | 'tokens'
  /** Index of the source up to which everything is replicated: for policies (or legacy tokens), and for tokens. */
  readonly index: ModifyIndex
  readonly tokenIndex: ModifyIndex
  /** By the wall clock; 0: never. */
  readonly lastSuccessMs: number
  readonly lastErrorMs: number
  readonly lastError: string
  /** Upper bound of how old the replicated data are; -1: this leader has not completed a round yet. */
  readonly lagMs: number
}

const nothing: ReplicationStatus = {
  running: false,
  source: '',
  type: '',
  index: noChange,
  tokenIndex: noChange,
  lastSuccessMs: 0,
  lastErrorMs: 0,
  lastError: '',
  lagMs: -1,
}

/** As the leader reports it, which replicates. */
export const replicationStatusEndpoint: ServerEndpoint<
  Record<string, never>,
  ReplicationStatus,
  ReplicationStatusServer
> = {
  method: 'ACL.ReplicationStatus',
  kind: 'server',
  args: z.strictObject({}),
  reply: replicationStatus,
  leader: true,
  access: open('shows the progress of the copies, and nothing of their content'),
  serve: async (server) => {
    const access = eitherSystem(server)
    if (!access.ok) return access
    const source = access.value.primaryDatacenter
    return ok(isPrimary(server, access.value) ? nothing : { ...statusOf(server), source })
  },
}

function statusOf(server: WithEnv & WithDuties): ReplicationStatus {
  const replicators = server.duty(tokensDuty)?.replicators
  const first = replicators?.legacy ?? replicators?.policies
  if (first === undefined) return nothing
  const second = replicators?.tokens
  const all = second === undefined ? [first.progress] : [first.progress, second.progress]
  const lastErrorMs = Math.max(...all.map((each) => each.lastErrorMs))
  return {
    running: true,
    source: '',
    type: replicators?.legacy !== undefined ? 'legacy' : second === undefined ? 'policies' : 'tokens',
    index: first.progress.index,
    tokenIndex: second?.progress.index ?? noChange,
    lastSuccessMs: Math.min(...all.map((each) => each.lastSuccessMs)),
    lastErrorMs,
    lastError: all.find((each) => each.lastErrorMs === lastErrorMs)?.lastError ?? '',
    lagMs: lagOf(server, all),
  }
}

function lagOf({ env }: WithEnv, all: readonly Progress[]): number {
  const fresh = all.map(({ freshMs }) => freshMs)
  const oldest = fresh.reduce((least, ms) =>
    least === undefined || ms === undefined ? undefined : Math.min(least, ms),
  )
  return oldest === undefined ? -1 : Math.round(env.clock.monoMs() - oldest)
}

/** The last two members are additions of this product. Reference: access-control.md#replication-status. */
export const replicationShape = z
  .strictObject({
    Enabled: z.boolean(),
    Running: z.boolean(),
    SourceDatacenter: z.string(),
    ReplicationType: z.enum(['', 'legacy', 'policies', 'tokens']),
    ReplicatedIndex: z.number(),
    ReplicatedTokenIndex: z.number(),
    LastSuccess: z.string(),
    LastError: z.string(),
    LastErrorMessage: z.string(),
    LagMilliseconds: z.number().meta({ description: '-1: not everything has been copied yet.' }),
  })
  .meta({ id: 'AclReplication' })

export function replicationJson(status: ReplicationStatus): z.infer<typeof replicationShape> {
  return {
    Enabled: status.source !== '',
    Running: status.running,
    SourceDatacenter: status.source,
    ReplicationType: status.type,
    ReplicatedIndex: status.index,
    ReplicatedTokenIndex: status.tokenIndex,
    LastSuccess: timeText(status.lastSuccessMs),
    LastError: timeText(status.lastErrorMs),
    LastErrorMessage: status.lastError,
    LagMilliseconds: status.lagMs,
  }
}
