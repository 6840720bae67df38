import { onEvent, type StateHook, type WriteTransaction } from '../../store/types.ts'
import { type SessionBehaviour, sessionEnded } from '../session/model.ts'
import { holdKey, holdsPrefix, holdsTable, kvTable, lockDelaysTable } from './tables.ts'
import { deleteKey } from './writes.ts'

/** When a session ends, its keys are released or deleted, and cannot be locked again before the lock delay is over. */
export const lockHooks: readonly StateHook[] = [
  onEvent(sessionEnded, (tx, { session, behaviour, lockDelayMs }) => {
    for (const { key } of tx.prefix(holdsTable, holdsPrefix(session))) {
      letGo(tx, key, behaviour)
      tx.delete(holdsTable, holdKey(session, key))
      if (lockDelayMs > 0) tx.put(lockDelaysTable, { key, index: tx.index, delayMs: lockDelayMs })
    }
  }),
]

function letGo(tx: WriteTransaction, key: string, behaviour: SessionBehaviour): void {
  const row = tx.get(kvTable, key)
  if (row === undefined) return
  if (behaviour === 'delete') deleteKey(tx, key)
  else tx.put(kvTable, { ...row, session: '', modifyIndex: tx.index })
}
