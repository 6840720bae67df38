import { invariant } from '../../base/invariant.ts'
import {
  greater,
  indexAfter,
  indexBefore,
  type LogIndex,
  lesser,
  noIndex,
  noTerm,
  plus,
  type Term,
} from '../../model/log-position.ts'
import { noRound } from './messages.ts'
import { emit, send } from './outbox.ts'
import type { Leader, Progress } from './role-state.ts'
import type { RaftCore } from './state.ts'
import type { Entry, SnapshotMeta } from './types.ts'

/** Number of rounds whose beginning a leader remembers; a quorum that answers none of them gives no lease. */
export const roundsRemembered = 512

const noEntries: readonly Entry[] = []

/** Begins a new round for requests: a server that answers it has heard this leader after this moment. */
export function beginRound(leader: Leader, nowMs: number): void {
  leader.round++
  leader.roundBeganMs[leader.round % roundsRemembered] = nowMs
}

/** Sends every follower the entries that it lacks, as far as flow control allows. */
export function replicateToAll(raft: RaftCore, leader: Leader): void {
  for (const progress of leader.progress.values()) replicateTo(raft, leader, progress)
}

/**
 * Sends one follower what it lacks. While the logs agree, requests follow one another without waiting for answers, at
 * most `appendsInFlightMax` of them and about `appendBytesInFlightMax`; proposals made meanwhile share the next one.
 * Nothing here times out: heartbeats name the last entry sent, so that a lost request shows as a refusal, and a lost
 * answer is repeated.
 */
export function replicateTo(raft: RaftCore, leader: Leader, progress: Progress): void {
  if (progress.state === 'probe') {
    if (!progress.probing) sendEntries(raft, leader, progress)
    return
  }
  while (progress.state === 'replicate' && progress.next <= raft.log.lastIndex && mayFly(raft, progress)) {
    sendEntries(raft, leader, progress)
  }
}

function mayFly({ limits }: RaftCore, { inFlight, bytesInFlight }: Progress): boolean {
  return inFlight.length < limits.appendsInFlightMax && bytesInFlight < limits.appendBytesInFlightMax
}

function fly(progress: Progress, last: LogIndex, entries: readonly Entry[]): void {
  let bytes = 0
  for (const { payload } of entries) bytes += payload.length
  progress.inFlight.push({ last, bytes })
  progress.bytesInFlight += bytes
}

/** Everything up to `index` is acknowledged. */
export function landed(progress: Progress, index: LogIndex): void {
  let count = 0
  for (const { last, bytes } of progress.inFlight) {
    if (last > index) break
    progress.bytesInFlight -= bytes
    count++
  }
  progress.inFlight.splice(0, count)
}

function sendEntries(raft: RaftCore, leader: Leader, progress: Progress): void {
  const previousIndex = indexBefore(progress.next)
  const previousTerm = raft.log.termAt(previousIndex)
  if (previousTerm === undefined) {
    beginSnapshot(raft, progress)
    return
  }
  const { appendEntriesMax, appendBytesMax } = raft.limits
  const entries = raft.log.batch(progress.next, appendEntriesMax, appendBytesMax)
  const verified = plus(previousIndex, entries.length)
  if (progress.state === 'probe') {
    progress.probing = true
  } else {
    progress.next = indexAfter(verified)
    fly(progress, verified, entries)
  }
  progress.sentSinceTick = true
  sendAppend(raft, progress, entries, previousIndex, previousTerm, leader.round)
}

/**
 * An append without entries, which is answered. It names the last entry sent, and so detects losses; if the log has
 * been cut beyond that meanwhile, only a snapshot can help.
 */
export function sendHeartbeat(raft: RaftCore, leader: Leader, progress: Progress): void {
  if (progress.state !== 'snapshot' && raft.log.termAt(indexBefore(progress.next)) === undefined)
    beginSnapshot(raft, progress)
  sendEmpty(raft, progress, leader.round)
}

/** Notifies a removed server of its removal, so that it does not stand for election. */
export function sendFarewell(raft: RaftCore, progress: Progress): void {
  sendEmpty(raft, progress, noRound)
}

/**
 * Notifies a follower that has every entry how far they are committed, unless it knows. Costs one unacknowledged
 * message each time a follower's pipeline becomes empty; under load, the next append carries the commit index.
 */
export function noticeCommit(raft: RaftCore, progress: Progress): void {
  if (progress.state !== 'replicate' || progress.inFlight.length > 0) return
  if (progress.commitTold >= raft.commit || progress.next <= raft.log.lastIndex) return
  sendEmpty(raft, progress, noRound)
}

function sendEmpty(raft: RaftCore, progress: Progress, round: number): void {
  // A follower that needs a snapshot is asked to verify the empty log, with which every log begins.
  const previousIndex = progress.state === 'snapshot' ? noIndex : indexBefore(progress.next)
  const previousTerm = raft.log.termAt(previousIndex)
  if (previousTerm === undefined) sendAppend(raft, progress, noEntries, noIndex, noTerm, round)
  else sendAppend(raft, progress, noEntries, previousIndex, previousTerm, round)
}

function sendAppend(
  raft: RaftCore,
  progress: Progress,
  entries: readonly Entry[],
  previousIndex: LogIndex,
  previousTerm: Term,
  round: number,
): void {
  const { term, commit } = raft
  progress.commitTold = greater(progress.commitTold, lesser(commit, plus(previousIndex, entries.length)))
  send(raft, progress.id, { kind: 'append-request', term, previousIndex, previousTerm, entries, commit, round })
}

/** The entries that the follower needs were removed from the log, so it gets the snapshot instead. */
function beginSnapshot(raft: RaftCore, progress: Progress): void {
  const { snapshot } = raft
  invariant(snapshot !== undefined, 'the log is cut only below a snapshot', { baseIndex: raft.log.baseIndex })
  progress.state = 'snapshot'
  progress.inFlight = []
  progress.bytesInFlight = 0
  progress.probing = false
  beginTransfer(progress, snapshot)
  emit(raft, {
    kind: 'note',
    level: 'info',
    text: 'sending a snapshot',
    fields: { to: progress.id, index: snapshot.index, next: progress.next },
  })
  readChunk(raft, progress)
}

export function beginTransfer(progress: Progress, meta: SnapshotMeta): void {
  progress.transfer = { meta, sizeBytes: 0, offset: 0, phase: 'reading', sentMs: 0, ticksWaited: 0, isDoubted: false }
  progress.broughtFrom = meta.index
}

/** Asks the driver for the piece of the snapshot at the transfer's offset. */
export function readChunk(raft: RaftCore, progress: Progress, isRepeated = false): void {
  const { transfer } = progress
  if (transfer === undefined) return
  transfer.phase = 'reading'
  transfer.ticksWaited = 0
  transfer.isDoubted = false
  const { meta, offset } = transfer
  const length = raft.limits.snapshotChunkBytes
  emit(raft, { kind: 'read-chunk', to: progress.id, meta, offset, length, isRepeated })
}

/** Starts probing again after the entries that are known to be equal. */
export function becomeProbe(progress: Progress, next: LogIndex): void {
  progress.state = 'probe'
  progress.next = next
  progress.inFlight = []
  progress.bytesInFlight = 0
  progress.probing = false
  progress.transfer = undefined
}

/** The logs agree up to `match`: later entries may be sent ahead of answers. */
export function becomeReplicate(progress: Progress): void {
  progress.state = 'replicate'
  progress.next = indexAfter(progress.match)
  progress.inFlight = []
  progress.bytesInFlight = 0
  progress.probing = false
  progress.transfer = undefined
}
