import { membershipCheckId } from '../../../src/model/catalog.ts'
import { isServerRole } from '../../../src/model/naming/names.ts'
import { type Judge, judgedAtRest } from '../checker.ts'

/** An instance, as an agent holds it or as the catalog lists it. */
export interface SeenService {
  readonly id: string
  readonly service: string
  readonly tags: readonly string[]
  readonly port: number
  readonly enableTagOverride: boolean
}

/** The status of each check, by check ID. */
export type SeenChecks = ReadonlyMap<string, string>

/** The services and checks of an agent's local state. */
export interface HeldNode {
  readonly node: string
  readonly server: boolean
  readonly services: readonly SeenService[]
  readonly checks: SeenChecks
}

/** The catalog's rows of a node; undefined: it has no such node. */
export type ListedNode = { readonly services: readonly SeenService[]; readonly checks: SeenChecks } | undefined

/**
 * E1, for a cluster that nothing disturbs any more: for each running agent, the catalog has exactly the agent's
 * services and checks, the membership check passing, and on servers the product's own service. Tags may differ if the
 * catalog's tags prevail.
 */
export function catalogFaults(held: HeldNode, listed: ListedNode): readonly string[] {
  const { node } = held
  if (listed === undefined) return [`the catalog has no node ${node}`]
  const faults: string[] = []
  const wanted = new Map(held.services.map((service) => [service.id, service] as const))
  for (const service of listed.services) {
    const own = wanted.get(service.id)
    wanted.delete(service.id)
    if (own !== undefined) faults.push(...differences(node, own, service))
    else if (!(held.server && isServerRole(service.id))) {
      faults.push(`the catalog has service ${service.id} on ${node}, which its agent does not have`)
    }
  }
  for (const id of wanted.keys()) faults.push(`the catalog lacks service ${id} of ${node}`)
  return [...faults, ...checkFaults(held, listed.checks)]
}

/** Counts what `catalogFaults` compares for an agent: the node, its services and its checks. */
export function countCatalogOf(
  { judged, excused }: Judge<{ E1: 'tags of the catalog' }>,
  { services, checks }: HeldNode,
): void {
  judged('E1', 1 + services.length + checks.size)
  excused('E1', 'tags of the catalog', services.filter(({ enableTagOverride }) => enableTagOverride).length)
}

function differences(node: string, own: SeenService, listed: SeenService): readonly string[] {
  const of = ({ service, port, tags, enableTagOverride }: SeenService): string =>
    JSON.stringify({ service, port, enableTagOverride, ...(own.enableTagOverride ? {} : { tags }) })
  return of(own) === of(listed)
    ? []
    : [`service ${own.id} of ${node} is ${of(listed)} in the catalog, and ${of(own)} at its agent`]
}

function checkFaults({ node, checks }: HeldNode, listed: SeenChecks): readonly string[] {
  const faults: string[] = []
  const membership = listed.get(membershipCheckId)
  if (membership !== 'passing') faults.push(`the membership check of ${node} is ${membership ?? 'missing'}`)
  for (const [id, status] of checks) {
    const there = listed.get(id)
    if (there !== status)
      faults.push(`check ${id} of ${node} is ${there ?? 'missing'} in the catalog, ${status} at its agent`)
  }
  for (const id of listed.keys()) {
    if (id !== membershipCheckId && !checks.has(id)) {
      faults.push(`the catalog has check ${id} on ${node}, which its agent does not have`)
    }
  }
  return faults
}

export const catalogTruth = judgedAtRest({
  E1: {
    text: 'anti-entropy: within a bound after the last fault the catalog contains exactly what each agent registered',
    sources: ['docs/reference/catalog.md#anti-entropy'],
    evidence: ['catalog', 'members', 'forwards', 'requests'],
    judges: ['agent, service or check', 'agents, services and checks'],
    excuses: {
      'tags of the catalog':
        'The tags of a service that lets the catalog override them may differ; as long as it is registered so.',
    },
  },
})
