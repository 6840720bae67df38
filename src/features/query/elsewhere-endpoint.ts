import { z } from 'zod'
import { err, ok, type Result } from '../../base/result.ts'
import type { HealthServiceEntry } from '../../model/catalog.ts'
import type { Failure } from '../../model/failure.ts'
import { noChange } from '../../model/log-position.ts'
import { areHealthEntries } from '../catalog/replies.ts'
import { open, within } from '../contract/access.ts'
import type { ServerEndpoint } from '../contract/endpoint.ts'
import type { ReadMeta } from '../contract/reading.ts'
import { checkedWith, readMeta, textsReply } from '../contract/reply.ts'
import type { WithDatacenters, WithPlace, WithState } from '../contract/server-context.ts'
import { datacentersByDistance } from '../discovery/datacenters.ts'
import { executeRemoteEndpoint } from './execute-endpoints.ts'
import type { ServiceQuery } from './model.ts'
import { resolveQuery } from './views.ts'

/** The part of the server that these endpoints use. */
type ElsewhereServer = WithState & WithPlace & WithDatacenters

const elsewhereArgs = z.object({
  idOrName: z.string(),
  segment: z.string(),
  connect: z.boolean(),
  /** A datacenter that the query fails over to. */
  datacenter: z.string(),
  stale: z.boolean(),
})
export type ElsewhereArgs = z.infer<typeof elsewhereArgs>

export interface FoundElsewhere {
  readonly entries: readonly HealthServiceEntry[]
  readonly meta: ReadMeta
}

/**
 * Executes a query with a token of its own in another datacenter: the servers of its own datacenter do this, because
 * agents do not receive the token. Only for the query's failover datacenters, and only for its service.
 */
export const executeElsewhereEndpoint: ServerEndpoint<ElsewhereArgs, FoundElsewhere, ElsewhereServer> = {
  method: 'PreparedQuery.ExecuteElsewhere',
  kind: 'server',
  args: elsewhereArgs,
  reply: z.object({ entries: checkedWith(areHealthEntries), meta: readMeta }),
  leader: true,
  access: within('it finds what the token of the query may read, for every caller'),
  serve: executeElsewhere,
}

async function executeElsewhere(
  server: ElsewhereServer,
  { idOrName, segment, connect, datacenter, stale }: ElsewhereArgs,
): Promise<Result<FoundElsewhere, Failure>> {
  const resolved = resolveQuery(server.read(), idOrName, segment)
  if (resolved.kind !== 'found' || resolved.query.token === '') return changed
  const { service, token } = resolved.query
  const wan = server.wan()
  const others = wan === undefined ? [] : datacentersByDistance(wan, server.datacenter)
  const isOther = datacenter !== server.datacenter && failoverDatacenters(service, others).includes(datacenter)
  if (!isOther) return changed
  const read = {
    consistency: stale ? 'stale' : 'default',
    minIndex: noChange,
    waitMs: 0,
    maxStaleMs: 0,
    datacenter,
  } as const
  const found = await server.readElsewhere(executeRemoteEndpoint, { service, connect }, read, token)
  return found.ok ? ok({ entries: found.value.value, meta: found.value.meta }) : found
}

const changed = err({ kind: 'refused', message: 'the query has changed meanwhile' } as const)

/**
 * The datacenters in which a query is tried after its own, in order: this many of the nearest, then those that it names
 * and that exist, each once. `others` are all but its own, the nearest first.
 */
export function failoverDatacenters({ failover }: ServiceQuery, others: readonly string[]): readonly string[] {
  const known = new Set(others)
  const named = (failover.datacenters ?? []).filter((datacenter) => known.has(datacenter))
  return [...new Set([...others.slice(0, failover.nearestN), ...named])]
}

export function failsOver({ failover }: ServiceQuery): boolean {
  return failover.nearestN > 0 || (failover.datacenters ?? []).length > 0
}

const noArgs = z.object({})

/** Datacenters that a query may fail over to, the nearest first, without the asked one. */
export const otherDatacentersEndpoint: ServerEndpoint<
  z.infer<typeof noArgs>,
  readonly string[],
  WithPlace & WithDatacenters
> = {
  method: 'PreparedQuery.OtherDatacenters',
  kind: 'server',
  args: noArgs,
  reply: textsReply,
  access: open('names of datacenters, which every caller may see'),
  leader: false,
  serve: async (server) => {
    const wan = server.wan()
    const own = server.datacenter
    return ok(wan === undefined ? [] : datacentersByDistance(wan, own).filter((datacenter) => datacenter !== own))
  },
}
