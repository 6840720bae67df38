import { lowerAscii } from '../../base/letter-case.ts'
import type { CatalogService, HealthServiceEntry } from '../../model/catalog.ts'
import type { ReadTransaction } from '../../store/types.ts'
import { healthOfService, ofService, ofWaysTo } from '../catalog/views.ts'
import type { ServiceQuery } from './model.ts'

export interface InstancesFound {
  /** The index at which answers about the service last changed. */
  readonly index: number
  readonly entries: readonly HealthServiceEntry[]
}

/**
 * The instances that match a query, in the order of the catalog. Reference:
 * prepared-queries.md#query-service-onlypassing, prepared-queries.md#query-service-tags.
 */
export function instancesOfQuery(tx: ReadTransaction, wanted: ServiceQuery, connect: boolean): InstancesFound {
  const { required, refused } = sortedTags(wanted.tags ?? [])
  const ignored = new Set(wanted.ignoreCheckIds ?? [])
  const { connect: isOfMesh } = waysOf(wanted, connect)
  const looked = { tags: required, nodeMeta: wanted.nodeMeta ?? [], connect: isOfMesh }
  const of = isOfMesh ? ofWaysTo : ofService
  const found = of(tx, wanted.service, (read) => healthOfService(read, wanted.service, looked))
  const entries = found.value.filter(
    (entry) => isHealthy(entry, wanted.onlyPassing, ignored) && !hasAnyTag(entry.service, refused),
  )
  return { index: found.index, entries }
}

/** The set of instances that the query searches. */
export function waysOf({ service, connect: isOfMesh }: ServiceQuery, connect: boolean) {
  return { service, connect: isOfMesh || connect }
}

function sortedTags(tags: readonly string[]): { readonly required: string[]; readonly refused: ReadonlySet<string> } {
  const required = tags.filter((tag) => !tag.startsWith('!'))
  const refused = tags.filter((tag) => tag.startsWith('!')).map((tag) => lowerAscii(tag.slice(1)))
  return { required, refused: new Set(refused) }
}

function hasAnyTag({ tags }: CatalogService, refused: ReadonlySet<string>): boolean {
  return refused.size > 0 && tags.some((tag) => refused.has(lowerAscii(tag)))
}

function isHealthy({ checks }: HealthServiceEntry, onlyPassing: boolean, ignored: ReadonlySet<string>): boolean {
  return checks.every(
    ({ checkId, status }) => ignored.has(checkId) || (onlyPassing ? status === 'passing' : status !== 'critical'),
  )
}
