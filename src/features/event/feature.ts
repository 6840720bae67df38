import type { Feature } from '../contract/manifest.ts'
import { fireEndpoint } from './endpoint.ts'
import { eventRoutes } from './routes.ts'

/** Events that anybody fires and every agent hears: at most once, in any order, kept nowhere. */
export const eventFeature: Feature = { name: 'event', endpoints: [fireEndpoint], routes: eventRoutes }
