import type { Failure } from '../../../model/failure.ts'
import { productName } from '../../../model/names.ts'
import type { ServerContext } from '../../contract/server-context.ts'
import { recordLeaves } from '../commands.ts'
import type { MeshTimes } from '../limits.ts'
import type { ProviderKind } from '../provider/provider.ts'

/**
 * Until when a provider may be asked to sign below a chain that ends then. One that is elsewhere counts from its own clock, which may be
 * ahead, and from when the call has come to it: what it gave beyond the end could not go out. Of little time half is left to that.
 */
export function endToAskFor(
  { name }: Pick<ProviderKind, 'name'>,
  chainEndMs: number,
  { nowMs, skewMs }: Pick<MeshTimes, 'skewMs'> & { readonly nowMs: number },
): number {
  if (name === productName) return chainEndMs
  return Math.max(chainEndMs - skewMs, nowMs + (chainEndMs - nowMs) / 2)
}

/** A provider that goes by a clock of its own may have given more than was recorded: it goes out only when that is, too. */
export async function recordLonger(
  server: ServerContext,
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
