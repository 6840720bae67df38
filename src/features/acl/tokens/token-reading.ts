import { textOfByteString } from '../../../base/bytes.ts'
import type { AgentContext } from '../../contract/agent-context.ts'
import type { TokenRow } from '../model.ts'
import { type AclRequest, badShape, entered, type Found, failedRead, readNew } from '../route-checks.ts'
import { tokenReadEndpoint } from './token-endpoints.ts'

/**
 * The token whose accessor is in the path, or the answer if there is none. Reference: access-control.md#unknown-id,
 * access-control.md#malformed-accessor.
 */
export async function tokenInPath(agent: AgentContext, request: AclRequest): Promise<Found<TokenRow>> {
  const entry = entered(agent, request)
  if (!entry.ok) return { response: entry.error }
  const accessor = textOfByteString(request.rest)
  if (accessor === '') return { response: badShape('Missing token ID') }
  const read = await readNew(agent, request, entry.value, tokenReadEndpoint, { accessor })
  if ('response' in read) return read
  const { found, meta } = read
  if ('malformed' in found) return { response: failedRead({ kind: 'refused', message: found.malformed }, meta) }
  if (found.token === null) return { response: failedRead({ kind: 'token-not-found' }, meta) }
  return { found: found.token, meta }
}
