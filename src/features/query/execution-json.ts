import { z } from 'zod'
import type { HealthServiceEntry } from '../../model/catalog.ts'
import { firstChange } from '../../model/log-position.ts'
import { checkJson, checkShape } from '../catalog/model.ts'
import type { Consistency, ReadMeta } from '../contract/reading.ts'
import type { WithSelf } from '../contract/route-context.ts'
import type { WithNaming, WithRelease } from '../contract/surroundings.ts'
import { nodesShown } from '../discovery/datacenters.ts'
import { healthEntryJson, healthEntryShape } from '../health/model.ts'
import { listOf, textList } from '../http/declared.ts'
import type { Execution } from './execution.ts'
import { queryShape } from './model.ts'

const metaShape = {
  Index: z.literal(0),
  LastContact: z.number().meta({ description: 'Nanoseconds.' }),
  KnownLeader: z.boolean(),
  ConsistencyLevel: z.enum(['leader', 'consistent', 'stale']),
} as const

const foundShape = z.strictObject({
  ...healthEntryShape.shape,
  Checks: listOf(z.strictObject({ ...checkShape.shape, ServiceTags: textList.nullable() })),
})

export const executionShape = z.strictObject({
  Service: z.string(),
  Nodes: listOf(foundShape),
  DNS: z.strictObject({ TTL: z.string() }),
  Datacenter: z.string(),
  Failovers: z.number().int(),
  ...metaShape,
})

export const explanationShape = z.strictObject({ Query: queryShape, ...metaShape })

export function executionJson(
  context: WithNaming & WithRelease & WithSelf,
  execution: Execution,
  consistency: Consistency,
): z.infer<typeof executionShape> {
  const { service, entries, dnsTtl, datacenter, failovers, meta } = execution
  const seen = nodesShown(context, datacenter)
  return {
    Service: service,
    Nodes: entries.map((entry) => entryJson({ ...entry, node: seen(entry.node) }, datacenter)),
    DNS: { TTL: dnsTtl },
    Datacenter: datacenter,
    Failovers: failovers,
    ...metaJson(meta, consistency),
  }
}

/** As in health reads, except that a check of a service without tags has null. */
function entryJson(entry: HealthServiceEntry, datacenter: string): z.infer<typeof foundShape> {
  return {
    ...healthEntryJson(entry, datacenter),
    Checks: entry.checks.map((check) => {
      const shown = checkJson(check)
      return check.serviceTags.length === 0 ? { ...shown, ServiceTags: null } : shown
    }),
  }
}

const consistencyNames = { default: 'leader', consistent: 'consistent', stale: 'stale' } as const

/** An answer that does not block has no index. The last contact is in nanoseconds. */
export function metaJson({ knownLeader, lastContactMs }: ReadMeta, consistency: Consistency) {
  return {
    Index: 0 as const,
    LastContact: Math.round(lastContactMs * 1e6),
    KnownLeader: knownLeader,
    ConsistencyLevel: consistencyNames[consistency],
  }
}

export function unindexed(meta: ReadMeta): ReadMeta {
  return { ...meta, index: firstChange }
}
