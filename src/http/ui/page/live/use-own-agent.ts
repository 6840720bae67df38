import type { Self } from '../api/catalog-shapes.ts'
import type { Failure } from '../api/failure.ts'
import { useCaller } from './context.ts'
import { rarelyMs, useLive } from './use-live.ts'

/** The agent behind this page. */
export interface OwnAgent {
  /** Undefined while it is not known, or the token may not read it. */
  readonly self: Self | undefined
  /** Whether the page shows its datacenter, or another one, which may have nodes of the same names. */
  readonly isHere: boolean
  /** Whether it requires tokens; undefined while that is not known. */
  readonly hasAccessControl: boolean | undefined
}

export function useOwnAgent(): OwnAgent {
  const { client } = useCaller()
  const { value: self, failure } = useLive<Self>('/v1/agent/self', {}, rarelyMs)
  const { datacenter } = client.caller
  const isHere = datacenter === '' || datacenter === self?.Config.Datacenter
  return { self, isHere, hasAccessControl: hasAccessControl(self, failure) }
}

/** An agent that refuses to be described requires a token for that. */
export function hasAccessControl(self: Self | undefined, failure: Failure | undefined): boolean | undefined {
  if (self !== undefined) return self.DebugConfig['ACLsEnabled'] === true
  return failure === undefined ? undefined : failure.kind === 'refused' || failure.kind === 'unknown-token'
}

/** Whether a node of the datacenter that is shown is that of the agent behind this page. */
export function isOwnNode({ self, isHere }: OwnAgent, node: string): boolean {
  return isHere && self?.Config.NodeName === node
}
