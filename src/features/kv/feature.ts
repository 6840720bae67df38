import type { Feature } from '../manifest.ts'
import { kvDelete, kvDeleteCas, kvDeleteTree, kvPut, kvPutCas, kvReapTombstones } from './commands.ts'
import { reapTombstones } from './duty.ts'
import {
  deleteCasEndpoint,
  deleteEndpoint,
  deleteTreeEndpoint,
  getEndpoint,
  keysEndpoint,
  listEndpoint,
  putCasEndpoint,
  putEndpoint,
} from './endpoint.ts'
import { kvRoutes } from './routes.ts'
import { kvTable, reapedFloor, tombstoneTable } from './tables.ts'

/** Keys and values. Sessions, and with them locks, are not there yet. */
export const kvFeature: Feature = {
  name: 'kv',
  tables: [kvTable, tombstoneTable, reapedFloor],
  commands: [kvPut, kvPutCas, kvDelete, kvDeleteCas, kvDeleteTree, kvReapTombstones],
  endpoints: [
    putEndpoint,
    putCasEndpoint,
    deleteEndpoint,
    deleteCasEndpoint,
    deleteTreeEndpoint,
    getEndpoint,
    listEndpoint,
    keysEndpoint,
  ],
  routes: kvRoutes,
  duties: [reapTombstones],
}
