import { z } from 'zod'
import type { TextPairs } from '../../model/catalog.ts'
import { indexValue, textList, textMap } from '../http/declared-answers.ts'

/** Which instances a query finds. Reference: prepared-queries.md#query-object. */
export interface ServiceQuery {
  readonly service: string
  /** Datacenters that are asked when nothing is found here: this many of the nearest, then these by name. */
  readonly failover: { readonly nearestN: number; readonly datacenters: readonly string[] | null }
  /** Only instances of which every check passes; else all that have no critical one. */
  readonly onlyPassing: boolean
  /** Checks that count as absent. */
  readonly ignoreCheckIds: readonly string[] | null
  /** A node: what is nearer to it comes first. `_agent`: the agent that is asked. `_ip`: the node that has the caller's address. */
  readonly near: string
  /** All of these; `!tag` must be absent. */
  readonly tags: readonly string[] | null
  /** Pairs that the node has. */
  readonly nodeMeta: TextPairs | null
  /** Only instances that can be reached through the mesh. */
  readonly connect: boolean
}

export interface QueryTemplate {
  /** Empty: the query is no template. */
  readonly type: string
  /** Its groups are what `${match(N)}` stands for. */
  readonly regexp: string
  /** Tags that come out empty are dropped. */
  readonly removeEmptyTags: boolean
}

/** What a client says of a query. */
export interface QueryDefinition {
  /** Unique, whatever the case of its letters; of a template, what the names begin with that it answers. May be empty. */
  readonly name: string
  /** The session with which the query goes; empty: it stays. */
  readonly session: string
  /** Whose rights count when it is executed; empty: the caller's. */
  readonly token: string
  readonly template: QueryTemplate
  readonly service: ServiceQuery
  /** `ttl`: a duration as it was given, or empty. */
  readonly dns: { readonly ttl: string }
}

export interface QueryRow extends QueryDefinition {
  /** A UUID in lower case. */
  readonly id: string
  readonly createIndex: number
  readonly modifyIndex: number
}

export const templateType = 'name_prefix_match'

export function isTemplate({ template }: Pick<QueryDefinition, 'template'>): boolean {
  return template.type !== ''
}

const serviceShape = z.strictObject({
  Service: z.string(),
  Failover: z.strictObject({ NearestN: z.number().int(), Datacenters: textList.nullable() }),
  OnlyPassing: z.boolean(),
  IgnoreCheckIDs: textList.nullable(),
  Near: z.string(),
  Tags: textList.nullable(),
  NodeMeta: textMap.nullable(),
  Connect: z.boolean(),
})

/** Reference: prepared-queries.md#query-object. */
export const queryShape = z
  .strictObject({
    ID: z.string(),
    Name: z.string(),
    Session: z.string(),
    Token: z.string(),
    Template: z.strictObject({ Type: z.string(), Regexp: z.string(), RemoveEmptyTags: z.boolean() }),
    Service: serviceShape,
    DNS: z.strictObject({ TTL: z.string() }),
    CreateIndex: indexValue,
    ModifyIndex: indexValue,
  })
  .meta({ id: 'PreparedQuery' })

export function queryJson(row: QueryRow): z.infer<typeof queryShape> {
  const { id, name, session, token, template, service, dns, ...indexes } = row
  return {
    ID: id,
    Name: name,
    Session: session,
    Token: token,
    Template: { Type: template.type, Regexp: template.regexp, RemoveEmptyTags: template.removeEmptyTags },
    Service: serviceJson(service),
    DNS: { TTL: dns.ttl },
    CreateIndex: indexes.createIndex,
    ModifyIndex: indexes.modifyIndex,
  }
}

function serviceJson(service: ServiceQuery): z.infer<typeof serviceShape> {
  return {
    Service: service.service,
    Failover: { NearestN: service.failover.nearestN, Datacenters: service.failover.datacenters },
    OnlyPassing: service.onlyPassing,
    IgnoreCheckIDs: service.ignoreCheckIds,
    Near: service.near,
    Tags: service.tags,
    NodeMeta: service.nodeMeta === null ? null : Object.fromEntries(service.nodeMeta),
    Connect: service.connect,
  }
}
