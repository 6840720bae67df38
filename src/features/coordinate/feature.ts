import type { Feature } from '../manifest.ts'
import { coordinateBatch, coordinateHooks } from './commands.ts'
import { coordinateBatches } from './duty.ts'
import { datacentersEndpoint, nodeEndpoint, nodesEndpoint, updateEndpoint } from './endpoint.ts'
import { coordinateRoutes } from './routes.ts'
import { coordinatesTable } from './tables.ts'

/** Where nodes are by the times that messages take, as each tells of itself. */
export const coordinateFeature: Feature = {
  name: 'coordinate',
  tables: [coordinatesTable],
  commands: [coordinateBatch],
  hooks: coordinateHooks,
  endpoints: [updateEndpoint, nodesEndpoint, nodeEndpoint, datacentersEndpoint],
  routes: coordinateRoutes,
  duties: [coordinateBatches],
}
