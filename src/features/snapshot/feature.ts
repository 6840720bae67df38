import type { Feature } from '../contract/manifest.ts'
import { restoreAbandon, restoreBegin, restoreCommit, restorePiece, restoreTake } from './commands.ts'
import { givenUpRestores } from './duty.ts'
import {
  abandonEndpoint,
  beginEndpoint,
  closeEndpoint,
  commitEndpoint,
  mayRestoreEndpoint,
  nextEndpoint,
  openEndpoint,
  pieceEndpoint,
} from './endpoint.ts'
import { snapshotRoutes } from './routes.ts'
import { comingTable, piecesTable } from './tables.ts'

/** Archives of the whole state as of one index: saving and restoring. */
export const snapshotFeature: Feature = {
  name: 'snapshot',
  tables: [comingTable, piecesTable],
  commands: [restoreAbandon, restoreBegin, restoreCommit, restorePiece, restoreTake],
  endpoints: [
    abandonEndpoint,
    beginEndpoint,
    closeEndpoint,
    commitEndpoint,
    mayRestoreEndpoint,
    nextEndpoint,
    openEndpoint,
    pieceEndpoint,
  ],
  routes: snapshotRoutes,
  duties: [givenUpRestores],
}
