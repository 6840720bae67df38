import type { Feature } from '../contract/manifest.ts'
import { leaderEndpoint, peersEndpoint } from './endpoint.ts'
import { statusRoutes } from './routes.ts'

/** The leader, and the Raft peers. */
export const statusFeature: Feature = {
  name: 'status',
  endpoints: [leaderEndpoint, peersEndpoint],
  routes: statusRoutes,
}
