import { z } from 'zod'
import { compareText } from '../../base/bytes.ts'
import type { CatalogCheck, CatalogNode, CatalogService, HealthServiceEntry } from '../../model/catalog.ts'
import { checkJson, checkShape, nodeJson, nodeServiceJson, nodeServiceShape, nodeShape } from '../catalog/model.ts'
import { listOf, textList } from '../http/declared.ts'

/** A node with everything on it. */
export interface NodeOverview {
  readonly node: CatalogNode
  readonly services: readonly CatalogService[]
  readonly checks: readonly CatalogCheck[]
}

/** Every instance with its own checks and those of its node. */
export function* instancesIn(overviews: Iterable<NodeOverview>): Generator<HealthServiceEntry> {
  for (const { node, services, checks } of overviews) {
    for (const service of services) {
      yield { node, service, checks: checks.filter(({ serviceId }) => serviceId === '' || serviceId === service.id) }
    }
  }
}

/** Reference: operator.md#v1-internal-ui-nodes. */
export const overviewShape = z
  .strictObject({
    ...nodeShape.shape,
    Services: listOf(z.strictObject({ ...nodeServiceShape.shape, Tags: textList.nullable() })),
    Checks: listOf(z.strictObject({ ...checkShape.shape, ServiceTags: textList.nullable() })),
  })
  .meta({ id: 'NodeOverview' })

/** These endpoints return null for an empty list of tags, unlike others. */
export function overviewJson(
  { node, services, checks }: NodeOverview,
  datacenter: string,
): z.infer<typeof overviewShape> {
  return {
    ...nodeJson(node, datacenter),
    Services: services.map((service) => ({ ...nodeServiceJson(service), Tags: tagsOrNull(service.tags) })),
    Checks: checks.map((check) => ({ ...checkJson(check), ServiceTags: tagsOrNull(check.serviceTags) })),
  }
}

/** Reference: operator.md#v1-internal-ui-services. */
export const summaryShape = z
  .strictObject({
    Kind: z.string().optional(),
    Name: z.string(),
    Tags: z.null(),
    Nodes: textList,
    ChecksPassing: z.number().int(),
    ChecksWarning: z.number().int(),
    ChecksCritical: z.number().int(),
    ExternalSources: textList.nullable(),
  })
  .meta({ id: 'ServiceSummary' })

interface Summary {
  readonly kind: string
  readonly nodes: Set<string>
  readonly counts: Map<string, number>
  readonly sources: Set<string>
}

/**
 * Services by name. Checks of a node count once for each instance on it; checks without a known status are not counted.
 * `Tags` is null for every service, as in the field.
 */
export function summariesJson(overviews: readonly NodeOverview[]): readonly z.infer<typeof summaryShape>[] {
  const summaries = new Map<string, Summary>()
  for (const { node, services, checks } of overviews) {
    for (const service of services) {
      const fresh = (): Summary => ({ kind: service.kind, nodes: new Set(), counts: new Map(), sources: new Set() })
      const summary = summaries.get(service.service) ?? fresh()
      summaries.set(service.service, summary)
      summary.nodes.add(node.node)
      for (const [key, value] of service.meta ?? []) if (key === sourceKey) summary.sources.add(value)
      for (const { serviceId, status } of checks) {
        if (serviceId !== '' && serviceId !== service.id) continue
        summary.counts.set(status, (summary.counts.get(status) ?? 0) + 1)
      }
    }
  }
  return [...summaries].sort(([a], [b]) => compareText(a, b)).map(([name, summary]) => summaryJson(name, summary))
}

/** Service metadata with which external systems mark the services that they registered. */
const sourceKey = 'external-source'

function summaryJson(name: string, { kind, nodes, counts, sources }: Summary): z.infer<typeof summaryShape> {
  return {
    Kind: kind === '' ? undefined : kind,
    Name: name,
    Tags: null,
    Nodes: [...nodes],
    ChecksPassing: counts.get('passing') ?? 0,
    ChecksWarning: counts.get('warning') ?? 0,
    ChecksCritical: counts.get('critical') ?? 0,
    ExternalSources: sources.size === 0 ? null : [...sources].sort(compareText),
  }
}

function tagsOrNull(tags: readonly string[]): readonly string[] | null {
  return tags.length === 0 ? null : tags
}
