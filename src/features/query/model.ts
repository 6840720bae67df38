import { z } from 'zod'
import type { TextPairs } from '../../model/catalog.ts'
import type { ModifyIndex } from '../../model/log-position.ts'
import { textPairs } from '../contract/fields.ts'
import { indexValue, textList, textMap } from '../http/declared.ts'

/** The search of a query. Reference: prepared-queries.md#query-object. */
export interface ServiceQuery {
  readonly service: string
  /** Datacenters to try if nothing is found here: this many of the nearest, then these by name. */
  readonly failover: { readonly nearestN: number; readonly datacenters: readonly string[] | null }
  /** True: only instances with all checks passing. False: all instances without a critical check. */
  readonly onlyPassing: boolean
  /** Checks that are ignored. */
  readonly ignoreCheckIds: readonly string[] | null
  /** A node: results nearer to it come first. `_agent` is the asked agent, `_ip` the node with the caller's address. */
  readonly near: string
  /** Instances must have all of these; `!tag` must be absent. */
  readonly tags: readonly string[] | null
  /** Metadata pairs that the node must have. */
  readonly nodeMeta: TextPairs | null
  /** Only instances that can be reached through the mesh. */
  readonly connect: boolean
}

interface QueryTemplate {
  /** Empty: the query is not a template. */
  readonly type: string
  /** Its groups are the values of `${match(N)}`. */
  readonly regexp: string
  /** Tags that are empty after rendering are dropped. */
  readonly removeEmptyTags: boolean
}

/** The client's definition of a query. */
export interface QueryDefinition {
  /** Unique without case; for a template, the prefix of the names that it answers. May be empty. */
  readonly name: string
  /** The session whose end removes the query; empty: none. */
  readonly session: string
  /** The token whose rights count when it is executed; empty: the caller's. */
  readonly token: string
  readonly template: QueryTemplate
  readonly service: ServiceQuery
  /** `ttl`: a duration in its given spelling, or empty. */
  readonly dns: { readonly ttl: string }
}

export interface QueryRow extends QueryDefinition {
  /** A UUID in lower case. */
  readonly id: string
  readonly createIndex: ModifyIndex
  readonly modifyIndex: ModifyIndex
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

const texts = z.array(z.string()).readonly()

/** The search of a query, in requests, in commands and in snapshots. */
export const serviceQueryFields = z.strictObject({
  service: z.string(),
  failover: z.strictObject({ nearestN: z.number().int(), datacenters: texts.nullable() }),
  onlyPassing: z.boolean(),
  ignoreCheckIds: texts.nullable(),
  near: z.string(),
  tags: texts.nullable(),
  nodeMeta: textPairs.nullable(),
  connect: z.boolean(),
})

/** A query without its ID. */
export const definitionFields = {
  name: z.string(),
  session: z.string(),
  token: z.string(),
  template: z.strictObject({ type: z.string(), regexp: z.string(), removeEmptyTags: z.boolean() }),
  service: serviceQueryFields,
  dns: z.strictObject({ ttl: z.string() }),
}

export const queryId = z.string().length(36)
