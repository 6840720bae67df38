import type { Feature } from '../manifest.ts'
import { catalogDeregister, catalogRegister, catalogRegisterAll } from './commands.ts'
import {
  datacentersEndpoint,
  deregisterEndpoint,
  nodeDumpEndpoint,
  nodeServicesEndpoint,
  nodesEndpoint,
  registerAllEndpoint,
  registerEndpoint,
  serviceNodesEndpoint,
  servicesAtEndpoint,
  servicesEndpoint,
} from './endpoint.ts'
import { catalogRoutes } from './routes.ts'
import { checksTable, goneFloor, nodeChangesTable, nodesTable, serviceChangesTable, servicesTable } from './tables.ts'

/** Nodes, what they offer, and how it does. */
export const catalogFeature: Feature = {
  name: 'catalog',
  tables: [nodesTable, servicesTable, checksTable, nodeChangesTable, serviceChangesTable, goneFloor],
  commands: [catalogRegister, catalogRegisterAll, catalogDeregister],
  endpoints: [
    registerEndpoint,
    registerAllEndpoint,
    deregisterEndpoint,
    nodesEndpoint,
    servicesEndpoint,
    serviceNodesEndpoint,
    servicesAtEndpoint,
    nodeServicesEndpoint,
    nodeDumpEndpoint,
    datacentersEndpoint,
  ],
  routes: catalogRoutes,
}
