import { z } from 'zod'
import { err, ok, type Result } from '../../base/result.ts'
import type { Failure } from '../../model/failure.ts'
import { transactionOperationsMax } from '../../model/limits.ts'
import { byteText } from '../fields.ts'
import { judged, keyOperation, runRead } from '../kv/operations.ts'
import type { QueryEndpoint, ServerContext, WriteEndpoint, WriteIdentity } from '../manifest.ts'
import { measured } from '../measured.ts'
import { transactionApply } from './commands.ts'
import type { SettledOutcome } from './model.ts'
import { runAll } from './run.ts'

const args = z.object({ operations: z.array(keyOperation).max(transactionOperationsMax).readonly() })
export type TransactionArgs = z.infer<typeof args>

export const applyEndpoint: WriteEndpoint<TransactionArgs, SettledOutcome> = {
  method: 'Txn.Apply',
  kind: 'write',
  args,
  serve: apply,
}

async function apply(
  server: ServerContext,
  { operations }: TransactionArgs,
  identity: WriteIdentity | undefined,
): Promise<Result<SettledOutcome, Failure>> {
  const body = { operations: operations.map((operation) => judged(server, operation)) }
  const outcome = await measured(server, 'txn.apply', () => server.propose(transactionApply, body, identity))
  if (!outcome.ok) return outcome
  if (outcome.value.kind !== 'forgotten') return ok(outcome.value)
  return err({
    kind: 'outcome-unknown',
    message: 'the transaction took effect, but what it read is not known any more',
  })
}

const question = z.object({
  verb: z.string(),
  key: byteText,
  /** As digits: questions are compared as JSON, which has no integers of 64 bits. */
  index: z.string().regex(/^[0-9]{1,20}$/),
  session: z.string(),
})
const readArgs = z.object({ questions: z.array(question).max(transactionOperationsMax).readonly() })

/** Operations that change nothing, on one state. */
export const readEndpoint: QueryEndpoint<z.infer<typeof readArgs>, SettledOutcome> = {
  method: 'Txn.Read',
  kind: 'query',
  args: readArgs,
  kept: false,
  // The answer to a transaction has no index.
  query: (tx, { questions }) => ({
    index: 0,
    value: runAll(questions, (asked) => runRead(tx, { ...asked, index: BigInt(asked.index) })),
  }),
}
