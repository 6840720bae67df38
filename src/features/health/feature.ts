import type { Feature } from '../contract/manifest.ts'
import { nodeChecksEndpoint, serviceChecksEndpoint, serviceHealthEndpoint, stateChecksEndpoint } from './endpoint.ts'
import { healthRoutes } from './routes.ts'

/** How nodes and services do: questions to the catalog, which keeps the checks. */
export const healthFeature: Feature = {
  name: 'health',
  endpoints: [serviceHealthEndpoint, nodeChecksEndpoint, serviceChecksEndpoint, stateChecksEndpoint],
  routes: healthRoutes,
}
