import type { Feature } from '../manifest.ts'
import { leaderEndpoint, peersEndpoint } from './endpoint.ts'
import { statusRoutes } from './routes.ts'

/** Who leads, and who takes part. */
export const statusFeature: Feature = {
  name: 'status',
  endpoints: [leaderEndpoint, peersEndpoint],
  routes: statusRoutes,
}
