import { isMissed } from '../../cluster/group-facts.ts'
import type { RunContext } from '../run-context.ts'

/**
 * Who left while there was no majority to take it out of the consensus group may be one that the others cannot do without:
 * such servers are started again, as an operator would do.
 */
export function startMissed({ cluster }: RunContext): void {
  for (const server of cluster.serverNames) if (isMissed(cluster, server)) cluster.start(server)
}
