import type { Feature } from '../contract/manifest.ts'
import { agentRoutes } from './routes.ts'

/** Endpoints about the asked agent itself. */
export const agentFeature: Feature = { name: 'agent', routes: agentRoutes }
