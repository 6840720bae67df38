import { quorumOf } from '../../raft/core/quorum.ts'
import type { Configuration, ServerId } from '../../raft/core/types.ts'

export interface DeadServersView {
  readonly configuration: Configuration
  /** The pool considers it failed, or has not known it for long. */
  isDead(id: ServerId): boolean
  isHealthy(id: ServerId): boolean
  /** No removal leaves fewer voters; 0: any number that has a quorum. */
  readonly minQuorum: number
}

export type DeadServers =
  | { readonly kind: 'none' }
  | { readonly kind: 'remove'; readonly ids: readonly ServerId[] }
  /** They stay, for what is left could not do without them. */
  | { readonly kind: 'keep'; readonly ids: readonly ServerId[]; readonly why: string }

/**
 * Which servers of the Raft configuration are dead and may go. They go all together or not at all, and only while they are
 * fewer than half of the voters, rounded down (Reference: operator.md#removal-of-dead-servers): of three voters none is
 * removed, for that would
 * leave two, of which none may fail; once a fourth has its vote, the dead one goes. Beyond the field's rule, those that
 * remain must have a healthy quorum of their own, so that a removal never costs service.
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
