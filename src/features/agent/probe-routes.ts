import type { AgentContext, Route, RouteResponse } from '../manifest.ts'
import { livePath } from './model.ts'

/**
 * For whoever starts, stops and asks agents: supervisors and load balancers. No token is asked for, and no other agent: who is
 * cut off must be able to say so.
 */
export const probeRoutes: readonly Route[] = [
  { methods: ['GET'], path: livePath, handle: async () => ({ kind: 'json', value: { Live: true } }) },
  { methods: ['GET'], path: '/v1/agent/ready', handle: async (agent) => ready(agent) },
]

function ready(agent: AgentContext): RouteResponse {
  const reasons = agent.reasonsNotReady()
  const isReady = reasons.length === 0
  return { kind: 'json', value: { Ready: isReady, Reasons: [...reasons] }, status: isReady ? 200 : 503 }
}
