import { z } from 'zod'
import { kvValueBytesMax, transactionOperationsMax } from '../../model/limits.ts'
import type { AgentContext } from '../contract/agent-context.ts'
import type { ReadOptions } from '../contract/reading.ts'
import { declared, failed, type Route, type RouteRequest, type RouteResponse } from '../contract/route.ts'
import { jsonAnswer } from '../http/declared-answers.ts'
import { readParameters } from '../http/parameters.ts'
import { callIn, parseReadOptions, type ReadName } from '../http/read-options.ts'
import { isWrite, type KeyOperation } from '../kv/operations.ts'
import { operationsOf, transactionBody } from './body.ts'
import { applyEndpoint, readEndpoint } from './endpoint.ts'
import { outcomeJson, outcomeShape, readOutcomeShape, type SettledOutcome } from './model.ts'

/** Of one that only reads. */
const contact = ['knownLeader?', 'lastContact?'] as const

/** Reference: keys.md#transactions. */
export const txnRoutes: readonly Route[] = [
  {
    path: '/v1/txn',
    since: 'transactions',
    operations: {
      PUT: declared({
        summary: 'Several operations on keys, all of them or none',
        access: { asks: 'key:read or key:write of each operation' },
        query: readParameters,
        body: {
          about: `Up to ${transactionOperationsMax} operations; their values together up to ${kvValueBytesMax} bytes.`,
          required: true,
          json: transactionBody.accepts,
        },
        answers: [
          jsonAnswer('What each gave.', z.union([outcomeShape, readOutcomeShape]), contact),
          jsonAnswer('Nothing of it took effect, and why.', z.union([outcomeShape, readOutcomeShape]), contact, 409),
        ],
        handle: transact,
      }),
    },
  },
]

async function transact(agent: AgentContext, request: RouteRequest<ReadName>): Promise<RouteResponse> {
  const options = parseReadOptions(agent, request.query)
  if (!options.ok) return failed(options.error)
  const operations = operationsOf(request.body)
  if (!operations.ok) return failed(operations.error)
  return operations.value.some(isWrite)
    ? apply(agent, request, operations.value, options.value)
    : read(agent, request, operations.value, options.value)
}

async function apply(
  agent: AgentContext,
  request: RouteRequest,
  operations: readonly KeyOperation[],
  options: ReadOptions,
): Promise<RouteResponse> {
  const outcome = await agent.write(applyEndpoint, { operations }, callIn(request, options))
  if (!outcome.ok) return failed(outcome.error)
  return { kind: 'json', status: statusOf(outcome.value), value: outcomeJson(outcome.value) }
}

/** Never blocks, whatever index was given. */
async function read(
  agent: AgentContext,
  request: RouteRequest,
  operations: readonly KeyOperation[],
  options: ReadOptions,
): Promise<RouteResponse> {
  const questions = operations.map(({ verb, key, index, session }) => ({ verb, key, index: String(index), session }))
  const answer = await agent.query(readEndpoint, { questions }, { ...options, minIndex: 0, waitMs: 0 }, request.call)
  if (!answer.ok) return failed(answer.error)
  const { value: outcome, meta } = answer.value
  return {
    kind: 'json',
    status: statusOf(outcome),
    contact: meta,
    value: {
      ...outcomeJson(outcome),
      Index: 0,
      LastContact: Math.trunc(meta.lastContactMs) * 1e6,
      KnownLeader: meta.knownLeader,
      ConsistencyLevel: '',
    },
  }
}

function statusOf({ kind }: SettledOutcome): number {
  return kind === 'done' ? 200 : 409
}
