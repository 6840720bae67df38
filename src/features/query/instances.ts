import { itemAt } from '../../base/items.ts'
import { lowerAscii } from '../../base/letter-case.ts'
import { addressRecordOf } from '../../dns-wire/ip-address.ts'
import type { RandomStream } from '../../env/random.ts'
import type { CatalogService, HealthServiceEntry } from '../../model/catalog.ts'
import { distanceBetween } from '../../model/coordinate.ts'
import type { ModifyIndex } from '../../model/log-position.ts'
import type { ReadTransaction } from '../../store/types.ts'
import { allNodes, healthOfService, ofService, ofWaysTo } from '../catalog/views.ts'
import { coordinateOfNode, coordinatesIndex } from '../discovery/nearness.ts'
import type { ServiceQuery } from './model.ts'

interface InstancesFound {
  /** The index at which answers about the service last changed. */
  readonly index: ModifyIndex
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

/** The caller, for sorting by distance. */
interface Origin {
  /** The asked agent. */
  readonly node: string
  /** The caller's address. */
  readonly ip: string
  /** A node that the caller named, which takes precedence over the query's own; empty for none. */
  readonly near: string
}

export interface Nearness {
  /** The node by whose distance the instances are sorted; empty: unsorted. */
  readonly near: string
  /** The distance of each entry; equal distances keep their order. Null: unknown. */
  readonly distances: readonly number[] | null
  /** The caller's address counts. Absent if a server of an earlier release does not say. */
  readonly byAddress?: boolean
}

/**
 * The distance of nodes without coordinates, and of those that are farther than any network. A finite number, because
 * infinity does not travel between agents: with it, agents that ask a server could not read the whole result.
 */
const unknownDistance = 1e12

/** Distances of the instances from the node that counts. Coordinates are not watched, as in `coordinate/views.ts`. */
export function nearnessOf(
  tx: ReadTransaction,
  ownNear: string,
  origin: Origin | null,
  entries: readonly HealthServiceEntry[],
): Nearness {
  const named = origin === null || origin.near === '' ? ownNear : origin.near
  const near = origin === null ? '' : nodeMeant(tx, named, origin)
  const byAddress = origin !== null && named === '_ip'
  if (near === '') return { near, distances: null, byAddress }
  // Read so that a cached result is dropped once coordinates have changed.
  coordinatesIndex(tx)
  const distances = tx.covered((read) => {
    const from = coordinateOfNode(read, near)?.coordinate
    if (from === undefined) return null
    return entries.map(({ node }) => {
      const to = coordinateOfNode(read, node.node)?.coordinate
      return to === undefined ? unknownDistance : Math.min(distanceBetween(from, to), unknownDistance)
    })
  })
  return { near, distances, byAddress }
}

function nodeMeant(tx: ReadTransaction, named: string, { node, ip }: Origin): string {
  if (named === '_agent') return node
  if (named !== '_ip') return named
  const isCaller = isAddress(ip)
  if (ip !== '') for (const known of allNodes(tx)) if (isCaller(known.address)) return known.node
  return ''
}

/** Whether a text is this address: an IPv6 address has many texts, and one of them may stand for an IPv4 address. */
function isAddress(ip: string): (text: string) => boolean {
  const value = addressRecordOf(ip)?.address
  if (value === undefined) return (text) => text === ip
  return (text) => text === ip || text === value || (text.includes(':') && addressRecordOf(text)?.address === value)
}

/** The items in a new random order (Fisher and Yates). */
export function shuffled<T extends NonNullable<unknown>>(items: readonly T[], random: RandomStream): T[] {
  const out = [...items]
  for (let i = out.length - 1; i > 0; i--) {
    const j = random.below(i + 1)
    const item = itemAt(out, i)
    out[i] = itemAt(out, j)
    out[j] = item
  }
  return out
}
