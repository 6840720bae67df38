import type { Feature } from '../contract/manifest.ts'
import {
  kvDelete,
  kvDeleteCas,
  kvDeleteTree,
  kvForgetLockDelays,
  kvLock,
  kvPut,
  kvPutCas,
  kvReapTombstones,
  kvUnlock,
} from './commands.ts'
import { reapTombstones } from './duty.ts'
import { getEndpoint, keysEndpoint, listEndpoint } from './endpoint.ts'
import { lockDelays } from './lock-delays.ts'
import { kvRoutes } from './routes.ts'
import { holdsTable, kvTable, lockDelaysTable, reapedFloor, tombstoneTable } from './tables.ts'
import {
  deleteCasEndpoint,
  deleteEndpoint,
  deleteTreeEndpoint,
  lockEndpoint,
  putCasEndpoint,
  putEndpoint,
  unlockEndpoint,
} from './write-endpoints.ts'
import { lockHooks } from './writes.ts'

/** Keys and values, and locks on keys that sessions hold. */
export const kvFeature: Feature = {
  name: 'kv',
  tables: [kvTable, tombstoneTable, reapedFloor, holdsTable, lockDelaysTable],
  commands: [
    kvPut,
    kvPutCas,
    kvDelete,
    kvDeleteCas,
    kvDeleteTree,
    kvLock,
    kvUnlock,
    kvReapTombstones,
    kvForgetLockDelays,
  ],
  hooks: lockHooks,
  endpoints: [
    putEndpoint,
    putCasEndpoint,
    lockEndpoint,
    unlockEndpoint,
    deleteEndpoint,
    deleteCasEndpoint,
    deleteTreeEndpoint,
    getEndpoint,
    listEndpoint,
    keysEndpoint,
  ],
  routes: kvRoutes,
  duties: [reapTombstones, lockDelays],
}
