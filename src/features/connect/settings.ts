import type { ServerContext } from '../contract/server-context.ts'
import { defaultLeafTtlMinMs, defaultLeavesPerSecond, defaultSkewMs, type MeshTimes } from './limits.ts'
import type { ProviderKind } from './provider/provider.ts'

/** What the leader's part of the authority is made with. */
export interface AuthorityParts extends MeshTimes {
  readonly server: ServerContext
  readonly kinds: readonly ProviderKind[]
  readonly leavesPerSecond: number
}

export function partsOf(server: ServerContext, kinds: readonly ProviderKind[]): AuthorityParts {
  const {
    skewMs = defaultSkewMs,
    leafTtlMinMs = defaultLeafTtlMinMs,
    leavesPerSecond = defaultLeavesPerSecond,
  } = server.mesh ?? {}
  return { server, kinds, skewMs, leafTtlMinMs, leavesPerSecond }
}
