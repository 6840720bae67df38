import { invariant } from '../../base/invariant.ts'
import { type LogIndex, noIndex } from '../../model/log-position.ts'
import { isVoter, serverIn } from './configuration.ts'
import { emit } from './outbox.ts'
import { reachedByQuorum } from './quorum.ts'
import { admitEarlyReads } from './read.ts'
import type { Leader } from './role-state.ts'
import { becomeFollower, trackFollowers } from './roles.ts'
import { noticeCommit, sendFarewell } from './sending.ts'
import { configurationOf, hasCommittedInOwnTerm, type RaftCore } from './state.ts'
import { heirOf, tellToStand } from './transfer.ts'

/**
 * Commits what a quorum of voters has durably. This server counts with its durable entries, and only if it is a voter.
 *
 * Only an entry of the leader's own term is committed by counting; entries before it are committed with it. Otherwise
 * (paper 5.4.2, figure 8):
 * 1. S1 leads term 2, copies entry 2 only to S2, and crashes.
 * 2. S5 leads term 3 with other entries, and crashes.
 * 3. S1 leads term 4 and copies the old entry 2 to S3: a quorum has it.
 * 4. S1 crashes. S5, whose last term is 3, may still be elected by S2, S3 and S4, and overwrite the entry everywhere.
 */
export function advanceCommit(raft: RaftCore, leader: Leader, nowMs: number): void {
  const index = heldByQuorum(raft, leader)
  if (index === undefined) return
  if (index <= raft.commit || raft.log.termAt(index) !== raft.term) return
  const wasEarly = !hasCommittedInOwnTerm(raft, leader)
  const changedAt = raft.configurations.latest.index
  const isSettled = changedAt > raft.commit && changedAt <= index
  commitTo(raft, index)
  for (const progress of leader.progress.values()) noticeCommit(raft, progress)
  if (isSettled) dismissLeaving(raft, leader, nowMs)
  if (isDismissed(raft)) return resign(raft, leader, nowMs)
  if (wasEarly && hasCommittedInOwnTerm(raft, leader)) admitEarlyReads(raft, leader, nowMs)
}

function heldByQuorum(raft: RaftCore, leader: Leader): LogIndex | undefined {
  const { heldTally: tally } = leader
  tally.length = 0
  for (const { id, suffrage } of configurationOf(raft).servers) {
    if (suffrage !== 'voter') continue
    tally.push(id === raft.id ? raft.durability.index : (leader.progress.get(id)?.match ?? noIndex))
  }
  return reachedByQuorum(tally)
}

/** Moves the commit index; the passed entries are applied when the step ends. */
export function commitTo(raft: RaftCore, index: LogIndex): void {
  const { commit, log } = raft
  invariant(index > commit, 'the commit index only rises', { index, commit })
  invariant(index <= log.lastIndex, 'what is committed is in the log', { index, lastIndex: log.lastIndex })
  raft.commit = index
  const brought = raft.configurations.asOf(index)
  if (brought === undefined || brought.index <= raft.configurationCommitTold) return
  raft.configurationCommitTold = brought.index
  emit(raft, { kind: 'configuration-changed', ...brought, committed: true })
}

/**
 * A leader that is no longer a voter manages the cluster until the change that removes it is committed (thesis 4.2.2).
 */
function isDismissed(raft: RaftCore): boolean {
  return raft.commit >= raft.configurations.latest.index && !isVoter(configurationOf(raft), raft.id)
}

/** A removal is committed: the removed server is notified once, and no longer replicated to. */
function dismissLeaving(raft: RaftCore, leader: Leader, nowMs: number): void {
  for (const progress of leader.progress.values()) {
    if (serverIn(configurationOf(raft), progress.id) === undefined) sendFarewell(raft, progress)
  }
  trackFollowers(raft, leader, nowMs)
}

/** Steps down, and spares the other servers the wait for an election timeout. */
function resign(raft: RaftCore, leader: Leader, nowMs: number): void {
  const heir = heirOf(raft, leader, nowMs)
  if (heir !== undefined) tellToStand(raft, leader, heir)
  becomeFollower(raft, raft.term, undefined, nowMs)
}
