import type { RaftStatus } from '../../raft/raft.ts'

/** How a server stands in its cluster. */
export interface ServerStanding {
  readonly status: RaftStatus
  /** Its own name in consensus. */
  readonly id: string
  /** The last entry of the leader's log, as this server heard last; undefined: it has not. */
  readonly leaderLastIndex: number | undefined
  /** What it may be behind and still count as caught up. */
  readonly trailingMax: number
}

function withoutPlace(id: string, { servers }: RaftStatus['configuration']): string {
  return servers.length === 0
    ? 'this server has not joined a cluster'
    : `This server (ID ${id}) is not in its own configuration`
}

/** Why a server is not ready to be asked; none: it is. Only what it knows itself: it must answer while others do not. */
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
