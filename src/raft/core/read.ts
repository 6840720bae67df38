import type { LogIndex } from '../../model/log-position.ts'
import { isVoter } from './configuration.ts'
import { emit, refuse } from './outbox.ts'
import { reachedByQuorum } from './quorum.ts'
import type { Leader } from './role-state.ts'
import { beginRound, roundsRemembered, sendHeartbeat } from './sending.ts'
import { configurationOf, hasCommittedInOwnTerm, leaderOf, type RaftCore } from './state.ts'

type ReadMode = 'quorum' | 'lease'

/**
 * A read without a log entry (thesis 6.4). The leader answers from its commit index, once it is certain that this was
 * the cluster's when the read arrived:
 * 1. It must know the cluster's commit index at all: a new leader knows it only when an entry of its own term is
 *    committed.
 * 2. No other leader may have committed more meanwhile. `quorum`: a quorum answers a round begun after the read
 *    arrived. If another leader had been elected before, one of that quorum would have voted for it in a newer term,
 *    and would say so. `lease`: a quorum answered recently and is still loyal, see `holdsLease`.
 */
export function requestRead(raft: RaftCore, requestId: number, mode: ReadMode, nowMs: number): void {
  const { role } = raft
  if (role.kind !== 'leader') return refuse(raft, requestId, { kind: 'not-leader', leader: leaderOf(raft) })
  if (role.reads.length + role.earlyReads.length >= raft.limits.pendingReadsMax) {
    return refuse(raft, requestId, { kind: 'overloaded' })
  }
  if (hasCommittedInOwnTerm(raft, role)) admitRead(raft, role, requestId, mode, nowMs)
  else role.earlyReads.push({ requestId, mode })
}

/** An entry of the leader's own term has just been committed: the reads that waited for it begin. */
export function admitEarlyReads(raft: RaftCore, leader: Leader, nowMs: number): void {
  const early = leader.earlyReads
  leader.earlyReads = []
  for (const { requestId, mode } of early) admitRead(raft, leader, requestId, mode, nowMs)
}

function admitRead(raft: RaftCore, leader: Leader, requestId: number, mode: ReadMode, nowMs: number): void {
  const index = raft.commit
  if (mode === 'lease' && holdsLease(raft, leader, nowMs)) {
    emit(raft, { kind: 'read-ready', requestId, index })
    return
  }
  // A round that reads wait for is under way: later reads share the next one, because it must begin after they arrived.
  const lastWaiting = leader.reads.at(-1)
  const underWay = lastWaiting !== undefined
  leader.reads.push({ requestId, index, round: leader.round + 1 })
  if (underWay) return
  beginReadRound(raft, leader, nowMs)
  confirmRounds(raft, leader, nowMs)
}

function beginReadRound(raft: RaftCore, leader: Leader, nowMs: number): void {
  beginRound(leader, nowMs)
  for (const progress of leader.progress.values()) {
    if (isVoter(configurationOf(raft), progress.id)) sendHeartbeat(raft, leader, progress)
  }
}

/** Whether a read by lease would be answered at once from the applied state. */
export function readsByLease(raft: RaftCore, applied: LogIndex, nowMs: number): boolean {
  const { role, commit } = raft
  if (role.kind !== 'leader' || applied < commit) return false
  return hasCommittedInOwnTerm(raft, role) && holdsLease(raft, role, nowMs)
}

/** The newest round that a quorum of voters has answered. */
function quorumRound(raft: RaftCore, leader: Leader): number {
  const { tally } = leader
  tally.length = 0
  for (const { id, suffrage } of configurationOf(raft).servers) {
    if (suffrage === 'voter') tally.push(id === raft.id ? leader.round : (leader.progress.get(id)?.round ?? 0))
  }
  return reachedByQuorum(tally) ?? Number.NEGATIVE_INFINITY
}

/** Answers the reads whose round a quorum has answered, and begins the round that the others wait for. */
export function confirmRounds(raft: RaftCore, leader: Leader, nowMs: number): void {
  const round = quorumRound(raft, leader)
  if (round <= leader.confirmedRound) return
  leader.confirmedRound = round
  if (leader.reads.length === 0) return
  const waiting = leader.reads.findIndex((read) => read.round > round)
  const ready = waiting === -1 ? leader.reads : leader.reads.slice(0, waiting)
  leader.reads = waiting === -1 ? [] : leader.reads.slice(waiting)
  for (const { requestId, index } of ready) emit(raft, { kind: 'read-ready', requestId, index })
  if ((leader.reads[0]?.round ?? 0) > leader.round) {
    beginReadRound(raft, leader, nowMs)
    confirmRounds(raft, leader, nowMs)
  }
}

/**
 * Whether no other leader can exist yet:
 * 1. A voter that answered a round stays loyal to this leader, by its own clock, for the minimum election timeout after
 *    it received the request, and after a restart for as long again (`election.ts`).
 * 2. It received the request no earlier than the round began, so the time is counted from there, not from the answer.
 * 3. `leaderLeaseMs` is at most that timeout. Shortened by the bound on the clocks' rates it ends, on this clock,
 *    before the timeout does on any voter's.
 * 4. A voter may be asked to end its loyalty, but only by `TimeoutNow`, which forfeits the lease first. And it ends its
 *    loyalty when it has itself seen that the process which holds this lease has ended (`leader-gone.ts`).
 * The time is that of this event: a server that was paused finds its lease expired when it wakes.
 */
function holdsLease(raft: RaftCore, leader: Leader, nowMs: number): boolean {
  if (leader.leaseForfeited) return false
  const round = quorumRound(raft, leader)
  if (round < 1 || round <= leader.round - roundsRemembered) return false
  const began =
    round === leader.round && quorumIsThisServer(raft) ? nowMs : leader.roundBeganMs[round % roundsRemembered]
  const { leaderLeaseMs, clockRateBound } = raft.timing
  return began !== undefined && nowMs - began < leaderLeaseMs * (1 - clockRateBound)
}

/** A leader that is the only voter needs no other's loyalty. */
function quorumIsThisServer(raft: RaftCore): boolean {
  const voters = configurationOf(raft).servers.filter((server) => server.suffrage === 'voter')
  return voters.length === 1 && voters[0]?.id === raft.id
}
