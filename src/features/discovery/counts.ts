import type { TagFilter } from './tag-filter.ts'

interface Asked extends TagFilter {
  readonly connect?: boolean | undefined
}

/**
 * Metrics of the reads of services. Reference: telemetry.md#metric-catalog-service, telemetry.md#metric-health-service.
 */
export function discoveryCounts(
  area: 'catalog' | 'health',
): (asked: Asked, found: readonly unknown[]) => readonly string[] {
  const services = countsOf(`${area}.service`)
  const connect = countsOf(`${area}.connect`)
  return (asked, found) => {
    const counts = asked.connect === true ? connect : services
    const tagged = (asked.serviceTags?.length ?? 0) > 0 ? 2 : (asked.serviceTag ?? '') === '' ? 0 : 1
    return counts[tagged * 2 + (found.length === 0 ? 1 : 0)] ?? []
  }
}

/**
 * Names for queries without tags, with one tag in the form of older agents, and with any; each for found and for empty.
 * Made once, because each read is counted.
 */
function countsOf(name: string): readonly (readonly string[])[] {
  return [[], [`${name}.query-tag`], [`${name}.query-tags`]].flatMap((more) => {
    const counts = [`${name}.query`, ...more]
    return [counts, [...counts, `${name}.not-found`]]
  })
}
