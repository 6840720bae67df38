import type { Failure } from '../../../model/failure.ts'
import { isBuiltInProvider } from '../../../model/naming/names.ts'
import type { WithProposals } from '../../contract/server-context.ts'
import { recordLeaves } from '../commands.ts'
import type { MeshTimes } from '../limits.ts'
import type { ProviderKind } from '../provider/provider.ts'

/**
 * The expiry to request from a provider below a chain that ends at the given time. An external provider counts from its
 * own clock, which may be fast, and from the arrival of the call; a leaf beyond the end could not be used. If little
 * time is left, half of it is reserved for that.
 */
export function endToAskFor(
  { name }: Pick<ProviderKind, 'name'>,
  chainEndMs: number,
  { nowMs, skewMs }: Pick<MeshTimes, 'skewMs'> & { readonly nowMs: number },
): number {
  if (isBuiltInProvider(name)) return chainEndMs
  return Math.max(chainEndMs - skewMs, nowMs + (chainEndMs - nowMs) / 2)
}

/**
 * A provider with a clock of its own may have given a longer leaf than was recorded: the leaf is handed out only after
 * that is recorded, too.
 */
export async function recordLonger(
  server: WithProposals,
  {
    rootId,
    datacenter,
    endMs,
    signedUntilMs,
  }: { readonly rootId: string; readonly datacenter: string; readonly endMs: number; readonly signedUntilMs: number },
): Promise<Failure | undefined> {
  if (signedUntilMs <= endMs) return undefined
  const again = await server.propose(recordLeaves, { rootId, datacenter, count: 1, expiresMs: signedUntilMs })
  if (!again.ok) return again.error
  return again.value === null ? { kind: 'refused', message: 'the root has changed meanwhile' } : undefined
}
