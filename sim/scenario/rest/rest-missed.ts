import { isMissed } from '../../cluster/group-facts.ts'
import type { RunContext } from '../run-context.ts'

/**
 * A server that left while no majority could remove it from the Raft configuration may be one that the others need:
 * such servers are started again, as an operator would do.
 */
export function startMissed({ cluster }: RunContext): void {
  for (const server of cluster.serverNames) if (isMissed(cluster, server)) cluster.start(server)
}
