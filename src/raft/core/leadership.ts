import { emptyBytes } from '../../base/bytes.ts'
import { appendOwn } from './appending.ts'
import { setHeartbeatTimer, setQuorumTimer } from './heartbeat.ts'
import { emit } from './outbox.ts'
import { becomeLeader } from './roles.ts'
import { beginRound, replicateToAll } from './sending.ts'
import type { RaftCore } from './state.ts'

/**
 * An election is won. The first entry of the new term is a no-op: once it is committed, so is all that earlier terms left
 * (paper 8), and it announces the leader to the others.
 */
export function takeLeadership(raft: RaftCore, nowMs: number): void {
  const leader = becomeLeader(raft, nowMs)
  setHeartbeatTimer(raft, leader, nowMs)
  setQuorumTimer(raft, raft.timing.leaderLeaseMs)
  beginRound(leader, nowMs)
  appendOwn(raft, 'no-op', emptyBytes)
  replicateToAll(raft, leader)
  emit(raft, {
    kind: 'note',
    level: 'info',
    text: 'election won',
    fields: { term: raft.term, lastIndex: raft.log.lastIndex },
  })
}
