import { z } from 'zod'
import { listOf } from '../http/declared-answers.ts'
import { type KvEntry, kvEntryJson, kvEntryShape } from '../kv/model.ts'

/** What came of a transaction. */
export type SettledOutcome =
  /** Entries in order of the operations that gave them. */
  | { readonly kind: 'done'; readonly entries: readonly KvEntry[] }
  /** Nothing of it took effect; every operation that failed is named. */
  | { readonly kind: 'failed'; readonly errors: readonly OperationError[] }

/** `forgotten`: it took effect when it came for the first time, and its entries are not remembered. */
export type TransactionOutcome = SettledOutcome | { readonly kind: 'forgotten' }

export interface OperationError {
  /** Counted from 0. */
  readonly operation: number
  readonly what: string
}

const errorShape = z.strictObject({ OpIndex: z.number().int(), What: z.string() })

/** Reference: keys.md#outcomes-of-a-transaction. */
export const outcomeShape = z.strictObject({
  Results: listOf(z.strictObject({ KV: kvEntryShape })).nullable(),
  Errors: listOf(errorShape).nullable(),
})

/** Of one that only reads: beside the outcome, how fresh it is. */
export const readOutcomeShape = z.strictObject({
  ...outcomeShape.shape,
  Index: z.literal(0),
  LastContact: z.number().meta({ description: 'Nanoseconds.' }),
  KnownLeader: z.boolean(),
  ConsistencyLevel: z.literal(''),
})

export function outcomeJson(outcome: SettledOutcome): z.infer<typeof outcomeShape> {
  return {
    Results: outcome.kind === 'done' ? outcome.entries.map((entry) => ({ KV: kvEntryJson(entry) })) : null,
    Errors: outcome.kind === 'failed' ? outcome.errors.map(errorJson) : null,
  }
}

function errorJson({ operation, what }: OperationError): z.infer<typeof errorShape> {
  return { OpIndex: operation, What: what }
}
