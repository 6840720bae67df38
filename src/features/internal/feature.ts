import type { Feature } from '../contract/manifest.ts'
import { nodeOverviewEndpoint, overviewEndpoint } from './endpoint.ts'
import { internalRoutes } from './routes.ts'

/** Reads of the web UI: the catalog with everything on each node. */
export const internalFeature: Feature = {
  name: 'internal',
  endpoints: [overviewEndpoint, nodeOverviewEndpoint],
  routes: internalRoutes,
}
