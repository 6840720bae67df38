import type { Feature } from '../contract/manifest.ts'
import { agentConnectRoutes } from './agent-routes.ts'
import { beginAuthority, pruneRoots, recordLeaves, renewSigner, takeSerialNumbers } from './commands.ts'
import { authorityDuty } from './duty.ts'
import { federate } from './federation/federation-commands.ts'
import { signIntermediateEndpoint } from './federation/intermediates.ts'
import { configurationGetEndpoint, rootsEndpoint } from './read-endpoints.ts'
import { restoringHooks } from './restoring.ts'
import {
  rotationActivate,
  rotationCrossed,
  rotationRefused,
  rotationRequested,
  updateAuthority,
} from './rotation-commands.ts'
import { connectRoutes } from './routes.ts'
import {
  authorityTable,
  crossingsTable,
  leavesTable,
  restoredTable,
  rootsTable,
  rotationsTable,
  serialsTable,
  signersTable,
} from './tables.ts'
import { configurationSetEndpoint, forecastEndpoint, signEndpoint } from './write-endpoints.ts'

/** The servers' part of the mesh's certificate authority. */
export const connectFeature: Feature = {
  name: 'connect',
  tables: [
    authorityTable,
    rootsTable,
    signersTable,
    leavesTable,
    crossingsTable,
    serialsTable,
    rotationsTable,
    restoredTable,
  ],
  hooks: restoringHooks,
  commands: [
    takeSerialNumbers,
    beginAuthority,
    recordLeaves,
    pruneRoots,
    renewSigner,
    updateAuthority,
    rotationRequested,
    rotationCrossed,
    rotationActivate,
    rotationRefused,
    federate,
  ],
  endpoints: [
    rootsEndpoint,
    configurationGetEndpoint,
    configurationSetEndpoint,
    signEndpoint,
    signIntermediateEndpoint,
    forecastEndpoint,
  ],
  routes: [...connectRoutes, ...agentConnectRoutes],
  duties: [authorityDuty],
}
