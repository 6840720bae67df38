import type { Self } from '../api/catalog-shapes.ts'
import { useCaller } from './context.ts'
import { rarelyMs, useLive } from './use-live.ts'

/** The agent behind this page. */
export interface OwnAgent {
  /** Undefined while it is not known, or the token may not read it. */
  readonly self: Self | undefined
  /** Whether the page shows its datacenter, or another one, which may have nodes of the same names. */
  readonly isHere: boolean
}

export function useOwnAgent(): OwnAgent {
  const { client } = useCaller()
  const { value: self } = useLive<Self>('/v1/agent/self', {}, rarelyMs)
  const { datacenter } = client.caller
  return { self, isHere: datacenter === '' || datacenter === self?.Config.Datacenter }
}

/** Whether a node of the datacenter that is shown is that of the agent behind this page. */
export function isOwnNode({ self, isHere }: OwnAgent, node: string): boolean {
  return isHere && self?.Config.NodeName === node
}
