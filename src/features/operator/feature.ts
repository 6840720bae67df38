import type { Feature } from '../contract/manifest.ts'
import { autopilotInitialize, autopilotSet } from './commands.ts'
import {
  raftConfigurationEndpoint,
  readAutopilotEndpoint,
  removePeerEndpoint,
  serverHealthEndpoint,
  setAutopilotEndpoint,
  transferLeaderEndpoint,
} from './endpoint.ts'
import { operatorRoutes } from './routes.ts'
import { autopilotTable } from './tables.ts'

/** Operations on the servers themselves: Raft peers, transfer of leadership, and autopilot. */
export const operatorFeature: Feature = {
  name: 'operator',
  tables: [autopilotTable],
  commands: [autopilotInitialize, autopilotSet],
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
