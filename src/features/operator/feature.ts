import type { Feature } from '../contract/manifest.ts'
import { autopilotInitialize, autopilotSet, namesFix } from './commands.ts'
import {
  raftConfigurationEndpoint,
  readAutopilotEndpoint,
  removePeerEndpoint,
  serverHealthEndpoint,
  setAutopilotEndpoint,
  transferLeaderEndpoint,
} from './endpoint.ts'
import { operatorRoutes } from './routes.ts'
import { autopilotTable, clusterNamesTable } from './tables.ts'

/** Operations on the servers themselves: Raft peers, transfer of leadership, and autopilot. */
export const operatorFeature: Feature = {
  name: 'operator',
  tables: [autopilotTable, clusterNamesTable],
  commands: [autopilotInitialize, autopilotSet, namesFix],
  endpoints: [
    raftConfigurationEndpoint,
    readAutopilotEndpoint,
    removePeerEndpoint,
    serverHealthEndpoint,
    setAutopilotEndpoint,
    transferLeaderEndpoint,
  ],
  routes: operatorRoutes,
}
