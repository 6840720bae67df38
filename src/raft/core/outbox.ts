import { indexAfter } from '../../model/log-position.ts'
import type { RaftEffect } from './effects.ts'
import type { TimerName } from './events.ts'
import type { RaftMessage } from './messages.ts'
import { leaderOf, type RaftCore } from './state.ts'
import type { Entry, RequestRefusal, ServerId } from './types.ts'

const noEffects: readonly RaftEffect[] = []
const noEntries: readonly Entry[] = []

export function emit(raft: RaftCore, effect: RaftEffect): void {
  raft.turn.effects.push(effect)
}

/**
 * Sends without waiting for the disk, except for the term: a message of a term that is not yet durable waits for that.
 * Otherwise a crash could return the server to the previous term, and it could enter the newer one again and send
 * contradicting messages there.
 */
export function send(raft: RaftCore, to: ServerId, message: RaftMessage): void {
  if (raft.durability.term === raft.term) raft.turn.effects.push({ kind: 'send', outgoing: { to, message } })
  else raft.turn.thenSend.push({ to, message })
}

/** Sends once the state at the end of this step is durable: votes and acknowledgements. */
export function sendOnceDurable(raft: RaftCore, to: ServerId, message: RaftMessage): void {
  raft.turn.thenSend.push({ to, message })
}

export function refuse(raft: RaftCore, requestId: number, refusal: RequestRefusal): void {
  raft.turn.effects.push({ kind: 'refused', requestId, refusal })
}

/** Fires after a time in [lengthMs, 2 × lengthMs). */
export function setTimer(raft: RaftCore, timer: TimerName, lengthMs: number): void {
  raft.turn.effects.push({ kind: 'set-timer', timer, minMs: lengthMs, maxMs: 2 * lengthMs })
}

/**
 * Width of the range from which a server draws its election time after its leader's process has ended. Wide enough that
 * among a few servers on one network, one asks and is elected before the next one's time comes.
 */
const hurriedStepMs = 50

/**
 * The election timer fires after a time in [lengthMs, lengthMs + spread). In a hurry it fires sooner, and one step
 * later with each failed round, so that votes get the time they need if disks or links are slow. The hurry ends when
 * the step would be no shorter than the usual time.
 */
export function setElectionTimer(raft: RaftCore, lengthMs: number): void {
  const stepMs = Math.min(hurriedStepMs, lengthMs)
  const hurriedMs = (raft.hurriedRounds ?? Number.POSITIVE_INFINITY) * stepMs
  if (hurriedMs < lengthMs) {
    raft.turn.effects.push({ kind: 'set-timer', timer: 'election', minMs: hurriedMs, maxMs: hurriedMs + stepMs })
    return
  }
  const maxMs = lengthMs + timeoutSpreadMs(raft, lengthMs)
  raft.turn.effects.push({ kind: 'set-timer', timer: 'election', minMs: lengthMs, maxMs })
}

function timeoutSpreadMs({ timing }: RaftCore, timeoutMs: number): number {
  return timing.timeoutSpreadMs ?? timeoutMs
}

/** Reports role, term and leader if they have changed since the last report. */
export function tellRole(raft: RaftCore): void {
  const { told, term } = raft
  const role = raft.role.kind
  const leader = leaderOf(raft)
  if (told.role === role && told.term === term && told.leader === leader) return
  told.role = role
  told.term = term
  told.leader = leader
  emit(raft, { kind: 'role-changed', role, term, leader })
}

/**
 * Ends a step: returns the effects that it gathered. There is one persist for all of it, after the sends, which need
 * not wait for it (a leader writes to its disk in parallel with its followers, thesis 10.2.1); then the committed
 * entries.
 *
 * Entries may be applied before they are durable here: they are committed, so a quorum has them, and a server that
 * loses its copy in a crash also forgets that it applied them.
 */
export function finishTurn(raft: RaftCore): readonly RaftEffect[] {
  persistTurn(raft)
  if (raft.commit > raft.applied) {
    emit(raft, { kind: 'apply', entries: raft.log.range(indexAfter(raft.applied), raft.commit) })
    raft.applied = raft.commit
  }
  const { effects } = raft.turn
  if (effects.length === 0) return noEffects
  raft.turn.effects = []
  return effects
}

function persistTurn(raft: RaftCore): void {
  const { turn, durability } = raft
  const writes = turn.hardStateChanged || turn.truncateFrom !== undefined || turn.entries.length > 0
  if (!writes && turn.thenSend.length === 0) return
  const { thenSend, truncateFrom } = turn
  const entries = turn.entries.length > 0 ? turn.entries : noEntries
  const sequence = writes
    ? durability.ask(raft.log.lastIndex, raft.term, thenSend.length)
    : durability.askNothing(thenSend.length)
  const hardState = turn.hardStateChanged ? { term: raft.term, votedFor: raft.votedFor } : undefined
  emit(raft, { kind: 'persist', sequence, hardState, truncateFrom, entries, thenSend })
  turn.hardStateChanged = false
  turn.truncateFrom = undefined
  turn.thenSend = []
  if (turn.entries.length > 0) turn.entries = []
}
