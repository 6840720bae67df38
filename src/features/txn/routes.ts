import { z } from 'zod'
import { byteString } from '../../base/bytes.ts'
import { type Json, writeJson } from '../../base/json.ts'
import type { JsonInput } from '../../base/json-input.ts'
import { lowerAscii } from '../../base/letter-case.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { Failure } from '../../model/failure.ts'
import { kvValueBytesMax, transactionOperationsMax } from '../../model/limits.ts'
import { noChange } from '../../model/log-position.ts'
import type { ReadOptions } from '../contract/reading.ts'
import { declared, failed, type Route, type RouteRequest, type RouteResponse } from '../contract/route.ts'
import type { WithQueries, WithSelf, WithWrites } from '../contract/route-context.ts'
import { jsonAnswer, readParameters } from '../http/declared.ts'
import { base64Bytes, decodeBody, decoder, list, nullable, object, text, uint64 } from '../http/json-body.ts'
import { callIn, parseReadOptions, type ReadName } from '../http/read-options.ts'
import { isWrite, type KeyOperation } from '../kv/operations.ts'
import { applyEndpoint, readEndpoint } from './endpoint.ts'
import { outcomeJson, outcomeShape, readOutcomeShape, type SettledOutcome } from './model.ts'

/** The part of the route context that these routes use. */
type TxnContext = WithWrites & WithQueries & WithSelf

/** Maximum number of characters shown of a body. */
const shownMax = 200

const operations = list(
  object({
    KV: nullable(object({ Verb: text, Key: text, Value: base64Bytes, Flags: uint64, Index: uint64, Session: text })),
  }),
)

const transactionBody: typeof operations = decoder(operations.accepts, (value, place, report) => {
  // The text for an empty object is that of a recorded exchange.
  if (isObject(value)) report.malformed(`unexpected raw type: ${value.size === 0 ? 'map[]' : shown(value)}`)
  return operations(value, place, report)
})

function isObject(value: JsonInput | undefined): value is ReadonlyMap<string, JsonInput> {
  return value instanceof Map
}

function shown(value: JsonInput): string {
  const text = writeJson(toJson(value))
  return text.length <= shownMax ? text : `${text.slice(0, shownMax)}…`
}

function toJson(value: JsonInput): Json {
  if (isObject(value)) return Object.fromEntries([...value].map(([name, member]) => [name, toJson(member)]))
  return Array.isArray(value) ? (value as readonly JsonInput[]).map(toJson) : (value as Json)
}

/** Parses the body of a transaction. Operations on anything but keys are ignored, as in the field. */
export function operationsOf(body: Uint8Array): Result<readonly KeyOperation[], Failure> {
  const decoded = decodeBody(body, transactionBody, 'Failed to parse body')
  if (!decoded.ok) return decoded
  const given = decoded.value.length
  if (given > transactionOperationsMax) {
    return tooLarge(`Transaction contains too many operations (${given} > ${transactionOperationsMax})`)
  }
  let size = 0
  const taken: KeyOperation[] = []
  for (const { KV } of decoded.value) {
    if (KV === null) continue
    const { length } = KV.Value
    if (length > kvValueBytesMax) {
      return tooLarge(`Value for key ${JSON.stringify(KV.Key)} is too large (${length} > ${kvValueBytesMax} bytes)`)
    }
    size += length
    taken.push({
      verb: KV.Verb,
      key: byteString(KV.Key),
      value: KV.Value,
      flags: KV.Flags,
      index: KV.Index,
      session: lowerAscii(KV.Session),
    })
  }
  if (size <= kvValueBytesMax) return ok(taken)
  return tooLarge(`Cumulative size of key data is too large (${size} > ${kvValueBytesMax} bytes)`)
}

function tooLarge(message: string): Result<never, Failure> {
  return err({ kind: 'too-large', message })
}

/** Of one that only reads. */
const contact = ['knownLeader?', 'lastContact?'] as const

/** Reference: keys.md#transactions. */
export const txnRoutes: readonly Route<TxnContext>[] = [
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
          jsonAnswer('The result of each operation.', z.union([outcomeShape, readOutcomeShape]), contact),
          jsonAnswer(
            'No operation took effect; the body says why.',
            z.union([outcomeShape, readOutcomeShape]),
            contact,
            409,
          ),
        ],
        handle: transact,
      }),
    },
  },
]

async function transact(context: TxnContext, request: RouteRequest<ReadName>): Promise<RouteResponse> {
  const options = parseReadOptions(context, request.query)
  if (!options.ok) return failed(options.error)
  const operations = operationsOf(request.body)
  if (!operations.ok) return failed(operations.error)
  return operations.value.some(isWrite)
    ? apply(context, request, operations.value, options.value)
    : read(context, request, operations.value, options.value)
}

async function apply(
  context: WithWrites,
  request: RouteRequest,
  operations: readonly KeyOperation[],
  options: ReadOptions,
): Promise<RouteResponse> {
  const outcome = await context.write(applyEndpoint, { operations }, callIn(request, options))
  if (!outcome.ok) return failed(outcome.error)
  return { kind: 'json', status: statusOf(outcome.value), value: outcomeJson(outcome.value) }
}

/** Never blocks, whatever index was given. */
async function read(
  context: WithQueries,
  request: RouteRequest,
  operations: readonly KeyOperation[],
  options: ReadOptions,
): Promise<RouteResponse> {
  const questions = operations.map(({ verb, key, index, session }) => ({ verb, key, index: String(index), session }))
  const answer = await context.query(
    readEndpoint,
    { questions },
    { ...options, minIndex: noChange, waitMs: 0 },
    request.call,
  )
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
