import { lowerAscii } from '../../base/letter-case.ts'
import type { CatalogService, HealthServiceEntry } from '../../model/catalog.ts'
import type { ReadTransaction } from '../../store/types.ts'
import { healthOfService, ofService } from '../catalog/views.ts'
import type { ServiceQuery } from './model.ts'

export interface InstancesFound {
  /** At which what is told of the service last changed. */
  readonly index: number
  readonly entries: readonly HealthServiceEntry[]
}

/** The instances that a query looks for, in the order of the catalog. Reference: HTTP API 10. */
export function instancesOfQuery(tx: ReadTransaction, wanted: ServiceQuery, connect: boolean): InstancesFound {
  // Nothing in the catalog says of any instance yet that it can be reached through the mesh.
  if (wanted.connect || connect) return { index: 0, entries: [] }
  const { required, refused } = sortedTags(wanted.tags ?? [])
  const ignored = new Set(wanted.ignoreCheckIds ?? [])
  const found = ofService(tx, wanted.service, (read) =>
    healthOfService(read, wanted.service, required, wanted.nodeMeta ?? []),
  )
  const entries = found.value.filter(
    (entry) => isHealthy(entry, wanted.onlyPassing, ignored) && !hasAnyTag(entry.service, refused),
  )
  return { index: found.index, entries }
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
