import { textOfByteString } from '../../base/bytes.ts'
import { productTitle } from '../../model/names.ts'
import type { AgentContext, Route, RouteRequest, RouteResponse } from '../manifest.ts'
import { badRequest, failed } from '../responses.ts'
import { memberJson } from './model.ts'

const written: RouteResponse = { kind: 'empty', status: 200 }

/** The pool as the asked agent knows it, and the agent's place in it. Reference: HTTP API 4.1, 4.6. */
export const poolRoutes: readonly Route[] = [
  { methods: ['GET'], path: '/v1/agent/members', handle: members },
  { methods: ['PUT'], path: '/v1/agent/join/', handle: join },
  {
    methods: ['PUT'],
    path: '/v1/agent/force-leave/',
    handle: async (agent, request) => {
      const name = textOfByteString(request.rest)
      agent.lan.forceLeave(name)
      // A server is known by another name among all datacenters.
      for (const wanName of [name, `${name}.${agent.self().datacenter}`]) agent.wan?.forceLeave(wanName)
      return written
    },
  },
  {
    methods: ['PUT'],
    path: '/v1/agent/leave',
    handle: async (agent) => {
      const left = await agent.leave()
      return left.ok ? written : failed(left.error)
    },
  },
  {
    methods: ['PUT'],
    path: '/v1/agent/reload',
    handle: async (agent) => {
      const reloaded = await agent.reload()
      return reloaded.ok ? written : failed(reloaded.error)
    },
  },
]

async function members(agent: AgentContext, request: RouteRequest): Promise<RouteResponse> {
  const segment = request.query.get('segment') ?? ''
  const wan = (request.query.get('wan') ?? '') !== ''
  // Commands of the field name all segments also where there are none.
  if (wan && segment !== '' && segment !== '_all') return badRequest('Cannot provide a segment with wan=true')
  if (wan) return { kind: 'json', value: agent.wan?.members().map(memberJson) ?? null }
  if (segment !== '' && segment !== '_all') {
    const message = `Network segments are not supported in this version of ${productTitle}`
    return failed({ kind: 'refused', message })
  }
  return { kind: 'json', value: agent.lan.members().map(memberJson) }
}

async function join(agent: AgentContext, request: RouteRequest): Promise<RouteResponse> {
  const address = textOfByteString(request.rest)
  if (address === '') return badRequest('Missing address to join: PUT /v1/agent/join/<address>')
  const wan = (request.query.get('wan') ?? '') !== ''
  const joined = await (wan ? agent.joinWan([address]) : agent.join([address]))
  return joined.ok ? written : failed({ kind: 'refused', message: joined.error })
}
