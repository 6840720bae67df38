import type { Feature } from '../contract/manifest.ts'
import { agentRoutes } from './routes.ts'

/** The agent that is asked, about itself. */
export const agentFeature: Feature = { name: 'agent', routes: agentRoutes }
