import { quorumOf } from '../../raft/core/quorum.ts'
import type { Configuration, ServerId } from '../../raft/core/types.ts'

export interface DeadServersView {
  readonly configuration: Configuration
  /** Whether the pool considers the server failed, or has not known it for a long time. */
  isDead(id: ServerId): boolean
  isHealthy(id: ServerId): boolean
  /** Minimum number of voters that a removal must leave; 0: any number that has a quorum. */
  readonly minQuorum: number
}

export type DeadServers =
  | { readonly kind: 'none' }
  | { readonly kind: 'remove'; readonly ids: readonly ServerId[] }
  /** The dead servers are kept, because the others could not do without them. */
  | { readonly kind: 'keep'; readonly ids: readonly ServerId[]; readonly why: string }

/**
 * Decides which servers of the Raft configuration are dead and may be removed. They are removed all together or not at
 * all, and only while they are fewer than half of the voters, rounded down (Reference:
 * operator.md#removal-of-dead-servers): of three voters none is removed, because that would leave two, of which none
 * may fail; once a fourth server has its vote, the dead one is removed. Beyond the field's rule, the remaining servers
 * must have a healthy quorum of their own, so that a removal never costs availability.
 */
export function judgeDeadServers(view: DeadServersView): DeadServers {
  const { servers } = view.configuration
  const dead = servers.filter(({ id }) => view.isDead(id))
  if (dead.length === 0) return { kind: 'none' }
  const ids = dead.map(({ id }) => id)
  const voters = servers.filter(({ suffrage }) => suffrage === 'voter')
  const remaining = voters.filter(({ id }) => !ids.includes(id))
  const healthy = remaining.filter(({ id }) => view.isHealthy(id)).length
  if (dead.length >= Math.floor(voters.length / 2)) {
    return { kind: 'keep', ids, why: `${dead.length} dead of ${voters.length} voters are too many` }
  }
  if (remaining.length < view.minQuorum) {
    return { kind: 'keep', ids, why: `${remaining.length} voters would be fewer than min_quorum ${view.minQuorum}` }
  }
  if (healthy < quorumOf(remaining.length)) {
    return { kind: 'keep', ids, why: `of ${remaining.length} remaining voters only ${healthy} are healthy` }
  }
  return { kind: 'remove', ids }
}
