import { z } from 'zod'
import type { Authorizer } from '../../access/authorizer.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { type Failure, failureText } from '../../model/failure.ts'
import { transactionOperationsMax } from '../../model/limits.ts'
import { noChange } from '../../model/log-position.ts'
import type { ReadTransaction } from '../../store/types.ts'
import { filters, permissionDenied, tellDenied, within } from '../contract/access.ts'
import type { WriteIdentity } from '../contract/command.ts'
import type { QueryEndpoint, WriteEndpoint } from '../contract/endpoint.ts'
import { byteText, count } from '../contract/fields.ts'
import { checkedWith, listOfAll } from '../contract/reply.ts'
import type { WithConsensus, WithDuties, WithProposals, WithState } from '../contract/server-context.ts'
import { measured, type WithEnv } from '../contract/surroundings.ts'
import { oneForAll } from '../contract/visible-index.ts'
import {
  entriesSeenBy,
  excessOf,
  isWrite,
  judged,
  type KeyOperation,
  type KeyQuestion,
  keyOperation,
  operationRefused,
  runRead,
} from '../kv/operations.ts'
import { isKvEntry } from '../kv/replies.ts'
import { runAll, tooLarge, transactionApply } from './commands.ts'
import type { OperationError, SettledOutcome, TransactionOutcome } from './model.ts'

/** The part of the server that these endpoints use. */
type TxnServer = WithEnv & WithState & WithProposals & WithConsensus & WithDuties

const settledOutcome = z.union([
  z.object({ kind: z.literal('done'), entries: checkedWith(listOfAll(isKvEntry)) }),
  z.object({ kind: z.literal('failed'), errors: z.array(z.object({ operation: count, what: z.string() })) }),
])

const args = z.object({ operations: z.array(keyOperation).max(transactionOperationsMax).readonly() })
export type TransactionArgs = z.infer<typeof args>

export const applyEndpoint: WriteEndpoint<TransactionArgs, SettledOutcome, TxnServer> = {
  method: 'Txn.Apply',
  kind: 'write',
  args,
  reply: settledOutcome,
  access: within('the answer shows for each operation whether it is refused'),
  serve: apply,
}

async function apply(
  server: TxnServer,
  { operations }: TransactionArgs,
  identity: WriteIdentity | undefined,
  authorizer: Authorizer,
): Promise<Result<SettledOutcome, Failure>> {
  const refused = refusedOf(authorizer, operations)
  if (refused.length > 0) {
    const [first] = operations.flatMap((operation) => operationRefused(authorizer, operation) ?? [])
    if (first !== undefined) tellDenied(server.env, authorizer, first, 'Txn.Apply')
    return ok({ kind: 'failed', errors: refused })
  }
  if (!operations.some(isWrite)) return read(server, operations, authorizer)
  const excess = excessOf(server, operations)
  if (excess !== undefined) return crowded(server, excess, identity, authorizer)
  const body = { operations: operations.map((operation) => judged(server, operation)) }
  return answered(
    authorizer,
    await measured(server, 'txn.apply', () => server.propose(transactionApply, body, identity)),
  )
}

/** The trees have no room. An earlier attempt of the same call may have had it, and taken effect. */
async function crowded(
  server: TxnServer,
  excess: number,
  identity: WriteIdentity | undefined,
  authorizer: Authorizer,
): Promise<Result<SettledOutcome, Failure>> {
  const leads = await server.leads()
  if (!leads.ok) return leads
  const before = server.earlier(transactionApply, identity)
  return before === undefined ? ok(tooLarge(excess)) : answered(authorizer, before)
}

function answered(
  authorizer: Authorizer,
  outcome: Result<TransactionOutcome, Failure>,
): Result<SettledOutcome, Failure> {
  if (!outcome.ok) return outcome
  if (outcome.value.kind !== 'forgotten') return ok(seenBy(authorizer, outcome.value))
  return err({
    kind: 'outcome-unknown',
    message: 'the transaction took effect, but what it read is no longer known',
    final: true,
  })
}

/** Transactions that only read need no rights to be answered, and are kept out of the log. */
async function read(
  server: WithState & WithConsensus,
  operations: readonly KeyOperation[],
  authorizer: Authorizer,
): Promise<Result<SettledOutcome, Failure>> {
  const leads = await server.leads()
  if (!leads.ok) return leads
  return ok(seenBy(authorizer, readAll(server.read(), operations)))
}

function readAll(tx: ReadTransaction, questions: readonly KeyQuestion[]): SettledOutcome {
  const ran = runAll(questions, (question, room) => runRead(tx, question, room))
  return ran.kind === 'too-large' ? tooLarge(ran.operation) : ran
}

/** The operations that the token may not do. */
function refusedOf(
  authorizer: Authorizer,
  operations: readonly Pick<KeyOperation, 'verb' | 'key'>[],
): readonly OperationError[] {
  if (authorizer.unrestricted) return []
  const what = failureText(permissionDenied())
  return [...operations.entries()].flatMap(([operation, each]) =>
    operationRefused(authorizer, each) === undefined ? [] : [{ operation, what }],
  )
}

/** The outcome without entries that the token may not read. */
function seenBy(authorizer: Authorizer, outcome: SettledOutcome): SettledOutcome {
  if (outcome.kind === 'failed') return outcome
  const entries = entriesSeenBy(authorizer, outcome.entries)
  return entries === outcome.entries ? outcome : { ...outcome, entries }
}

const question = z.object({
  verb: z.string(),
  key: byteText,
  /** As digits: requests are compared as JSON, which has no 64-bit integers. */
  index: z.string().regex(/^[0-9]{1,20}$/),
  session: z.string(),
})
const readArgs = z.object({ questions: z.array(question).max(transactionOperationsMax).readonly() })

/** Operations that change nothing, on one state. */
export const readEndpoint: QueryEndpoint<z.infer<typeof readArgs>, SettledOutcome> = {
  method: 'Txn.Read',
  kind: 'query',
  args: readArgs,
  reply: settledOutcome,
  access: filters((authorizer, outcome, { questions }) => {
    const errors = refusedOf(authorizer, questions)
    return errors.length > 0 ? { kind: 'failed', errors } : seenBy(authorizer, outcome)
  }, oneForAll('the answer to a transaction has no index')),
  kept: false,
  // The answer to a transaction has no index.
  query: (tx, { questions }) => ({
    index: noChange,
    value: readAll(
      tx,
      questions.map((asked) => ({ ...asked, index: BigInt(asked.index) })),
    ),
  }),
}
