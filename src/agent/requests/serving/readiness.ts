import type { RaftStatus } from '../../../raft/raft.ts'

/** The state of a server in its cluster. */
export interface ServerStanding {
  readonly status: RaftStatus
  /** Its own name in Raft. */
  readonly id: string
  /** Index of the last entry of the leader's log, as far as this server has heard; undefined if it has not. */
  readonly leaderLastIndex: number | undefined
  /** Maximum number of entries by which it may lag and still count as caught up. */
  readonly trailingMax: number
}

function withoutPlace(id: string, { servers }: RaftStatus['configuration']): string {
  return servers.length === 0
    ? 'this server has not joined a cluster'
    : `This server (ID ${id}) is not in its own configuration`
}

/**
 * Why a server is not ready for requests; empty if it is. Uses only local knowledge, because it must answer while other
 * servers do not.
 */
export function serverReasons({ status, id, leaderLastIndex, trailingMax }: ServerStanding): readonly string[] {
  const { role, leader, commitIndex, appliedIndex, configuration, diskIsFull } = status
  const own = configuration.servers.find((server) => server.id === id)
  const known = role === 'leader' ? commitIndex : Math.max(commitIndex, leaderLastIndex ?? 0)
  const behind = known - appliedIndex
  return [
    ...(own === undefined ? [withoutPlace(id, configuration)] : []),
    ...(own !== undefined && own.suffrage !== 'voter' ? ['this server has no vote yet'] : []),
    ...(leader === undefined ? ['no leader is known'] : []),
    ...(diskIsFull
      ? [`no space left on the disk of this server: ${role === 'leader' ? 'writes are refused' : 'it stores nothing'}`]
      : []),
    ...(behind > trailingMax ? [`this server is ${behind} entries behind the leader`] : []),
  ]
}
