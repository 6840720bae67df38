import type { Feature } from '../contract/manifest.ts'
import { queryCreate, queryDelete, queryHooks, queryUpdate } from './commands.ts'
import { executeElsewhereEndpoint, otherDatacentersEndpoint } from './elsewhere-endpoint.ts'
import { createEndpoint, deleteEndpoint, getEndpoint, listEndpoint, updateEndpoint } from './endpoint.ts'
import { executeEndpoint, executeRemoteEndpoint, explainEndpoint } from './execute-endpoints.ts'
import { queryRoutes } from './routes.ts'
import { queriesTable } from './tables.ts'

/** Prepared queries: a name for a search for instances of a service, here or in another datacenter. */
export const queryFeature: Feature = {
  name: 'query',
  tables: [queriesTable],
  commands: [queryCreate, queryUpdate, queryDelete],
  hooks: queryHooks,
  endpoints: [
    createEndpoint,
    updateEndpoint,
    deleteEndpoint,
    getEndpoint,
    listEndpoint,
    explainEndpoint,
    executeEndpoint,
    executeRemoteEndpoint,
    executeElsewhereEndpoint,
    otherDatacentersEndpoint,
  ],
  routes: queryRoutes,
}
