import { invariant } from '../../base/invariant.ts'
import { indexAfter, type LogIndex, noIndex, type Term, termAfter } from '../../model/log-position.ts'
import { emit, refuse, setElectionTimer, tellRole } from './outbox.ts'
import type { Leader, Progress } from './role-state.ts'
import { roundsRemembered } from './sending.ts'
import type { RaftCore } from './state.ts'
import { failTransfer, settleTransfer } from './transfer.ts'
import type { ServerId } from './types.ts'

/** Enters a newer term, in which this server has not voted yet. */
function enterTerm(raft: RaftCore, term: Term): void {
  invariant(term > raft.term, 'terms only rise', { term, present: raft.term })
  raft.term = term
  raft.votedFor = undefined
  raft.turn.hardStateChanged = true
}

/** Follows `leader`, or no leader yet, in `term`: the present or a newer one. */
export function becomeFollower(raft: RaftCore, term: Term, leader: ServerId | undefined, nowMs: number): void {
  const { role } = raft
  if (term !== raft.term) enterTerm(raft, term)
  if (role.kind !== 'follower') {
    if (role.kind === 'leader') {
      leaveLeadership(raft, role)
      // It was in contact with itself until now: from here on, its answers age.
      raft.leaderHeardMs = nowMs
    }
    raft.quietSinceMs = nowMs
    setElectionTimer(raft, raft.timing.heartbeatTimeoutMs)
  }
  if (role.kind !== 'follower' || role.leader !== leader) raft.role = { kind: 'follower', leader }
  tellRole(raft)
  if (leader !== undefined) settleTransfer(raft, leader)
}

/** The leader was silent for too long, or there is none: forgets it. The term does not change. */
export function forgetLeader(raft: RaftCore): void {
  raft.role = { kind: 'follower', leader: undefined }
  tellRole(raft)
}

export function becomePreCandidate(raft: RaftCore): void {
  invariant(raft.role.kind !== 'leader', 'a leader does not stand for election')
  raft.role = { kind: 'pre-candidate', granted: new Set() }
  tellRole(raft)
}

/** Enters the next term and votes for itself there, in one record. */
export function becomeCandidate(raft: RaftCore): void {
  invariant(raft.role.kind !== 'leader', 'a leader does not stand for election')
  enterTerm(raft, termAfter(raft.term))
  raft.votedFor = raft.id
  raft.role = { kind: 'candidate', granted: new Set() }
  tellRole(raft)
}

/** Changes only the role; `heartbeat.ts` has the first actions of a new leader. */
export function becomeLeader(raft: RaftCore, nowMs: number): Leader {
  invariant(raft.role.kind === 'candidate', 'only a candidate wins an election', { role: raft.role.kind })
  const leader: Leader = {
    kind: 'leader',
    ownFirstIndex: indexAfter(raft.log.lastIndex),
    progress: new Map(),
    round: 0,
    roundBeganMs: new Float64Array(roundsRemembered),
    confirmedRound: 0,
    reads: [],
    earlyReads: [],
    leaseForfeited: false,
    tickDueMs: nowMs,
    listeningSinceMs: nowMs,
    heldTally: [],
    tally: [],
  }
  raft.role = leader
  raft.hurriedRounds = undefined
  trackFollowers(raft, leader, nowMs)
  emit(raft, { kind: 'clear-timer', timer: 'election' })
  tellRole(raft)
  settleTransfer(raft, raft.id)
  return leader
}

/**
 * One progress for each other server of the configuration, in its order; those that exist are kept. A server that the
 * latest change removes is served until that is committed, so that it learns of it; it counts in no quorum. One that is
 * added takes part from the next round on, which the caller begins.
 */
export function trackFollowers(raft: RaftCore, leader: Leader, nowMs: number): void {
  const { latest, previous } = raft.configurations
  const leaving = latest.index > raft.commit ? previous.configuration.servers : []
  const tracked = new Map<ServerId, Progress>()
  for (const { id } of [...latest.configuration.servers, ...leaving]) {
    if (id === raft.id || tracked.has(id)) continue
    tracked.set(id, leader.progress.get(id) ?? newProgress(id, indexAfter(raft.log.lastIndex), leader.round + 1, nowMs))
  }
  leader.progress = tracked
}

function newProgress(id: ServerId, next: LogIndex, sinceRound: number, nowMs: number): Progress {
  return {
    id,
    state: 'probe',
    match: noIndex,
    next,
    inFlight: [],
    bytesInFlight: 0,
    probing: false,
    sentSinceTick: false,
    commitTold: noIndex,
    round: 0,
    sinceRound,
    heardMs: nowMs,
    transfer: undefined,
    broughtFrom: undefined,
  }
}

/** Accepted proposals are not answered here: the entry applied at their index decides their outcome. */
function leaveLeadership(raft: RaftCore, leader: Leader): void {
  emit(raft, { kind: 'clear-timer', timer: 'heartbeat' })
  emit(raft, { kind: 'clear-timer', timer: 'quorum' })
  for (const { requestId } of [...leader.reads, ...leader.earlyReads]) {
    refuse(raft, requestId, { kind: 'leadership-lost' })
  }
  if (raft.transfer !== undefined && !raft.transfer.toldToStand) failTransfer(raft, 'leadership was lost before it')
}
