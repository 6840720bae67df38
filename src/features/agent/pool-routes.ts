import { z } from 'zod'
import { textOfByteString } from '../../base/bytes.ts'
import { isAddressText } from '../../rpc/address.ts'
import { asking, ofThisAgent } from '../contract/asking.ts'
import {
  badRequest,
  declared,
  failed,
  type NamesOf,
  type Route,
  type RouteRequest,
  type RouteResponse,
} from '../contract/route.ts'
import type { WithJoining, WithLife, WithPools, WithRights, WithSelf } from '../contract/route-context.ts'
import type { WithEnv, WithNaming } from '../contract/surroundings.ts'
import { seesNode } from '../discovery/sight.ts'
import { done, jsonAnswer, listOf, parameter } from '../http/declared.ts'
import { memberJson, memberShape } from './model.ts'

/** The part of the route context that these routes use. */
type PoolContext = WithEnv & WithNaming & WithRights & WithSelf & WithPools & WithJoining & WithLife

const written: RouteResponse = { kind: 'empty', status: 200 }

const changesThisAgent = ofThisAgent('write')
const wanPool = parameter('wan', z.string(), 'If not empty: the WAN pool, of the servers of all datacenters.')
const memberParameters = [
  wanPool,
  parameter('segment', z.string(), 'There are no network segments: only `_all` names some.'),
] as const

/**
 * The pool as the asked agent sees it, and the agent's place in it. Reference: agent.md#get-v1-agent-members,
 * agent.md#put-v1-agent-join-addr, agent.md#member.
 */
export const poolRoutes: readonly Route<PoolContext>[] = [
  {
    path: '/v1/agent/members',
    operations: {
      GET: declared({
        summary: 'Members of the pool',
        access: { asks: 'node:read of each' },
        query: memberParameters,
        answers: [jsonAnswer('Null of a pool that this agent is not in.', listOf(memberShape).nullable())],
        handle: members,
      }),
    },
  },
  {
    path: '/v1/agent/join/',
    rest: { name: 'address', about: 'Of a member, `host:port`.' },
    operations: {
      PUT: declared({
        summary: 'Join a pool through a member',
        access: { asks: 'agent:write' },
        query: [wanPool],
        answers: [done],
        handle: asking(changesThisAgent, join),
      }),
    },
  },
  {
    path: '/v1/agent/force-leave/',
    rest: { name: 'node', about: 'Name of a member.' },
    operations: {
      PUT: declared({
        summary: 'Mark a failed member as left',
        access: { asks: 'agent:write' },
        answers: [done],
        handle: asking(changesThisAgent, forceLeave),
      }),
    },
  },
  {
    path: '/v1/agent/leave',
    since: 'control-over-http',
    operations: {
      PUT: declared({
        summary: 'Leave the pool in order, and end the agent',
        access: { asks: 'agent:write' },
        answers: [done],
        handle: asking(changesThisAgent, async (context) => {
          const left = await context.leave()
          return left.ok ? written : failed(left.error)
        }),
      }),
    },
  },
  {
    path: '/v1/agent/reload',
    since: 'control-over-http',
    operations: {
      PUT: declared({
        summary: 'Reload the configuration',
        access: { asks: 'agent:write' },
        answers: [done],
        handle: asking(changesThisAgent, async (context) => {
          const reloaded = await context.reload()
          return reloaded.ok ? written : failed(reloaded.error)
        }),
      }),
    },
  },
]

async function forceLeave(context: WithSelf & WithPools, request: RouteRequest): Promise<RouteResponse> {
  const name = textOfByteString(request.rest)
  context.lan.forceLeave(name)
  // A server has another name in the pool of all datacenters.
  for (const wanName of [name, `${name}.${context.self().datacenter}`]) context.wan?.forceLeave(wanName)
  return written
}

async function members(
  context: WithRights & WithPools & WithNaming,
  request: RouteRequest<NamesOf<typeof memberParameters>>,
): Promise<RouteResponse> {
  const segment = request.query.get('segment') ?? ''
  const wan = (request.query.get('wan') ?? '') !== ''
  // Commands of the field ask for all segments even if there are none.
  if (wan && segment !== '' && segment !== '_all') return badRequest('Cannot provide a segment with wan=true')
  if (!wan && segment !== '' && segment !== '_all') {
    const message = `Network segments are not supported in this version of ${context.naming.title}`
    return failed({ kind: 'refused', message })
  }
  const reader = await context.authorizer(request.call)
  if (!reader.ok) return failed(reader.error)
  const listed = (wan ? context.wan : context.lan)?.members()
  const seen = listed?.filter(({ name }) => seesNode(reader.value, name))
  return { kind: 'json', value: seen?.map(memberJson) ?? null }
}

async function join(context: WithJoining, request: RouteRequest<'wan'>): Promise<RouteResponse> {
  const address = textOfByteString(request.rest)
  if (address === '') return badRequest('Missing address to join: PUT /v1/agent/join/<address>')
  if (!isAddressText(address)) {
    return badRequest(
      `Invalid address to join ${JSON.stringify(address)}: an IP address or a name, with or without a port`,
    )
  }
  const wan = (request.query.get('wan') ?? '') !== ''
  const joined = await (wan ? context.joinWan([address]) : context.join([address]))
  return joined.ok ? written : failed({ kind: 'refused', message: joined.error })
}
