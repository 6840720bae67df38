import type { KvEntry } from '../kv/model.ts'
import type { OperationOutcome } from '../kv/operations.ts'
import type { OperationError, SettledOutcome } from './model.ts'

/** Runs the operations in order, and continues after a failed one, so that all failures are reported. */
export function runAll<Operation>(
  operations: readonly Operation[],
  run: (operation: Operation) => OperationOutcome,
): SettledOutcome {
  const entries: KvEntry[] = []
  const errors: OperationError[] = []
  for (const [at, operation] of operations.entries()) {
    const outcome = run(operation)
    if (outcome.kind === 'failed') errors.push({ operation: at, what: outcome.what })
    else for (const entry of outcome.entries) entries.push(entry)
  }
  return errors.length > 0 ? { kind: 'failed', errors } : { kind: 'done', entries }
}
