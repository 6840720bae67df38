import type { Route } from '../manifest.ts'
import { selfJson } from './model.ts'

/** What an agent answers out of its own knowledge: no `dc`, no index. Reference: HTTP API 4. */
export const agentRoutes: readonly Route[] = [
  {
    methods: ['GET'],
    path: '/v1/agent/self',
    handle: async (agent) => ({ kind: 'json', value: selfJson(agent.self()) }),
  },
]
