import { emptyBytes } from '../../base/bytes.ts'
import { appendOwn } from './appending.ts'
import { isVoter } from './configuration.ts'
import { emit, setTimer } from './outbox.ts'
import { reachedByQuorum } from './quorum.ts'
import { confirmRounds } from './read.ts'
import type { Leader } from './role-state.ts'
import { becomeFollower, becomeLeader } from './roles.ts'
import { beginRound, replicateToAll, sendHeartbeat } from './sending.ts'
import { expectTick, noteTick } from './signs-of-life.ts'
import { watchTransfer } from './snapshot.ts'
import { configurationOf, type RaftCore } from './state.ts'

/** Heartbeats are sent this many times, or half as many, in the time after which a follower stands for election. */
const heartbeatsPerTimeout = 10

function setHeartbeatTimer(raft: RaftCore, leader: Leader, nowMs: number): void {
  if (isAlone(leader)) return expectTick(leader, Number.POSITIVE_INFINITY)
  const everyMs = raft.timing.heartbeatIntervalMs
  // Without a fixed interval the timer is drawn between once and twice the least time.
  expectTick(leader, nowMs + (everyMs ?? 2 * heartbeatMs(raft)))
  if (everyMs === undefined) return setTimer(raft, 'heartbeat', heartbeatMs(raft))
  emit(raft, { kind: 'set-timer', timer: 'heartbeat', minMs: everyMs, maxMs: everyMs })
}

/**
 * A leader without followers has no one to send heartbeats to, and is its own quorum: it sets no timers, so that a
 * single server rests while it has nothing to do.
 */
function isAlone({ progress }: Leader): boolean {
  return progress.size === 0
}

/** Another majority counts from now on, of which the leader may have heard earlier. `wasAlone`: it had no followers. */
export function watchNewQuorum(raft: RaftCore, leader: Leader, wasAlone: boolean, nowMs: number): void {
  if (isAlone(leader)) return
  if (wasAlone) setHeartbeatTimer(raft, leader, nowMs)
  setQuorumTimer(raft, raft.timing.leaderLeaseMs - (nowMs - quorumHeardMs(raft, leader, nowMs)))
}

function heartbeatMs({ timing }: RaftCore): number {
  return timing.heartbeatIntervalMs ?? Math.max(1, Math.floor(timing.heartbeatTimeoutMs / heartbeatsPerTimeout))
}

/**
 * Begins a round. A follower that was sent an append since the last tick is left out, because its answer confirms the
 * same. There are two exceptions. While reads wait, every follower is included; otherwise their round could starve
 * behind answers that never come. And a follower that has been silent for a while is included: under steady writes its
 * acknowledgements wait for its disk, and only an empty append confirms contact before that.
 */
export function heartbeatTimerFired(raft: RaftCore, nowMs: number): void {
  const { role } = raft
  if (role.kind !== 'leader') return
  noteTick(raft, role, nowMs)
  beginRound(role, nowMs)
  const readsWait = role.reads.length > 0
  for (const progress of role.progress.values()) {
    const silent = nowMs - progress.heardMs >= heartbeatMs(raft)
    if (!progress.sentSinceTick || silent || readsWait) sendHeartbeat(raft, role, progress)
    progress.sentSinceTick = false
    if (progress.state === 'snapshot') watchTransfer(raft, progress.id)
  }
  if (readsWait) confirmRounds(raft, role, nowMs)
  setHeartbeatTimer(raft, role, nowMs)
}

function setQuorumTimer(raft: RaftCore, afterMs: number): void {
  const minMs = Math.max(1, Math.ceil(afterMs))
  emit(raft, { kind: 'set-timer', timer: 'quorum', minMs, maxMs: minMs + 1 })
}

/**
 * A leader without answers of a quorum cannot commit, and must not keep its clients from a leader that can: it steps
 * down. So no leader outlives its lease by more than a moment of its own clock.
 */
export function quorumTimerFired(raft: RaftCore, nowMs: number): void {
  const { role, timing } = raft
  if (role.kind !== 'leader') return
  const silentMs = nowMs - quorumHeardMs(raft, role, nowMs)
  if (isAlone(role) && silentMs <= 0) return
  if (silentMs < timing.leaderLeaseMs) return setQuorumTimer(raft, timing.leaderLeaseMs - silentMs)
  emit(raft, {
    kind: 'note',
    level: 'warn',
    text: 'no quorum answers: stepping down',
    fields: { term: raft.term, silentMs },
  })
  becomeFollower(raft, raft.term, undefined, nowMs)
}

/** The latest time since which a quorum has been heard. */
function quorumHeardMs(raft: RaftCore, leader: Leader, nowMs: number): number {
  const { tally } = leader
  tally.length = 0
  if (isVoter(configurationOf(raft), raft.id)) tally.push(nowMs)
  for (const progress of leader.progress.values()) {
    if (isVoter(configurationOf(raft), progress.id)) tally.push(progress.heardMs)
  }
  return reachedByQuorum(tally) ?? Number.NEGATIVE_INFINITY
}

/**
 * Handles a won election. The first entry of the new term is a no-op: once it is committed, so is everything from
 * earlier terms (paper 8), and it announces the leader to the others.
 */
export function takeLeadership(raft: RaftCore, nowMs: number): void {
  const leader = becomeLeader(raft, nowMs)
  setHeartbeatTimer(raft, leader, nowMs)
  if (!isAlone(leader)) setQuorumTimer(raft, raft.timing.leaderLeaseMs)
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
