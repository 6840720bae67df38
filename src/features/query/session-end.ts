import { onEvent, type StateHook } from '../../store/types.ts'
import { sessionEnded } from '../session/model.ts'
import { queriesTable } from './tables.ts'
import { queriesOfSession } from './views.ts'

/** A query that is bound to a session is removed when the session ends. */
export const queryHooks: readonly StateHook[] = [
  onEvent(sessionEnded, (tx, { session }) => {
    for (const { id } of [...queriesOfSession(tx, session)]) tx.delete(queriesTable, id)
  }),
]
