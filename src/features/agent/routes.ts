import { z } from 'zod'
import { hasBehaviour } from '../../model/release.ts'
import { asking, ofThisAgent } from '../contract/asking.ts'
import { declared, type Route, type RouteResponse } from '../contract/route.ts'
import type { RouteContext, WithReadiness } from '../contract/route-context.ts'
import { jsonAnswer } from '../http/declared.ts'
import { checkRoutes } from './check-routes.ts'
import { maintenanceRoutes } from './maintenance-routes.ts'
import { livePath, oldSelfJson, selfJson, selfShape } from './model.ts'
import { observationRoutes } from './observation-routes.ts'
import { poolRoutes } from './pool-routes.ts'
import { profileRoutes } from './profile-routes.ts'
import { proxyRoutes } from './proxy-routes.ts'
import { serviceRoutes } from './service-routes.ts'

const forSupervisors = 'programs that start, stop and probe agents may have no token'
const liveShape = z.object({ Live: z.literal(true) })
const readyShape = z.object({ Ready: z.boolean(), Reasons: z.array(z.string()) })

/**
 * Probes for supervisors and load balancers. They require no token and ask no other agent: an agent that is cut off
 * must be able to say so.
 */
const probeRoutes: readonly Route<WithReadiness>[] = [
  {
    path: livePath,
    operations: {
      GET: declared({
        summary: 'Whether the process of this agent answers',
        access: { open: forSupervisors },
        answers: [jsonAnswer('It does.', liveShape)],
        handle: async () => ({ kind: 'json', value: { Live: true } }),
      }),
    },
  },
  {
    path: '/v1/agent/ready',
    operations: {
      GET: declared({
        summary: 'Whether this agent is ready for requests',
        access: { open: forSupervisors },
        answers: [
          jsonAnswer('The agent has joined; a server also has its vote and a leader, and has caught up.', readyShape),
          {
            status: 503,
            about: 'The agent is not ready, and the reasons say why.',
            content: { 'application/json': readyShape },
          },
        ],
        handle: async (context) => ready(context),
      }),
    },
  },
]

function ready(context: WithReadiness): RouteResponse {
  const reasons = context.reasonsNotReady()
  const isReady = reasons.length === 0
  return { kind: 'json', value: { Ready: isReady, Reasons: [...reasons] }, status: isReady ? 200 : 503 }
}

/**
 * Endpoints that an agent answers from its own knowledge: without `dc` and without an index. Reference:
 * agent.md#endpoints.
 */
export const agentRoutes: readonly Route<RouteContext>[] = [
  {
    path: '/v1/agent/self',
    operations: {
      GET: declared({
        summary: 'This agent and its configuration',
        access: { asks: 'agent:read' },
        answers: [jsonAnswer('The agent.', selfShape)],
        handle: asking(ofThisAgent('read'), async (context) => {
          const self = context.self()
          const json = hasBehaviour(context.release, 'few-settings-told') ? selfJson : oldSelfJson
          return { kind: 'json', value: json(self, context.lan.self(), context.lan.coordinateOf(self.nodeName)) }
        }),
      }),
    },
  },
  ...serviceRoutes,
  ...profileRoutes,
  ...proxyRoutes,
  ...checkRoutes,
  ...maintenanceRoutes,
  ...poolRoutes,
  ...observationRoutes,
  ...probeRoutes,
]
