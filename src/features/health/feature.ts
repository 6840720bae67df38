import type { Feature } from '../contract/manifest.ts'
import { nodeChecksEndpoint, serviceChecksEndpoint, serviceHealthEndpoint, stateChecksEndpoint } from './endpoint.ts'
import { healthRoutes } from './routes.ts'

/** Health of nodes and services: reads of the catalog, which stores the checks. */
export const healthFeature: Feature = {
  name: 'health',
  endpoints: [serviceHealthEndpoint, nodeChecksEndpoint, serviceChecksEndpoint, stateChecksEndpoint],
  routes: healthRoutes,
}
