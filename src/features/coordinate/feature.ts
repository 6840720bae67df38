import type { Feature } from '../contract/manifest.ts'
import { coordinatesTable } from '../discovery/nearness.ts'
import { coordinateBatch, coordinateHooks } from './commands.ts'
import { coordinateBatches } from './duty.ts'
import { datacentersEndpoint, nodeEndpoint, nodesEndpoint, updateEndpoint } from './endpoint.ts'
import { coordinateRoutes } from './routes.ts'

/** Network coordinates of nodes, computed from round-trip times, as each node reports its own. */
export const coordinateFeature: Feature = {
  name: 'coordinate',
  tables: [coordinatesTable],
  commands: [coordinateBatch],
  hooks: coordinateHooks,
  endpoints: [updateEndpoint, nodesEndpoint, nodeEndpoint, datacentersEndpoint],
  routes: coordinateRoutes,
  duties: [coordinateBatches],
}
