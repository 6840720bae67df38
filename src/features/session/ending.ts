import { lockDelayMaxMs } from '../../model/limits.ts'
import { onEvent, type StateHook, type WriteTransaction } from '../../store/types.ts'
import { checkBecameCritical, checkRemoved, nodeRemoved } from '../catalog/model.ts'
import { pairKey } from '../contract/names.ts'
import { type SessionRow, sessionEnded } from './model.ts'
import { sessionCheckKey, sessionChecksTable, sessionsTable } from './tables.ts'
import { sessionById, sessionsOfNode } from './views.ts'

/** Features that lock keys with sessions release them in the same transaction. */
export function endSession(tx: WriteTransaction, { id, checks, behaviour, lockDelayNs }: SessionRow): void {
  tx.delete(sessionsTable, id)
  for (const checkId of checks) tx.delete(sessionChecksTable, sessionCheckKey(id, checkId))
  tx.raise(sessionEnded, { session: id, behaviour, lockDelayMs: Math.min(lockDelayNs / 1e6, lockDelayMaxMs) })
}

function endSessionsOfCheck(
  tx: WriteTransaction,
  { node, checkId }: { readonly node: string; readonly checkId: string },
): void {
  for (const { session } of tx.byIndex(sessionChecksTable, 'check', pairKey(node, checkId))) {
    const row = sessionById(tx, session)
    if (row !== undefined) endSession(tx, row)
  }
}

/** A session ends with its node, and with any of its checks that is removed or becomes critical. */
export const sessionHooks: readonly StateHook[] = [
  onEvent(nodeRemoved, (tx, { node }) => {
    for (const session of sessionsOfNode(tx, node)) endSession(tx, session)
  }),
  onEvent(checkRemoved, endSessionsOfCheck),
  onEvent(checkBecameCritical, endSessionsOfCheck),
]
