import { z } from 'zod'
import { transactionOperationsMax } from '../../model/limits.ts'
import { releaseOf } from '../../model/release.ts'
import { type CommandDefinition, forgottenRefusal, rememberedRefusalMax } from '../contract/command.ts'
import { bytes, byteText, count } from '../contract/fields.ts'
import type { KvEntry } from '../kv/model.ts'
import {
  judgedOperation,
  type OperationOutcome,
  runOperation,
  type TreeRoom,
  treesBytesMax,
  wholeRoom,
} from '../kv/operations.ts'
import type { OperationError, SettledOutcome, TransactionOutcome } from './model.ts'

const withTransactions = releaseOf('transactions')

/** Maximum number of bytes of entries that are stored for a repeated transaction. Larger results are forgotten. */
const rememberedBytesMax = 4096

const body = z.strictObject({ operations: z.array(judgedOperation).max(transactionOperationsMax).readonly() })

const settled = z.union([
  z.object({ kind: z.literal('done'), entries: z.array(z.looseObject({ key: byteText, value: bytes })) }),
  z.object({ kind: z.literal('failed'), errors: z.array(z.object({ operation: count, what: z.string() })) }),
  z.object({ kind: z.literal('forgotten') }),
])

/** Applies all operations at one index, or none. Each operation sees the effects of those before it. */
export const transactionApply: CommandDefinition<z.infer<typeof body>, TransactionOutcome> = {
  kind: 'txn.apply',
  since: withTransactions,
  body,
  outcome: z.custom<TransactionOutcome>((value) => settled.safeParse(value).success),
  apply: (tx, { operations }) => {
    let outcome: TransactionOutcome = { kind: 'forgotten' }
    tx.attempt(() => {
      const ran = runAll(operations, (operation, room) => runOperation(tx, operation, room))
      // It takes effect in every build: the leader has refused what was too large when it was asked.
      outcome = ran.kind === 'too-large' ? { kind: 'forgotten' } : ran
      return outcome.kind !== 'failed'
    })
    return outcome
  },
  remembered: (outcome) => (outcome.kind === 'failed' ? withShortErrors(outcome) : withoutMany(outcome)),
}

function withoutMany(outcome: TransactionOutcome): TransactionOutcome {
  if (outcome.kind !== 'done') return outcome
  const size = outcome.entries.reduce((sum, { key, value }) => sum + key.length + value.length, 0)
  return size > rememberedBytesMax ? { kind: 'forgotten' } : outcome
}

/** Errors name keys, verbs and sessions as the client sent them. */
function withShortErrors(outcome: Extract<TransactionOutcome, { readonly kind: 'failed' }>): TransactionOutcome {
  const size = outcome.errors.reduce((sum, { what }) => sum + what.length, 0)
  if (size <= rememberedRefusalMax) return outcome
  return { kind: 'failed', errors: outcome.errors.map(({ operation }) => ({ operation, what: forgottenRefusal })) }
}

/** `too-large`: no operation fails, but the trees that were read up to this one are more than a transaction may read. */
type RunOutcome = SettledOutcome | { readonly kind: 'too-large'; readonly operation: number }

/** Runs the operations in order, and continues after a failed one, so that all failures are reported. */
export function runAll<Operation>(
  operations: readonly Operation[],
  run: (operation: Operation, room: TreeRoom) => OperationOutcome,
): RunOutcome {
  const entries: KvEntry[] = []
  const errors: OperationError[] = []
  const room = wholeRoom()
  let excess: number | undefined
  for (const [at, operation] of operations.entries()) {
    const outcome = run(operation, room)
    if (room.left < 0) excess ??= at
    if (outcome.kind === 'failed') errors.push({ operation: at, what: outcome.what })
    else for (const entry of outcome.entries) entries.push(entry)
  }
  if (errors.length > 0) return { kind: 'failed', errors }
  return excess === undefined ? { kind: 'done', entries } : { kind: 'too-large', operation: excess }
}

/** The answer to a transaction that would read too much. */
export function tooLarge(operation: number): SettledOutcome {
  const what = `the trees that this transaction reads are larger than ${treesBytesMax} bytes: read them by themselves`
  return { kind: 'failed', errors: [{ operation, what }] }
}
