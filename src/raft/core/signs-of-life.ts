import { quorumOf } from './quorum.ts'
import type { Leader } from './role-state.ts'
import { configurationOf, type RaftCore } from './state.ts'
import type { ServerId } from './types.ts'

/** A leader counts as having stalled if a heartbeat is late by this part of its lease. */
const stalledShareOfLease = 1 / 2

/** The heartbeat timer is set to fire at `dueMs`. */
export function expectTick(leader: Leader, dueMs: number): void {
  leader.tickDueMs = dueMs
}

/** The heartbeat timer has fired: a leader that stalled until now begins to listen anew. */
export function noteTick(raft: RaftCore, leader: Leader, nowMs: number): void {
  if (isStalled(raft, leader, nowMs)) leader.listeningSinceMs = nowMs
}

/**
 * Milliseconds since the leader last received a reply of its term from that server, whatever the reply says: an
 * acknowledgement, a refusal, or the answer to a snapshot chunk. Undefined: this server does not lead, or does not
 * replicate to that server.
 *
 * Silence proves nothing about a time in which the leader itself did not listen. Therefore the count begins
 * 1. when the leader took office, or began to replicate to the server (`newProgress` starts `heardMs` there);
 * 2. when the leader's event loop runs again after a stall. Replies received during the stall still wait in its
 *    sockets. The heartbeat timer shows the stall, and shows it even if it has not fired yet: whichever expired timer
 *    runs first after the stall, the heartbeat is overdue at that moment.
 */
export function silenceOf(raft: RaftCore, id: ServerId, nowMs: number): number | undefined {
  const { role } = raft
  const progress = role.kind === 'leader' ? role.progress.get(id) : undefined
  if (role.kind !== 'leader' || progress === undefined) return undefined
  if (isStalled(raft, role, nowMs)) return 0
  return nowMs - Math.max(progress.heardMs, role.listeningSinceMs)
}

/**
 * Whether the voters that answer this leader could elect another one by themselves. A leader that cannot write to its
 * disk cannot write its vote either: if it handed over to fewer, there would be no leader at all.
 */
export function isReplaceable(raft: RaftCore, nowMs: number): boolean {
  const voters = configurationOf(raft).servers.filter(({ suffrage }) => suffrage === 'voter')
  return voters.filter(({ id }) => answers(raft, id, nowMs)).length >= quorumOf(voters.length)
}

/** Whether this leader has heard that server within its lease. */
export function answers(raft: RaftCore, id: ServerId, nowMs: number): boolean {
  const silentMs = silenceOf(raft, id, nowMs)
  return silentMs !== undefined && silentMs < raft.timing.leaderLeaseMs
}

function isStalled({ timing }: RaftCore, leader: Leader, nowMs: number): boolean {
  return nowMs - leader.tickDueMs > timing.leaderLeaseMs * stalledShareOfLease
}
