import type { Feature } from '../contract/manifest.ts'
import { fireEndpoint } from './endpoint.ts'
import { eventRoutes } from './routes.ts'

/** User events, which any client fires and every agent receives: at most once, in any order, without being stored. */
export const eventFeature: Feature = { name: 'event', endpoints: [fireEndpoint], routes: eventRoutes }
