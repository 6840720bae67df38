import { overhear, receiveAppend } from './append.ts'
import { advanceCommit } from './commit.ts'
import type { RaftEffect } from './effects.ts'
import {
  countOwnVote,
  electionTimerFired,
  receiveTimeoutNow,
  receiveVoteRequest,
  receiveVoteResponse,
  start,
} from './election.ts'
import type { RaftEvent, TimerName } from './events.ts'
import { heartbeatTimerFired, quorumTimerFired } from './heartbeat.ts'
import { leaderGone } from './leader-gone.ts'
import type { RaftMessage } from './messages.ts'
import { finishTurn } from './outbox.ts'
import { changeConfiguration, propose } from './proposals.ts'
import { requestRead } from './read.ts'
import { receiveAppendResponse } from './replication.ts'
import { chunkRead, chunkStored, receiveChunk, receiveSnapshotResponse, snapshotTaken } from './snapshot.ts'
import type { RaftCore } from './state.ts'
import { requestTransfer, transferTimerFired } from './transfer.ts'
import type { ServerId } from './types.ts'

/**
 * Advances one server's state by one event; the effects say what the driver must do, in order. `nowMs` is the server's
 * monotonic clock at this moment, not when the event was queued. Input from other servers, however late, repeated or
 * malformed, is handled or ignored; an exception is a bug here (`InvariantViolation`), and the server must stop.
 */
export function step(raft: RaftCore, event: RaftEvent, nowMs: number): readonly RaftEffect[] {
  take(raft, event, nowMs)
  return finishTurn(raft)
}

function take(raft: RaftCore, event: RaftEvent, nowMs: number): void {
  switch (event.kind) {
    case 'started':
      return start(raft, nowMs)
    case 'timer-fired':
      return takeTimer(raft, event.timer, nowMs)
    case 'message-received':
      return takeMessage(raft, event.from, event.message, nowMs)
    case 'persisted':
      return takePersisted(raft, event.sequence, nowMs)
    case 'proposed':
      return propose(raft, event.requests)
    case 'change-requested':
      return changeConfiguration(raft, event.requestId, event.change, nowMs)
    case 'read-requested':
      return requestRead(raft, event.requestId, event.mode, nowMs)
    case 'transfer-requested':
      return requestTransfer(raft, event.requestId, event.to, nowMs)
    case 'leader-gone':
      return leaderGone(raft, event.leader, nowMs)
    case 'snapshot-taken':
      return snapshotTaken(raft, event, nowMs)
    case 'chunk-stored':
      return chunkStored(raft, event)
    case 'chunk-read':
      return chunkRead(raft, event, nowMs)
    default:
      event satisfies never
  }
}

function takeTimer(raft: RaftCore, timer: TimerName, nowMs: number): void {
  switch (timer) {
    case 'election':
      return electionTimerFired(raft, nowMs)
    case 'heartbeat':
      return heartbeatTimerFired(raft, nowMs)
    case 'quorum':
      return quorumTimerFired(raft, nowMs)
    case 'transfer':
      return transferTimerFired(raft)
    default:
      timer satisfies never
  }
}

function takeMessage(raft: RaftCore, from: ServerId, message: RaftMessage, nowMs: number): void {
  if (from === raft.id) return
  switch (message.kind) {
    case 'append-response':
      return receiveAppendResponse(raft, from, message, nowMs)
    case 'vote-response':
      return receiveVoteResponse(raft, from, message, nowMs)
    case 'snapshot-response':
      return receiveSnapshotResponse(raft, from, message, nowMs)
  }
  // The following messages cause work for the disk.
  if (raft.durability.isOverwhelmed) return overhear(raft, from, message, nowMs)
  switch (message.kind) {
    case 'append-request':
      return receiveAppend(raft, from, message, nowMs)
    case 'vote-request':
      return receiveVoteRequest(raft, from, message, nowMs)
    case 'snapshot-chunk':
      return receiveChunk(raft, from, message, nowMs)
    case 'timeout-now':
      return receiveTimeoutNow(raft, from, message)
    default:
      message satisfies never
  }
}

function takePersisted(raft: RaftCore, sequence: number, nowMs: number): void {
  raft.durability.finished(sequence)
  if (raft.role.kind === 'leader') advanceCommit(raft, raft.role, nowMs)
  else countOwnVote(raft, nowMs)
}
