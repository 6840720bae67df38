import { hasBehaviour } from '../../model/release.ts'
import { asking, ofThisAgent } from '../contract/asking.ts'
import { declared } from '../contract/declared.ts'
import type { Route } from '../contract/route.ts'
import { jsonAnswer } from '../http/declared-answers.ts'
import { checkRoutes } from './check-routes.ts'
import { maintenanceRoutes } from './maintenance-routes.ts'
import { oldSelfJson, selfJson, selfShape } from './model.ts'
import { observationRoutes } from './observation-routes.ts'
import { poolRoutes } from './pool-routes.ts'
import { probeRoutes } from './probe-routes.ts'
import { proxyRoutes } from './proxy-routes.ts'
import { serviceRoutes } from './service-routes.ts'

/**
 * Endpoints that an agent answers from its own knowledge: without `dc` and without an index. Reference:
 * agent.md#endpoints.
 */
export const agentRoutes: readonly Route[] = [
  {
    path: '/v1/agent/self',
    operations: {
      GET: declared({
        summary: 'This agent and its configuration',
        access: { asks: 'agent:read' },
        answers: [jsonAnswer('The agent.', selfShape)],
        handle: asking(ofThisAgent('read'), async (agent) => {
          const self = agent.self()
          const json = hasBehaviour(agent.release, 'few-settings-told') ? selfJson : oldSelfJson
          return { kind: 'json', value: json(self, agent.lan.self(), agent.lan.coordinateOf(self.nodeName)) }
        }),
      }),
    },
  },
  ...serviceRoutes,
  ...proxyRoutes,
  ...checkRoutes,
  ...maintenanceRoutes,
  ...poolRoutes,
  ...observationRoutes,
  ...probeRoutes,
]
