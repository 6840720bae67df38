import { equalPlain } from '../../base/shape.ts'
import {
  type CheckFacts,
  membershipCheckId,
  type NodeFacts,
  type ServiceFacts,
  type TextPairs,
} from '../../model/catalog.ts'
import { type Comparison, itemKey } from './entries.ts'
import type { LocalState } from './local-state.ts'
import type { NodeDump } from './parts.ts'
import { unseenOf, type View, wholeView } from './unseen.ts'

/**
 * Compares the agent's services and checks with the catalog's entries for its node. The agent's version wins, except
 * for tags of a service with tag override. The leader owns the membership check and, on servers, the service
 * `leaders`. `view` says what the dump could show; absent: everything. Reference: catalog.md#anti-entropy.
 */
export function compare(
  local: LocalState,
  dump: NodeDump | null,
  leaders: string | undefined,
  { sees, isWhole }: View = wholeView,
): Comparison {
  const nothing: NodeDump = { node: local.node, services: [], checks: [] }
  const { node, services, checks } = dump ?? nothing
  const unseen = unseenOf(local, { services, checks }, sees)
  const overriddenTags = new Map<string, readonly string[]>()
  for (const remote of services) {
    const own = local.service(remote.id)
    if (own === undefined || own.declared || !own.facts.enableTagOverride) continue
    if (!sameTexts(own.facts.tags, remote.tags)) overriddenTags.set(own.facts.id, remote.tags)
  }
  const held = new Map(local.services().map((facts) => [itemKey(facts.id), facts]))
  const run = new Map(local.checks().map((facts) => [itemKey(facts.checkId), facts]))
  const equalServices = services.filter((remote) => {
    const facts = held.get(itemKey(remote.id))
    return facts !== undefined && sameService({ ...facts, tags: overriddenTags.get(facts.id) ?? facts.tags }, remote)
  })
  const equalChecks = checks.filter((remote) => {
    const facts = run.get(itemKey(remote.checkId))
    if (facts === undefined) return false
    const serviceTags = overriddenTags.get(facts.serviceId) ?? facts.serviceTags
    const output = local.isOutputDeferred(facts.checkId) ? remote.output : facts.output
    return sameCheck({ ...facts, serviceTags, output }, remote)
  })
  return {
    node: dump !== null && sameNode(local.node, node),
    services: {
      equal: new Set(equalServices.map(({ id }) => itemKey(id))),
      present: new Set(services.map(({ id }) => itemKey(id))),
      unseen: unseen.services,
      isWhole,
    },
    checks: {
      equal: new Set(equalChecks.map(({ checkId }) => itemKey(checkId))),
      present: new Set(checks.map(({ checkId }) => itemKey(checkId))),
      unseen: unseen.checks,
      isWhole,
    },
    overriddenTags,
    strangeServices: services.map(({ id }) => id).filter((id) => !held.has(itemKey(id)) && id !== leaders),
    strangeChecks: checks.filter(({ checkId }) => !run.has(itemKey(checkId)) && checkId !== membershipCheckId),
  }
}

function sameNode(a: NodeFacts, b: NodeFacts): boolean {
  return (
    a.id === b.id &&
    a.address === b.address &&
    samePairs(a.taggedAddresses, b.taggedAddresses) &&
    samePairs(a.meta, b.meta)
  )
}

function sameService(a: ServiceFacts, b: ServiceFacts): boolean {
  return (
    a.kind === b.kind &&
    a.id === b.id &&
    a.service === b.service &&
    sameTexts(a.tags, b.tags) &&
    a.address === b.address &&
    samePairs(a.meta, b.meta) &&
    a.port === b.port &&
    a.weights.passing === b.weights.passing &&
    a.weights.warning === b.weights.warning &&
    a.enableTagOverride === b.enableTagOverride &&
    equalPlain(a.mesh ?? null, b.mesh ?? null)
  )
}

function sameCheck(a: CheckFacts, b: CheckFacts): boolean {
  return (
    a.checkId === b.checkId &&
    a.name === b.name &&
    a.status === b.status &&
    a.notes === b.notes &&
    a.output === b.output &&
    a.serviceId === b.serviceId &&
    a.serviceName === b.serviceName &&
    sameTexts(a.serviceTags, b.serviceTags) &&
    b.definition === null
  )
}

function sameTexts(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, at) => text === b[at])
}

/** Null and an empty set of pairs are equal: the difference does not always survive the wire. */
function samePairs(a: TextPairs | null, b: TextPairs | null): boolean {
  const given = a ?? []
  const other = b ?? []
  return (
    given.length === other.length && given.every(([key, value], at) => key === other[at]?.[0] && value === other[at][1])
  )
}
