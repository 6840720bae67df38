import type { z } from 'zod'
import type { TextPairs } from '../../model/catalog.ts'
import type { QueryParameter } from '../contract/operation.ts'
import {
  declared,
  type NamesOf,
  type QueryParameters,
  type Route,
  type RouteRequest,
  type RouteResponse,
} from '../contract/route.ts'
import type { WithSelf } from '../contract/route-context.ts'
import type { WithRelease } from '../contract/surroundings.ts'
import { cacheControl, discoveryHeaders, jsonAnswer, listOf } from '../http/declared.ts'
import { nearOf, nodeMetaOf } from './reads.ts'
import { type TagFilter, tagsSent } from './tag-filter.ts'

/** How a slice shows the instances of a service. */
interface InstanceReads<Context, Parameters extends readonly QueryParameter[]> {
  readonly query: Parameters
  /** Shape of one instance. */
  readonly shape: z.ZodType
  /** `connect`: only those that can be reached through the mesh. */
  readonly handle: (
    context: Context,
    request: RouteRequest<NamesOf<Parameters>>,
    connect: boolean,
  ) => Promise<RouteResponse>
}

/** The route of the instances of a service, or with `connect` of those that can be reached through the mesh. */
export function instancesRoute<Context, const Parameters extends readonly QueryParameter[]>(
  path: string,
  summary: string,
  connect: boolean,
  { query, shape, handle }: InstanceReads<Context, Parameters>,
): Route<Context> {
  return {
    path,
    ...(connect ? { since: 'mesh' as const } : {}),
    rest: { name: 'service', about: 'Name of a service.' },
    operations: {
      GET: declared({
        summary,
        access: { asks: 'node:read and service:read of each' },
        query,
        headers: [cacheControl],
        answers: [jsonAnswer('Instances.', listOf(shape), discoveryHeaders)],
        handle: (context, request) => handle(context, request, connect),
      }),
    },
  }
}

/** The arguments of such a read, as every endpoint of instances takes them. */
export function instancesAsked(
  context: WithRelease & WithSelf,
  query: QueryParameters<'tag' | 'near' | 'node-meta'>,
  service: string,
  connect: boolean,
): TagFilter & {
  readonly service: string
  readonly connect: boolean
  readonly nodeMeta?: TextPairs
  readonly near?: string
} {
  const tags = tagsSent(query.all('tag'), context.release)
  return { service, ...tags, connect, ...nodeMetaOf(query), ...nearOf(context, query) }
}
