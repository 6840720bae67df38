import type { Feature } from '../contract/manifest.ts'
import { applyEndpoint } from './apply-endpoint.ts'
import { intentionCreate, intentionDelete, intentionUpdate } from './commands.ts'
import { checkEndpoint, getEndpoint, listEndpoint, matchEndpoint } from './endpoint.ts'
import { intentionRoutes } from './routes.ts'
import { intentionsTable } from './tables.ts'

/** Intentions: which service may connect to which other service of the mesh. */
export const intentionFeature: Feature = {
  name: 'intention',
  tables: [intentionsTable],
  commands: [intentionCreate, intentionUpdate, intentionDelete],
  endpoints: [listEndpoint, getEndpoint, matchEndpoint, checkEndpoint, applyEndpoint],
  routes: intentionRoutes,
}
