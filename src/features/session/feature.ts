import type { Feature } from '../contract/manifest.ts'
import { sessionCreate, sessionDestroy, sessionHooks } from './commands.ts'
import { sessionExpiry } from './duty.ts'
import { createEndpoint, destroyEndpoint, infoEndpoint, listEndpoint, nodeEndpoint, renewEndpoint } from './endpoint.ts'
import { sessionRoutes } from './routes.ts'
import { sessionChecksTable, sessionsTable } from './tables.ts'

/** Sessions: holders of locks, with their lifetimes. */
export const sessionFeature: Feature = {
  name: 'session',
  tables: [sessionsTable, sessionChecksTable],
  commands: [sessionCreate, sessionDestroy],
  hooks: sessionHooks,
  endpoints: [createEndpoint, destroyEndpoint, renewEndpoint, infoEndpoint, listEndpoint, nodeEndpoint],
  routes: sessionRoutes,
  duties: [sessionExpiry],
}
