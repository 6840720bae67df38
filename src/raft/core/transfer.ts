import { compareText } from '../../base/bytes.ts'
import { isVoter, serverIn } from './configuration.ts'
import { emit, refuse, send } from './outbox.ts'
import type { Leader, Progress } from './role-state.ts'
import { replicateTo } from './sending.ts'
import { answers } from './signs-of-life.ts'
import { configurationOf, leaderOf, type RaftCore } from './state.ts'
import type { ServerId } from './types.ts'

/**
 * Transfers leadership (thesis 3.10): accepts no new proposals, brings the target's log up to date, and tells it to
 * stand at once. The transfer is given up after an election timeout, and proposals are accepted again. Without a
 * target, the voter with the longest log is chosen, among those that answer.
 */
export function requestTransfer(raft: RaftCore, requestId: number, wanted: ServerId | undefined, nowMs: number): void {
  if (raft.role.kind !== 'leader') return refuse(raft, requestId, { kind: 'not-leader', leader: leaderOf(raft) })
  const failed = (message: string) => refuse(raft, requestId, { kind: 'transfer-failed', message })
  if (raft.transfer !== undefined) return failed('another transfer is under way')
  const configuration = configurationOf(raft)
  if (wanted !== undefined && serverIn(configuration, wanted) === undefined) {
    return refuse(raft, requestId, { kind: 'unknown-server', id: wanted })
  }
  if (wanted === raft.id) return failed('this server leads already')
  if (wanted !== undefined && !isVoter(configuration, wanted)) return failed(`server ${wanted} is not a voter`)
  const target = wanted ?? heirOf(raft, raft.role, nowMs)
  const progress = target === undefined ? undefined : raft.role.progress.get(target)
  if (progress === undefined) return failed('there is no other voter')
  const { electionTimeoutMs } = raft.timing
  raft.transfer = { requestId, to: progress.id, term: raft.term, toldToStand: false }
  emit(raft, { kind: 'set-timer', timer: 'transfer', minMs: electionTimeoutMs, maxMs: electionTimeoutMs + 1 })
  replicateTo(raft, raft.role, progress)
  continueTransfer(raft, raft.role, progress)
}

/**
 * The voter, other than this server, to which the most entries are known to be replicated; by ID among equals. One that
 * is silent, and may be down, only if all are.
 */
export function heirOf(raft: RaftCore, leader: Leader, nowMs: number): ServerId | undefined {
  const configuration = configurationOf(raft)
  const voters = [...leader.progress.values()].filter((progress) => isVoter(configuration, progress.id))
  const answering = voters.filter(({ id }) => answers(raft, id, nowMs))
  const heirs = answering.length > 0 ? answering : voters
  return heirs.toSorted((a, b) => b.match - a.match || compareText(a.id, b.id))[0]?.id
}

/** Called when the target has acknowledged something: once it has the whole log, it is told to start an election. */
export function continueTransfer(raft: RaftCore, leader: Leader, progress: Progress): void {
  const { transfer } = raft
  if (transfer === undefined || transfer.toldToStand || transfer.to !== progress.id) return
  if (progress.match < raft.log.lastIndex) return
  transfer.toldToStand = true
  tellToStand(raft, leader, progress.id)
}

/**
 * The lease ends before the message is sent, and for the rest of the term:
 * 1. The target stands with `transfer` set, and voters ignore their loyalty, on which the lease rests.
 * 2. The message may be delayed beyond the time at which this leader gives the transfer up.
 * 3. So if the lease were taken up again in this term, it could be held while a new leader already commits. Reads take
 *    a round instead.
 */
export function tellToStand(raft: RaftCore, leader: Leader, to: ServerId): void {
  leader.leaseForfeited = true
  send(raft, to, { kind: 'timeout-now', term: raft.term })
}

export function transferTimerFired(raft: RaftCore): void {
  if (raft.transfer !== undefined) failTransfer(raft, 'the target did not become leader in time')
}

/** A leader elected after the transfer began is known: the target, or another server. */
export function settleTransfer(raft: RaftCore, leader: ServerId): void {
  const { transfer } = raft
  if (transfer === undefined || raft.term <= transfer.term) return
  if (leader !== transfer.to) return failTransfer(raft, `server ${leader} became leader`)
  raft.transfer = undefined
  emit(raft, { kind: 'clear-timer', timer: 'transfer' })
  emit(raft, { kind: 'transferred', requestId: transfer.requestId })
}

export function failTransfer(raft: RaftCore, message: string): void {
  const { transfer } = raft
  if (transfer === undefined) return
  raft.transfer = undefined
  emit(raft, { kind: 'clear-timer', timer: 'transfer' })
  refuse(raft, transfer.requestId, { kind: 'transfer-failed', message })
}
