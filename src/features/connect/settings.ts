import type { ServerContext } from '../contract/server-context.ts'
import { defaultLeafTtlMinMs, defaultLeavesPerSecond, defaultSkewMs, type MeshTimes } from './limits.ts'
import type { ProviderKind } from './provider/provider.ts'

/** The parts that the leader's authority is built from. */
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
