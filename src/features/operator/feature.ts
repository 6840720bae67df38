import type { Feature } from '../manifest.ts'
import { raftConfigurationEndpoint, removePeerEndpoint } from './endpoint.ts'
import { operatorRoutes } from './routes.ts'

/** What operators do to the servers themselves: so far, list and remove Raft peers. */
export const operatorFeature: Feature = {
  name: 'operator',
  endpoints: [raftConfigurationEndpoint, removePeerEndpoint],
  routes: operatorRoutes,
}
