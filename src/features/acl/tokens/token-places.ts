import { ok, type Result } from '../../../base/result.ts'
import type { Failure } from '../../../model/failure.ts'
import { noChange } from '../../../model/log-position.ts'
import type { QueryEndpoint, WriteEndpoint } from '../../contract/endpoint.ts'
import type { ReadOptions } from '../../contract/reading.ts'
import { failed, failedRead } from '../../contract/route.ts'
import type { WithQueries, WithSelf, WithServerCalls, WithWrites } from '../../contract/route-context.ts'
import type { InMode } from '../asked.ts'
import type { TokenRow } from '../model.ts'
import { type AclRequest, type Entered, type Found, idInPath, oneFound, readNew, writeNew } from '../route-checks.ts'
import { tokenReadEndpoint, tokensKeptEndpoint } from './token-endpoints.ts'
import type { HereOrThere } from './token-write-endpoints.ts'

const elsewhere = {
  kind: 'refused',
  message: 'the datacenter that is configured as the primary one considers another one primary',
} as const

/** Asks in the datacenter that the request names, and in the primary one if that datacenter does not own the token. */
export async function hereOrThere<Args, T extends TokenRow | boolean | null>(
  context: WithWrites & WithSelf,
  request: AclRequest,
  entry: Entered,
  write: readonly [endpoint: WriteEndpoint<Args, HereOrThere<T>>, args: Args],
): Promise<Result<T, Failure>> {
  const here = await writeNew(context, request, entry, 'asked', write)
  if (!here.ok) return here
  if ('here' in here.value) return ok(here.value.here)
  const there = await writeNew(context, request, entry, 'primary', write)
  if (!there.ok) return there
  return 'here' in there.value ? ok(there.value.here) : { ok: false, error: elsewhere }
}

/**
 * The options of a read about tokens: in the datacenter that the request names, or in the primary one if that
 * datacenter keeps no tokens.
 */
export async function readWhereKept(
  context: WithServerCalls & WithSelf,
  { call }: Pick<AclRequest, 'call'>,
  { access, read }: Entered,
): Promise<Result<ReadOptions, Failure>> {
  const own = context.self().datacenter
  const { primaryDatacenter } = access
  if ((read.datacenter === '' ? own : read.datacenter) === primaryDatacenter) return ok(read)
  const kept = await context.ask(tokensKeptEndpoint, {}, { ...read, minIndex: noChange, waitMs: 0 }, call)
  // A server of an earlier build answers by its own state, whatever that has.
  if (kept.ok ? kept.value : kept.error.kind === 'unknown-method') return ok(read)
  if (!kept.ok) return kept
  return ok({ ...read, datacenter: primaryDatacenter === own ? '' : primaryDatacenter })
}

/** As `readNew`, about tokens. */
export async function readTokens<Args, T>(
  context: WithQueries & WithServerCalls & WithSelf,
  request: AclRequest,
  entry: Entered,
  endpoint: QueryEndpoint<Args, InMode<T>>,
  args: Args,
): Promise<Found<T>> {
  const here = entry.read.datacenter === '' ? entry.access.refusesNew() : undefined
  if (here !== undefined) return { response: failed(here) }
  const read = await readWhereKept(context, request, entry)
  return read.ok
    ? readNew(context, request, { ...entry, read: read.value }, endpoint, args)
    : { response: failedRead(read.error) }
}

/**
 * The token whose accessor is in the path, or the answer if there is none. Reference: access-control.md#unknown-id,
 * access-control.md#malformed-accessor.
 */
export async function tokenInPath(
  context: WithQueries & WithServerCalls & WithSelf,
  request: AclRequest,
  entry: Entered,
): Promise<Found<TokenRow>> {
  const accessor = idInPath(request, 'token')
  if (!accessor.ok) return { response: accessor.error }
  const read = await readTokens(context, request, entry, tokenReadEndpoint, { accessor: accessor.value })
  if ('response' in read) return read
  const { found, meta } = read
  return oneFound('malformed' in found ? found : { row: found.token }, meta)
}
