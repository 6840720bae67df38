import type { Json } from '../../base/json.ts'
import { type KvEntry, kvEntryJson } from '../kv/model.ts'

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

/** Reference: HTTP API 7. */
export function outcomeJson(outcome: SettledOutcome) {
  return {
    Results: outcome.kind === 'done' ? outcome.entries.map((entry): Json => ({ KV: kvEntryJson(entry) })) : null,
    Errors: outcome.kind === 'failed' ? outcome.errors.map(errorJson) : null,
  }
}

function errorJson({ operation, what }: OperationError): Json {
  return { OpIndex: operation, What: what }
}
