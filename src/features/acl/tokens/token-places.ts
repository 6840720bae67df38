import { ok, type Result } from '../../../base/result.ts'
import type { Failure } from '../../../model/failure.ts'
import type { WriteEndpoint } from '../../contract/endpoint.ts'
import type { WithQueries, WithSelf, WithServerCalls, WithWrites } from '../../contract/route-context.ts'
import type { TokenRow } from '../model.ts'
import { type AclRequest, type Entered, type Found, idInPath, oneFound, readNew, writeNew } from '../route-checks.ts'
import { tokenReadEndpoint } from './token-endpoints.ts'
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
 * The token whose accessor is in the path, or the answer if there is none. Reference: access-control.md#unknown-id,
 * access-control.md#malformed-accessor.
 */
export async function tokenInPath(
  context: WithQueries & WithServerCalls,
  request: AclRequest,
  entry: Entered,
): Promise<Found<TokenRow>> {
  const accessor = idInPath(request, 'token')
  if (!accessor.ok) return { response: accessor.error }
  const read = await readNew(context, request, entry, tokenReadEndpoint, { accessor: accessor.value })
  if ('response' in read) return read
  const { found, meta } = read
  return oneFound('malformed' in found ? found : { row: found.token }, meta)
}
