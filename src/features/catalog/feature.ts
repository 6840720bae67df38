import type { Feature } from '../contract/manifest.ts'
import {
  catalogDeregister,
  catalogRegister,
  catalogRegisterAll,
  catalogRegisterAllMesh,
  catalogRegisterMesh,
} from './commands.ts'
import {
  datacentersEndpoint,
  nodeDumpEndpoint,
  nodeServicesEndpoint,
  nodesEndpoint,
  serviceNodesEndpoint,
  servicesAtEndpoint,
  servicesEndpoint,
} from './endpoint.ts'
import { allInstancesEndpoint } from './instances-endpoint.ts'
import { catalogRoutes } from './routes.ts'
import {
  checksTable,
  destinationChangesTable,
  goneFloor,
  nodeChangesTable,
  nodesTable,
  serviceChangesTable,
  servicesTable,
} from './tables.ts'
import { deregisterEndpoint, registerAllEndpoint, registerEndpoint } from './write-endpoints.ts'

/** Nodes, their services, and the health of both. */
export const catalogFeature: Feature = {
  name: 'catalog',
  tables: [
    nodesTable,
    servicesTable,
    checksTable,
    nodeChangesTable,
    serviceChangesTable,
    destinationChangesTable,
    goneFloor,
  ],
  commands: [catalogRegister, catalogRegisterMesh, catalogRegisterAll, catalogRegisterAllMesh, catalogDeregister],
  endpoints: [
    registerEndpoint,
    registerAllEndpoint,
    deregisterEndpoint,
    nodesEndpoint,
    servicesEndpoint,
    allInstancesEndpoint,
    serviceNodesEndpoint,
    servicesAtEndpoint,
    nodeServicesEndpoint,
    nodeDumpEndpoint,
    datacentersEndpoint,
  ],
  routes: catalogRoutes,
}
