import { z } from 'zod'
import { labelsOf } from '../../model/metric-labels.ts'
import { hasBehaviour, newestRelease, type Release } from '../../model/release.ts'
import type { CountedMetric } from '../contract/endpoint.ts'

/**
 * The tags that instances must have, as agents send them to servers. Before `several-tags` the member is one text,
 * since then a list under another name, so a reader of one finds the other empty. The behaviour between agents of
 * different releases follows from these forms alone, wherever a request was forwarded.
 */
export interface TagFilter {
  readonly serviceTag?: string | undefined
  readonly serviceTags?: readonly string[] | undefined
  /** Whether instances are filtered. */
  readonly tagFilter?: boolean | undefined
}

export const tagFilterFields = {
  serviceTag: z.string().optional(),
  serviceTags: z.array(z.string()).readonly().optional(),
  tagFilter: z.boolean().optional(),
}

/** What an agent of this release sends for its client's tags, all of which an instance must have. */
export function tagsSent(tags: readonly string[], release: Release = newestRelease): TagFilter {
  const [first] = tags
  if (first === undefined) return {}
  return hasBehaviour(release, 'several-tags') ? { serviceTags: tags, tagFilter: true } : oneTagSent(first)
}

/** What every release sends for a single tag where there can be no other, as in DNS. */
export function oneTagSent(tag: string): TagFilter {
  return { serviceTag: tag, tagFilter: true }
}

/**
 * The tags that an instance must have, as a server of this release reads them. `onlyLists`: for requests in the form of
 * `several-tags`, this server reads nothing else.
 */
export function tagsRead(filter: TagFilter, release: Release = newestRelease, onlyLists = false): readonly string[] {
  const { serviceTag = '', serviceTags = [], tagFilter } = filter
  if (tagFilter !== true) return []
  if (!hasBehaviour(release, 'several-tags')) return [serviceTag]
  return serviceTag === '' || onlyLists ? serviceTags : [serviceTag]
}

interface Asked extends TagFilter {
  readonly service: string
  readonly connect?: boolean | undefined
}

/**
 * Metrics of the reads of services. Reference: telemetry.md#metric-catalog-service, telemetry.md#metric-health-service.
 */
export function discoveryCounts(
  area: 'catalog' | 'health',
): (asked: Asked, found: readonly unknown[]) => readonly CountedMetric[] {
  const services = namesOf(`${area}.service`)
  const connect = namesOf(`${area}.connect`)
  return (asked, found) => {
    const names = asked.connect === true ? connect : services
    const labels = labelsOf(['service', asked.service])
    const counts = [{ name: names.query, labels }]
    const { serviceTag = '', serviceTags = [] } = asked
    const ofTag = (tag: string): readonly [string, string] => ['tag', tag]
    if (serviceTags.length > 0) {
      counts.push({ name: names.tags, labels: labelsOf(['service', asked.service], ...serviceTags.map(ofTag)) })
    } else if (serviceTag !== '') {
      counts.push({ name: names.tag, labels: labelsOf(['service', asked.service], ofTag(serviceTag)) })
    }
    return found.length > 0 ? counts : [...counts, { name: names.notFound, labels }]
  }
}

/** Made once, because each read is counted. `tag`: one tag in the form of older agents; `tags`: any number. */
function namesOf(area: string): Readonly<Record<'query' | 'tag' | 'tags' | 'notFound', string>> {
  return {
    query: `${area}.query`,
    tag: `${area}.query-tag`,
    tags: `${area}.query-tags`,
    notFound: `${area}.not-found`,
  }
}
