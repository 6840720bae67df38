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
    tags: (service?.Tags ?? []).join(', '),
    near: service?.Near ?? '',
    nearestN: String(service?.Failover.NearestN ?? 0),
    datacenters: (service?.Failover.Datacenters ?? []).join(', '),
    ttl: query?.DNS.TTL ?? '',
  }
}

/** The body of the request; members that the form does not have are those of the former query. */
export function bodyOf(query: QueryDefinition | undefined, draft: QueryDraft): object {
  const { name, service, isTemplate, onlyPassing, tags, near, nearestN, datacenters, ttl } = draft
  return {
    ...query,
    Name: name,
    Template: isTemplate ? (isGiven(query?.Template) ? query?.Template : { Type: 'name_prefix_match' }) : undefined,
    Service: {
      ...query?.Service,
      Service: service,
      OnlyPassing: onlyPassing,
      Tags: listOf(tags),
      Near: near,
      Failover: { ...query?.Service.Failover, NearestN: Number(nearestN), Datacenters: listOf(datacenters) },
    },
    DNS: { TTL: ttl },
  }
}

function isGiven(template: QueryDefinition['Template']): boolean {
  return (template?.Type ?? '') !== ''
}

function listOf(text: string): readonly string[] {
  return text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')
}
