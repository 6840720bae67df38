import { z } from 'zod'
import type { Release } from '../../model/release.ts'
import type { ReadTransaction } from '../../store/types.ts'
import { checkOfNode, nodeByName } from '../catalog/views.ts'
import { idOrRefusal } from '../contract/fields.ts'
import type { CommandDefinition } from '../contract/server-context.ts'
import { endSession } from './ending.ts'
import { sessionFields } from './fields.ts'
import { sessionChecksTable, sessionsTable } from './tables.ts'
import { sessionById } from './views.ts'

const first: Release = { major: 0, minor: 4, patch: 0 }

const createBody = z.strictObject(sessionFields)
export type NewSession = z.infer<typeof createBody>

/** `id` is the session's; for a repeated write, that of the first attempt. */
export type SessionCreated = { readonly id: string } | { readonly refusal: string }

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
