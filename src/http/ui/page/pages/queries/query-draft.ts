import type { QueryDefinition } from '../../api/access-shapes.ts'

/** A query as its form has it. Lists are texts with commas. */
export interface QueryDraft {
  readonly name: string
  readonly service: string
  readonly isTemplate: boolean
  readonly onlyPassing: boolean
  readonly tags: string
  readonly near: string
  readonly nearestN: string
  readonly datacenters: string
  readonly ttl: string
}

export function queryDraft(query: QueryDefinition | undefined): QueryDraft {
  const { Service: service } = query ?? {}
  return {
    name: query?.Name ?? '',
    service: service?.Service ?? '',
    isTemplate: (query?.Template?.Type ?? '') !== '',
    onlyPassing: service?.OnlyPassing ?? false,
    tags: textOf(service?.Tags),
    near: service?.Near ?? '',
    nearestN: String(service?.Failover.NearestN ?? 0),
    datacenters: textOf(service?.Failover.Datacenters),
    ttl: query?.DNS.TTL ?? '',
  }
}

/** The body of the request; members that the form does not have are those of the former query. */
export function bodyOf(query: QueryDefinition | undefined, draft: QueryDraft): object {
  const { name, service, isTemplate, onlyPassing, tags, near, nearestN, datacenters, ttl } = draft
  const { Tags, Failover } = query?.Service ?? {}
  return {
    ...query,
    Name: name,
    Template: isTemplate ? (isGiven(query?.Template) ? query?.Template : { Type: 'name_prefix_match' }) : undefined,
    Service: {
      ...query?.Service,
      Service: service,
      OnlyPassing: onlyPassing,
      Tags: listOf(tags, Tags),
      Near: near,
      Failover: { ...Failover, NearestN: Number(nearestN), Datacenters: listOf(datacenters, Failover?.Datacenters) },
    },
    DNS: { TTL: ttl },
  }
}

function isGiven(template: QueryDefinition['Template']): boolean {
  return (template?.Type ?? '') !== ''
}

type List = readonly string[] | null | undefined

function textOf(list: List): string {
  return (list ?? []).join(', ')
}

/** The list that was typed. What was in the list `before` stays whole where it has commas itself, as tags may. */
function listOf(text: string, before: List): readonly string[] {
  if (text === textOf(before)) return before ?? []
  const whole = (before ?? []).map((each) => each.trim()).filter((each) => each.includes(','))
  const longestFirst = whole.sort((a, b) => b.length - a.length).map((each) => each.replace(/[^\w,]/g, '\\$&'))
  const item = new RegExp(`\\s*(${[...longestFirst, '[^,]*?'].join('|')})\\s*(?:,|$)`, 'gy')
  return [...text.matchAll(item)].map(([, each = '']) => each).filter((each) => each !== '')
}
