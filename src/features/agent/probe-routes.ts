import { z } from 'zod'
import type { AgentContext } from '../contract/agent-context.ts'
import { declared } from '../contract/declared.ts'
import type { Route, RouteResponse } from '../contract/route.ts'
import { jsonAnswer } from '../http/declared-answers.ts'
import { livePath } from './model.ts'

const forSupervisors = 'whoever starts, stops and asks agents may have no token'
const liveShape = z.object({ Live: z.literal(true) })
const readyShape = z.object({ Ready: z.boolean(), Reasons: z.array(z.string()) })

/**
 * Probes for supervisors and load balancers. They require no token and ask no other agent: an agent that is cut off
 * must be able to say so.
 */
export const probeRoutes: readonly Route[] = [
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
        summary: 'Whether this agent should be asked',
        access: { open: forSupervisors },
        answers: [
          jsonAnswer('It has joined; a server has its vote, a leader, and what that has.', readyShape),
          {
            status: 503,
            about: 'It is not, and the reasons say why.',
            content: { 'application/json': readyShape },
          },
        ],
        handle: async (agent) => ready(agent),
      }),
    },
  },
]

function ready(agent: AgentContext): RouteResponse {
  const reasons = agent.reasonsNotReady()
  const isReady = reasons.length === 0
  return { kind: 'json', value: { Ready: isReady, Reasons: [...reasons] }, status: isReady ? 200 : 503 }
}
