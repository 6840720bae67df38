import type { Feature } from '../manifest.ts'
import { raftConfigurationEndpoint, removePeerEndpoint, serverHealthEndpoint } from './endpoint.ts'
import { operatorRoutes } from './routes.ts'

/** What operators do to the servers themselves: so far, list and remove Raft peers, and see their health. */
export const operatorFeature: Feature = {
  name: 'operator',
  endpoints: [raftConfigurationEndpoint, removePeerEndpoint, serverHealthEndpoint],
  routes: operatorRoutes,
}
