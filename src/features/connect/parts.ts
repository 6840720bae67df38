import { type Failure, failureText } from '../../model/failure.ts'
import type { WithMeshSettings } from '../contract/mesh.ts'
import type {
  WithConsensus,
  WithDatacenters,
  WithFederation,
  WithPlace,
  WithProposals,
  WithState,
  WithWatches,
} from '../contract/server-context.ts'
import type { WithEnv, WithNaming } from '../contract/surroundings.ts'
import { defaultLeafTtlMinMs, defaultLeavesPerSecond, defaultSkewMs, type MeshTimes } from './limits.ts'
import type { ProviderFailure, ProviderKind } from './provider/provider.ts'

/** The server as far as the authority uses it. */
export type AuthorityServer = WithEnv &
  WithNaming &
  WithState &
  WithProposals &
  WithWatches &
  WithConsensus &
  WithPlace &
  WithDatacenters &
  WithMeshSettings &
  WithFederation

/** The parts that the leader's authority is built from. */
export interface AuthorityParts extends MeshTimes {
  readonly server: AuthorityServer
  readonly kinds: readonly ProviderKind[]
  readonly leavesPerSecond: number
}

export function partsOf(server: AuthorityServer, kinds: readonly ProviderKind[]): AuthorityParts {
  const {
    skewMs = defaultSkewMs,
    leafTtlMinMs = defaultLeafTtlMinMs,
    leavesPerSecond = defaultLeavesPerSecond,
  } = server.mesh ?? {}
  return { server, kinds, skewMs, leafTtlMinMs, leavesPerSecond }
}

/** The result of one task of the leader for the authority. */
export type Step =
  /** Work was done: the next task is looked for at once. */
  | { readonly kind: 'did' }
  /** Nothing is due until something changes, or this time has passed. */
  | { readonly kind: 'idle'; readonly forMs: number }
  /** To be retried later. `message` is for operators, and contains no secret. */
  | { readonly kind: 'failed'; readonly by: 'provider' | 'replication' | 'time'; readonly message: string }

export const did: Step = { kind: 'did' }

export function failedBy({ message }: ProviderFailure): Step {
  return { kind: 'failed', by: 'provider', message }
}

export function notReplicated(failure: Failure): Step {
  return { kind: 'failed', by: 'replication', message: failureText(failure) }
}
