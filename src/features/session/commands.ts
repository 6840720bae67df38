import { z } from 'zod'
import { lockDelayMaxMs } from '../../model/limits.ts'
import type { Release } from '../../model/release.ts'
import { onEvent, type ReadTransaction, type StateHook, type WriteTransaction } from '../../store/types.ts'
import { checkBecameCritical, checkRemoved, nodeRemoved } from '../catalog/model.ts'
import { checkOfNode, nodeByName } from '../catalog/views.ts'
import { type CommandDefinition, withShortRefusal } from '../contract/command.ts'
import { idOrRefusal } from '../contract/fields.ts'
import { pairKey } from '../contract/names.ts'
import { type SessionRow, sessionEnded, sessionFields } from './model.ts'
import { sessionCheckKey, sessionChecksTable, sessionsTable } from './tables.ts'
import { sessionById, sessionsOfNode } from './views.ts'

const first: Release = { major: 0, minor: 4, patch: 0 }

const createBody = z.strictObject(sessionFields)
type NewSession = z.infer<typeof createBody>

/** `id` is the session's; for a repeated write, that of the first attempt. */
type SessionCreated = { readonly id: string } | { readonly refusal: string }

/** The leader draws the ID. The refusal is the line that clients of the field know. */
export const sessionCreate: CommandDefinition<NewSession, SessionCreated> = {
  kind: 'session.create',
  outcome: idOrRefusal,
  since: first,
  body: createBody,
  apply: (tx, body) => {
    const node = nodeByName(tx, body.node)
    if (node === undefined) return { refusal: 'Missing node registration' }
    const refusal = checksRefusal(tx, node.node, body.checks)
    if (refusal !== undefined) return { refusal }
    tx.put(sessionsTable, { ...body, node: node.node, createIndex: tx.index, modifyIndex: tx.index })
    for (const checkId of body.checks) tx.put(sessionChecksTable, { session: body.id, node: node.node, checkId })
    return { id: body.id }
  },
  remembered: withShortRefusal,
}

function checksRefusal(tx: ReadTransaction, node: string, checks: readonly string[]): string | undefined {
  for (const checkId of checks) {
    const check = checkOfNode(tx, node, checkId)
    if (check === undefined) return `Missing check '${checkId}' registration`
    if (check.status === 'critical') return `Check '${checkId}' is in critical state`
  }
  return undefined
}

const destroyBody = z.strictObject({ ids: z.array(sessionFields.id).readonly() })

/** Destroys a session for its owner, or because its TTL has expired. A session that does not exist counts as ended. */
export const sessionDestroy: CommandDefinition<z.infer<typeof destroyBody>, boolean> = {
  kind: 'session.destroy',
  outcome: z.boolean(),
  since: first,
  body: destroyBody,
  withoutEffect: (tx, { ids }) => (ids.some((id) => sessionById(tx, id) !== undefined) ? undefined : true),
  apply: (tx, { ids }) => {
    for (const id of ids) {
      const session = sessionById(tx, id)
      if (session !== undefined) endSession(tx, session)
    }
    return true
  },
}

/** Features that lock keys with sessions release them in the same transaction. */
function endSession(tx: WriteTransaction, { id, checks, behaviour, lockDelayNs }: SessionRow): void {
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
