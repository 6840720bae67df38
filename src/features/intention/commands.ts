import { z } from 'zod'
import { releaseOf } from '../../model/release.ts'
import type { ReadTransaction } from '../../store/types.ts'
import type { CommandDefinition } from '../contract/command.ts'
import { count, idOrRefusal } from '../contract/fields.ts'
import { contentFields, type IntentionRow, intentionId, intentionText } from './model.ts'
import type { Ends } from './place.ts'
import { intentionsTable } from './tables.ts'
import { intentionBetween, intentionById } from './views.ts'

const first = releaseOf('mesh')

/** `id` is the intention's; for a repeated write, that of the first attempt. A refusal contains the field's line. */
export type IntentionOutcome =
  | { readonly id: string }
  | { readonly refusal: string }
  /** The intention's destination changed since the caller was authorized. */
  | { readonly changedMeanwhile: true }

const intentionOutcome = z.union([idOrRefusal, z.object({ changedMeanwhile: z.literal(true) }).readonly()])

const createBody = z.strictObject({ id: intentionId, ...contentFields, createdMs: count })

/** The leader has drawn the ID and the time, and has checked everything that needs no state. */
export const intentionCreate: CommandDefinition<z.infer<typeof createBody>, IntentionOutcome> = {
  kind: 'intention.create',
  outcome: intentionOutcome,
  since: first,
  body: createBody,
  apply: (tx, body) => {
    if (intentionById(tx, body.id) !== undefined)
      return { refusal: `there is an intention of the ID ${body.id} already` }
    const refusal = duplicate(tx, body)
    if (refusal !== undefined) return { refusal }
    const { createdMs } = body
    tx.put(intentionsTable, { ...body, updatedMs: createdMs, createIndex: tx.index, modifyIndex: tx.index })
    return { id: body.id }
  },
}

/** The destination that the rights were checked for; null: any. */
const seenFor = z.string().nullable()

const updateBody = z.strictObject({ id: intentionId, ...contentFields, updatedMs: count, seenFor })

/** Replaces everything but the creation time. */
export const intentionUpdate: CommandDefinition<z.infer<typeof updateBody>, IntentionOutcome> = {
  kind: 'intention.update',
  outcome: intentionOutcome,
  since: first,
  body: updateBody,
  withoutEffect: (tx, { id }) => unlessThere(tx, id),
  apply: (tx, { seenFor, ...body }) => {
    const known = intentionById(tx, body.id)
    if (known === undefined) return { refusal: missing(body.id) }
    if (isOther(known, seenFor)) return { changedMeanwhile: true }
    const refusal = duplicate(tx, body)
    if (refusal !== undefined) return { refusal }
    const { createdMs, createIndex } = known
    tx.put(intentionsTable, { ...body, createdMs, createIndex, modifyIndex: tx.index })
    return { id: body.id }
  },
}

const deleteBody = z.strictObject({ id: intentionId, seenFor })

export const intentionDelete: CommandDefinition<z.infer<typeof deleteBody>, IntentionOutcome> = {
  kind: 'intention.delete',
  outcome: intentionOutcome,
  since: first,
  body: deleteBody,
  withoutEffect: (tx, { id }) => unlessThere(tx, id),
  apply: (tx, { id, seenFor }) => {
    const known = intentionById(tx, id)
    if (known === undefined) return { refusal: missing(id) }
    if (isOther(known, seenFor)) return { changedMeanwhile: true }
    tx.delete(intentionsTable, id)
    return { id }
  },
}

export function missing(id: string): string {
  return `Cannot modify non-existent intention: '${id}'`
}

function unlessThere(tx: ReadTransaction, id: string): IntentionOutcome | undefined {
  return intentionById(tx, id) === undefined ? { refusal: missing(id) } : undefined
}

function isOther({ destination }: IntentionRow, seenFor: string | null): boolean {
  return seenFor !== null && destination.name !== seenFor
}

function duplicate(tx: ReadTransaction, body: Ends & { readonly id: string }): string | undefined {
  const known = intentionBetween(tx, body)
  return known === undefined || known.id === body.id ? undefined : `duplicate intention found: ${intentionText(known)}`
}
