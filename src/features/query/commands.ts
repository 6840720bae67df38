import { z } from 'zod'
import { lowerAscii } from '../../base/letter-case.ts'
import { releaseOf } from '../../model/release.ts'
import { onEvent, type ReadTransaction, type StateHook } from '../../store/types.ts'
import type { CommandDefinition } from '../contract/command.ts'
import { idOrRefusal } from '../contract/fields.ts'
import { sessionEnded } from '../session/model.ts'
import { sessionById } from '../session/views.ts'
import { definitionFields, isTemplate, type QueryRow, queryId } from './model.ts'
import { queriesTable } from './tables.ts'
import { catchAllTemplate, looksLikeUuid, queriesOfSession, queryById, queryByName } from './views.ts'

const first = releaseOf('prepared-queries')

const setBody = z.strictObject({ id: queryId, ...definitionFields })
type SetBody = z.infer<typeof setBody>

/** `id` is the query's; for a repeated write, that of the first attempt. The refusal is the field's line. */
export type QueryOutcome = { readonly id: string } | { readonly refusal: string }

/** The leader has drawn the ID, and has checked everything that needs no state. */
export const queryCreate: CommandDefinition<SetBody, QueryOutcome> = {
  kind: 'query.create',
  outcome: idOrRefusal,
  since: first,
  body: setBody,
  withoutEffect: (tx, body) => (hasItsSession(tx, body) ? undefined : refused(stateRefusal(tx, body))),
  apply: (tx, body) => {
    const refusal = stateRefusal(tx, body)
    if (refusal !== undefined) return { refusal }
    tx.put(queriesTable, { ...body, createIndex: tx.index, modifyIndex: tx.index })
    return { id: body.id }
  },
}

/** Replaces the whole definition. */
export const queryUpdate: CommandDefinition<SetBody, QueryOutcome> = {
  kind: 'query.update',
  outcome: idOrRefusal,
  since: first,
  body: setBody,
  withoutEffect: (tx, body) => {
    if (queryById(tx, body.id) === undefined) return { refusal: missing(body.id) }
    return hasItsSession(tx, body) ? undefined : refused(stateRefusal(tx, body))
  },
  apply: (tx, body) => {
    const known = queryById(tx, body.id)
    if (known === undefined) return { refusal: missing(body.id) }
    const refusal = stateRefusal(tx, body)
    if (refusal !== undefined) return { refusal }
    tx.put(queriesTable, { ...body, createIndex: known.createIndex, modifyIndex: tx.index })
    return { id: body.id }
  },
}

const deleteBody = z.strictObject({ id: queryId })

export const queryDelete: CommandDefinition<z.infer<typeof deleteBody>, QueryOutcome> = {
  kind: 'query.delete',
  outcome: idOrRefusal,
  since: first,
  body: deleteBody,
  withoutEffect: (tx, { id }) => (queryById(tx, id) === undefined ? { refusal: missing(id) } : undefined),
  apply: (tx, { id }) => (tx.delete(queriesTable, id) ? { id } : { refusal: missing(id) }),
}

export function missing(id: string): string {
  return `Cannot modify non-existent prepared query: '${id}'`
}

/** The leader draws IDs of sessions at random: one that does not exist never will. */
function hasItsSession(tx: ReadTransaction, { session }: SetBody): boolean {
  return session === '' || sessionById(tx, session) !== undefined
}

function refused(refusal: string | undefined): QueryOutcome | undefined {
  return refusal === undefined ? undefined : { refusal }
}

/**
 * Checks that depend on other rows. A name must not be the ID of another query: queries are found by either, and
 * requests for that ID would become ambiguous.
 */
function stateRefusal(tx: ReadTransaction, body: SetBody): string | undefined {
  const { name, session } = body
  const isAnother = (row: QueryRow | undefined): boolean => row !== undefined && row.id !== body.id
  if (name !== '' && isAnother(queryByName(tx, name))) return `name '${name}' aliases an existing query name`
  if (name === '' && isTemplate(body) && isAnother(catchAllTemplate(tx))) {
    return 'a query template with an empty name already exists'
  }
  if (looksLikeUuid(name) && queryById(tx, lowerAscii(name)) !== undefined) {
    return `name '${name}' aliases an existing query ID`
  }
  if (!hasItsSession(tx, body)) return `invalid session ${JSON.stringify(session)}`
  return undefined
}

/** A query that is bound to a session is removed when the session ends. */
export const queryHooks: readonly StateHook[] = [
  onEvent(sessionEnded, (tx, { session }) => {
    for (const { id } of [...queriesOfSession(tx, session)]) tx.delete(queriesTable, id)
  }),
]
