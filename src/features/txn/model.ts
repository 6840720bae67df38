import { z } from 'zod'
import { listOf } from '../http/declared.ts'
import { type KvEntry, kvEntryJson, kvEntryShape } from '../kv/model.ts'

/** The outcome of a transaction. */
export type SettledOutcome =
  /** Entries in the order of their operations. */
  | { readonly kind: 'done'; readonly entries: readonly KvEntry[] }
  /** Nothing took effect; every failed operation is named. */
  | { readonly kind: 'failed'; readonly errors: readonly OperationError[] }

/** `forgotten`: it took effect at its first attempt, and its entries were not stored. */
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

/** For a transaction that only reads: the outcome, and its freshness. */
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
