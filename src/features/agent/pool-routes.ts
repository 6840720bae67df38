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
      agent.lan.forceLeave(textOfByteString(request.rest))
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
  if (wan && segment !== '') return badRequest('Cannot provide a segment with wan=true')
  if (wan) return agent.self().server ? noWan : { kind: 'json', value: null }
  if (segment !== '' && segment !== '_all') {
    const message = `Network segments are not supported in this version of ${productTitle}`
    return failed({ kind: 'refused', message })
  }
  return { kind: 'json', value: agent.lan.members().map(memberJson) }
}

async function join(agent: AgentContext, request: RouteRequest): Promise<RouteResponse> {
  if ((request.query.get('wan') ?? '') !== '') return noWan
  const joined = await agent.join([textOfByteString(request.rest)])
  return joined.ok ? written : failed({ kind: 'refused', message: joined.error })
}

const noWan: RouteResponse = failed({ kind: 'refused', message: 'The WAN pool is not there yet' })
