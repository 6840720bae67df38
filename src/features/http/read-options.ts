import { parseDuration } from '../../base/duration.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { Failure } from '../../model/failure.ts'
import { blockingWaitMaxMs } from '../../model/limits.ts'
import { type ModifyIndex, modifyIndexOf, noChange } from '../../model/log-position.ts'
import type { CallOptions } from '../contract/call.ts'
import type { Consistency, ReadOptions } from '../contract/reading.ts'
import type { NamesOf, QueryParameters, RouteRequest } from '../contract/route.ts'
import type { WithSelf } from '../contract/route-context.ts'
import type { consistencyParameters, readParameters, waitingParameters } from './declared.ts'

/** Parameters of a read (parameters.ts). */
export type ReadName = NamesOf<typeof readParameters>

/**
 * The options of a read. Every endpoint that accepts `dc` accepts all of them, including writes. Reference:
 * http-conventions.md#common-query-parameters, http-reads.md#consistency-modes.
 */
export function parseReadOptions(context: WithSelf, query: QueryParameters<ReadName>): Result<ReadOptions, Failure> {
  const age = parseConsistency(query)
  if (!age.ok) return age
  const waiting = parseWaiting(query)
  if (!waiting.ok) return waiting
  // Written out member by member, because it runs for every request: copying by spread costs several times as much.
  const { consistency, maxStaleMs } = age.value
  const { minIndex, waitMs } = waiting.value
  return ok({ consistency, maxStaleMs, minIndex, waitMs, datacenter: otherDatacenter(context, query) })
}

function parseConsistency(
  query: QueryParameters<NamesOf<typeof consistencyParameters>>,
): Result<{ readonly consistency: Consistency; readonly maxStaleMs: number }, Failure> {
  const bound = query.get('max_stale') ?? ''
  const maxStale = bound === '' ? ok(0) : parseDuration(bound)
  if (!maxStale.ok) return badRequest(`Invalid max_stale value ${JSON.stringify(bound)}`)
  const maxStaleMs = Math.max(0, maxStale.value)
  const stale = query.has('stale') || maxStaleMs > 0
  const consistent = query.has('consistent')
  if (stale && consistent) return badRequest('Cannot specify ?stale with ?consistent, conflicting semantics.')
  if (query.has('cached') && consistent) {
    return badRequest('Cannot specify ?cached with ?consistent, conflicting semantics.')
  }
  return ok({ consistency: stale ? 'stale' : consistent ? 'consistent' : 'default', maxStaleMs })
}

const noWaiting = { minIndex: noChange, waitMs: 0 } as const

function parseWaiting(
  query: QueryParameters<NamesOf<typeof waitingParameters>>,
): Result<{ readonly minIndex: ModifyIndex; readonly waitMs: number }, Failure> {
  const waitText = query.get('wait') ?? ''
  const wait = waitText === '' ? ok(0) : parseDuration(waitText)
  if (!wait.ok) return badRequest('Invalid wait time')
  const indexText = query.get('index') ?? ''
  if (waitText === '' && indexText === '') return ok(noWaiting)
  const index = indexText === '' ? ok(0n) : parseUint(indexText)
  if (!index.ok) return badRequest('Invalid index')
  // No index gets near 2^53: a larger one waits until the time is up, as it should.
  const minIndex = index.value > Number.MAX_SAFE_INTEGER ? Number.MAX_SAFE_INTEGER : Number(index.value)
  return ok({ minIndex: modifyIndexOf(minIndex), waitMs: Math.min(Math.max(0, wait.value), blockingWaitMaxMs) })
}

/** Empty for the agent's own datacenter. */
function otherDatacenter(context: WithSelf, query: QueryParameters<'dc'>): string {
  const named = query.get('dc') ?? ''
  return named === '' || named === context.self().datacenter ? '' : named
}

/** The call of a write, in the datacenter that the request names. */
export function callIn(
  { call }: Pick<RouteRequest, 'call'>,
  { datacenter }: Pick<ReadOptions, 'datacenter'>,
): CallOptions {
  return datacenter === '' ? call : { ...call, datacenter }
}

/** The options of a write, from the request. */
export function writingCall(
  context: WithSelf,
  request: Pick<RouteRequest<ReadName>, 'call' | 'query'>,
): Result<CallOptions, Failure> {
  const options = parseReadOptions(context, request.query)
  return options.ok ? ok(callIn(request, options.value)) : options
}

function badRequest(message: string): Result<never, Failure> {
  return err({ kind: 'bad-request', message })
}

const uint64Max = 0xffff_ffff_ffff_ffffn
/** Number of digits of the greatest value. */
const digitsMax = 20

/** Parses decimal digits as an unsigned 64-bit integer. The error is the text that clients of the field know. */
export function parseUint(text: string): Result<bigint, string> {
  if (!/^[0-9]+$/.test(text)) return err(`strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`)
  // Converting digits takes time quadratic in their number.
  const digits = text.length > digitsMax ? text.replace(/^0+(?=.)/, '') : text
  const value = digits.length > digitsMax ? undefined : BigInt(digits)
  if (value === undefined || value > uint64Max)
    return err(`strconv.ParseUint: parsing ${JSON.stringify(text)}: value out of range`)
  return ok(value)
}
