import type { ServerContext } from '../manifest.ts'
import { defaultLeavesPerSecond, defaultSkewMs } from './limits.ts'
import type { ProviderKind } from './provider.ts'

/** What the leader's part of the authority is made with. */
export interface AuthorityParts {
  readonly server: ServerContext
  readonly kinds: readonly ProviderKind[]
  readonly skewMs: number
  readonly leavesPerSecond: number
}

export function partsOf(server: ServerContext, kinds: readonly ProviderKind[]): AuthorityParts {
  const { skewMs = defaultSkewMs, leavesPerSecond = defaultLeavesPerSecond } = server.mesh ?? {}
  return { server, kinds, skewMs, leavesPerSecond }
}
