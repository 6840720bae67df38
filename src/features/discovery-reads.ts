import { textOfByteString } from '../base/bytes.ts'
import type { Json } from '../base/json.ts'
import type { TextPairs } from '../model/catalog.ts'
import type { AgentContext, QueryEndpoint, QueryParameters, ReadMeta, RouteRequest, RouteResponse } from './manifest.ts'
import { parseReadOptions } from './read-options.ts'
import { answered, badRequest, failed } from './responses.ts'

/** A read of nodes, services or checks. */
export interface DiscoveryRead<Args, Reply> {
  readonly endpoint: QueryEndpoint<Args, Reply>
  /** The line for a path that does not name what it must; none where the path names nothing. */
  readonly missing?: string
  /** `name`: what the path names. */
  args(name: string): Args
  json(reply: Reply): Json
  /** Names what `json` shows of the reply, where it depends on more than the reply. */
  readonly form?: string
}

/**
 * Answers a read out of the catalog. These reads say how consistent they were (HTTP API 1.7). `near` is accepted and leaves
 * the order as it is, which is what it does where nodes have no coordinates; `cached` is answered as any read is, for this
 * agent keeps no answers.
 */
export async function discoveryRead<Args, Reply>(
  agent: AgentContext,
  request: RouteRequest,
  { endpoint, missing, args, json, form }: DiscoveryRead<Args, Reply>,
): Promise<RouteResponse> {
  const options = parseReadOptions(agent, request.query)
  if (!options.ok) return failed(options.error)
  if (missing !== undefined && request.rest === '') return badRequest(missing)
  const answer = await agent.query(endpoint, args(textOfByteString(request.rest)), options.value, request.call)
  if (!answer.ok) return { kind: 'failure', failure: answer.error, meta: nothingRead }
  return answered(answer.value, form ?? endpoint.method, json, options.value.consistency)
}

/** What goes with a read that failed. Reference: HTTP API 1.3. */
const nothingRead: ReadMeta = { index: 1, knownLeader: false, lastContactMs: 0 }

/** `node-meta=key:value`, as often as it was given. A key alone asks for an empty value. Reference: HTTP API 1.5. */
export function nodeMetaOf(query: QueryParameters): { readonly nodeMeta?: TextPairs } {
  const given = query.all('node-meta')
  if (given.length === 0) return {}
  const nodeMeta = given.map((text): readonly [string, string] => {
    const colon = text.indexOf(':')
    return colon < 0 ? [text, ''] : [text.slice(0, colon), text.slice(colon + 1)]
  })
  return { nodeMeta }
}
