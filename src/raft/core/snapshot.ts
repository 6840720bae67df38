import { invariant } from '../../base/invariant.ts'
import { greater, indexAfter, indexBefore, isCount, type LogIndex, lesser } from '../../model/log-position.ts'
import { hearLeader, noteFault } from './append.ts'
import { commitTo } from './commit.ts'
import { ConfigurationHistory, isConfiguration } from './configuration.ts'
import type { RaftEvent } from './events.ts'
import { noRound, type SnapshotChunk, type SnapshotResponse } from './messages.ts'
import { emit, send, sendOnceDurable } from './outbox.ts'
import { answering, installedSnapshot, noteRound } from './replication.ts'
import { beginTransfer, readChunk } from './sending.ts'
import { answers } from './signs-of-life.ts'
import { leaderOf, type RaftCore } from './state.ts'
import type { ServerId, SnapshotMeta } from './types.ts'

type SnapshotTaken = Extract<RaftEvent, { kind: 'snapshot-taken' }>
type ChunkRead = Extract<RaftEvent, { kind: 'chunk-read' }>
type ChunkStored = Extract<RaftEvent, { kind: 'chunk-stored' }>

/** The metadata of a snapshot of the state machine as of `index`, which is applied, and not below the last snapshot. */
export function snapshotMetaAt(raft: RaftCore, index: LogIndex): SnapshotMeta {
  const term = raft.log.termAt(index)
  const brought = raft.configurations.asOf(index)
  const { applied } = raft
  invariant(index <= applied && term !== undefined && brought !== undefined, 'a snapshot is of what was applied', {
    index,
    applied,
    term,
  })
  return { index, term, configuration: brought.configuration, configurationIndex: brought.index }
}

/**
 * A snapshot of this server is durable: the log before it may be removed, except for what followers that lag a little
 * still need, and as far as there is room for it, what those need that are being brought up: under steady writes, the
 * log that follows their snapshot would be cut before they have it, time and again.
 */
export function snapshotTaken(raft: RaftCore, event: SnapshotTaken, nowMs: number): void {
  const { meta, keepFrom, mayKeepFrom = keepFrom } = event
  const { applied, log } = raft
  if (meta.index <= (raft.snapshot?.index ?? 0)) return
  const term = log.termAt(meta.index)
  invariant(meta.index <= applied && meta.term === term, 'a snapshot is of what was applied', {
    index: meta.index,
    applied,
    metaTerm: meta.term,
    term,
  })
  raft.snapshot = meta
  raft.configurations.forgetBelow(meta.index)
  const needed = greater(indexBefore(mayKeepFrom), neededByBrought(raft, meta.index, nowMs))
  const base = lesser(lesser(indexBefore(keepFrom), meta.index), needed)
  if (base <= log.baseIndex) return
  log.compactTo(base)
  emit(raft, { kind: 'compact', keepFrom: indexAfter(base) })
}

/** The index after which followers that are being brought up, and answer, need the log; `index` if none needs an earlier one. */
function neededByBrought(raft: RaftCore, index: LogIndex, nowMs: number): LogIndex {
  let needed = index
  if (raft.role.kind !== 'leader') return needed
  for (const { id, broughtFrom, match } of raft.role.progress.values()) {
    if (broughtFrom !== undefined && answers(raft, id, nowMs)) needed = lesser(needed, greater(broughtFrom, match))
  }
  return needed
}

/** The driver has read a piece of the snapshot, which is sent if its transfer is still the same. */
export function chunkRead(raft: RaftCore, event: ChunkRead, nowMs: number): void {
  const { to, meta, offset, bytes, sizeBytes } = event
  const { role, term } = raft
  const progress = role.kind === 'leader' ? role.progress.get(to) : undefined
  const transfer = progress?.transfer
  if (role.kind !== 'leader' || progress === undefined || transfer === undefined) return
  if (transfer.phase !== 'reading' || transfer.meta.index !== meta.index || transfer.offset !== offset) return
  // From here on the heartbeat's patience watches the transfer, whether there was anything to send or not.
  transfer.phase = 'sent'
  transfer.sentMs = nowMs
  transfer.sizeBytes = sizeBytes
  if (bytes !== undefined) {
    send(raft, to, { kind: 'snapshot-chunk', term, meta: transfer.meta, sizeBytes, offset, bytes, round: role.round })
    return
  }
  if (raft.snapshot === undefined || raft.snapshot.index <= meta.index) return
  beginTransfer(progress, raft.snapshot)
  readChunk(raft, progress)
}

/** Number of heartbeats that a chunk may stay unanswered before it is resent. */
const chunkPatienceTicks = 10

/**
 * Called with each heartbeat: a chunk or its answer may have been lost. A follower that was not heard since the chunk was
 * sent may be down for days, in which the file may rot: when it is heard again, its transfer begins like a new one.
 */
export function watchTransfer(raft: RaftCore, to: ServerId): void {
  const progress = raft.role.kind === 'leader' ? raft.role.progress.get(to) : undefined
  const transfer = progress?.transfer
  if (progress === undefined || transfer?.phase !== 'sent') return
  transfer.ticksWaited++
  const isSilent = progress.heardMs < transfer.sentMs
  const { isDoubted } = transfer
  if (transfer.ticksWaited < chunkPatienceTicks && (isSilent || !isDoubted)) return
  readChunk(raft, progress, isSilent || !isDoubted)
  transfer.isDoubted = isSilent
}

/** A follower's answer: the offset that it wants next, which also resumes a transfer, or that it has the whole. */
export function receiveSnapshotResponse(raft: RaftCore, from: ServerId, answer: SnapshotResponse, nowMs: number): void {
  const found = answering(raft, from, answer, nowMs)
  if (found === undefined) return
  const { leader, progress } = found
  const { transfer } = progress
  if (answer.installed) {
    installedSnapshot(raft, found, answer.index, nowMs)
  } else if (transfer?.meta.index === answer.index && transfer.phase === 'sent' && isCount(answer.nextOffset)) {
    // A repeated request for the offset just sent is the late answer to the previous chunk, or a repeated one; or all of
    // the snapshot was in the chunk, and is damaged.
    if (answer.nextOffset === transfer.offset) transfer.isDoubted ||= transfer.offset === 0
    else if (answer.nextOffset <= transfer.sizeBytes) {
      transfer.offset = answer.nextOffset
      readChunk(raft, progress)
    }
  }
  noteRound(raft, leader, progress, answer.round, nowMs)
}

/**
 * Handles a piece of the leader's snapshot. One that covers no more than what is committed here is useless, because
 * state never goes back (planted bug 12). The answer says that all of it is here, which is true.
 */
export function receiveChunk(raft: RaftCore, from: ServerId, chunk: SnapshotChunk, nowMs: number): void {
  const { meta, sizeBytes, round } = chunk
  const fault = faultOf(chunk)
  if (fault !== undefined) return noteFault(raft, from, fault)
  if (chunk.term < raft.term) {
    const { term } = raft
    send(raft, from, {
      kind: 'snapshot-response',
      term,
      index: meta.index,
      nextOffset: chunk.offset,
      installed: false,
      round: noRound,
    })
    return
  }
  if (!hearLeader(raft, from, chunk.term, nowMs)) return
  if (meta.index <= raft.commit) return answerInstalled(raft, from, meta, sizeBytes, round)
  emit(raft, { kind: 'store-chunk', from, chunk })
}

/**
 * The driver has written a piece: request the next, or use the complete snapshot. A piece of an earlier term is not
 * answered, even if the same server leads again: it counts rounds anew, so the answer would claim one that this server
 * has not heard, and reads and the lease rely on rounds.
 */
export function chunkStored(raft: RaftCore, event: ChunkStored): void {
  const { from, meta, nextOffset, complete, round } = event
  const { term } = raft
  const isWanted = leaderOf(raft) === from && event.term === term
  if (!complete) {
    if (!isWanted) return
    send(raft, from, { kind: 'snapshot-response', term, index: meta.index, nextOffset, installed: false, round })
    return
  }
  if (meta.index > raft.commit) takeIntoUse(raft, meta)
  if (meta.index > (raft.snapshot?.index ?? 0)) {
    // Used or not, it is the newest on this disk, and the one to send to followers.
    raft.snapshot = meta
    raft.configurations.forgetBelow(meta.index)
  }
  if (isWanted) answerInstalled(raft, from, meta, nextOffset, round)
}

/**
 * Uses a complete snapshot beyond this server's commit index.
 * - If the log has the very entry at the snapshot's index, it has, by log matching, everything that the snapshot stands
 *   for, and the snapshot only brings the news that this is committed. The log's tail stays, because it may have been
 *   acknowledged.
 * - Otherwise the log is shorter, or differs, and is dropped as a whole. No entry may stay, not even one at the
 *   snapshot's own index (hashicorp/raft#704), because nothing after the snapshot may build on it.
 * It does not matter which server led when it was sent: what a snapshot stands for is committed for good.
 */
function takeIntoUse(raft: RaftCore, meta: SnapshotMeta): void {
  if (raft.log.termAt(meta.index) === meta.term) {
    commitTo(raft, meta.index)
    return
  }
  invariant(raft.role.kind !== 'leader', 'a leader holds all that is committed', { index: meta.index, term: raft.term })
  const before = raft.configurations.latest.index
  raft.log.resetTo(meta.index, meta.term)
  raft.durability.replacedUpTo(meta.index)
  raft.commit = meta.index
  raft.applied = meta.index
  raft.configurations = new ConfigurationHistory(meta.configuration, meta.configurationIndex)
  raft.configurationCommitTold = meta.configurationIndex
  emit(raft, { kind: 'install-snapshot', meta })
  if (before === meta.configurationIndex) return
  const { configuration, configurationIndex: index } = meta
  emit(raft, { kind: 'configuration-changed', configuration, index, committed: true })
}

function answerInstalled(raft: RaftCore, to: ServerId, meta: SnapshotMeta, nextOffset: number, round: number): void {
  const { term } = raft
  sendOnceDurable(raft, to, {
    kind: 'snapshot-response',
    term,
    index: meta.index,
    nextOffset,
    installed: true,
    round,
  })
}

function faultOf({ term, meta, sizeBytes, offset, bytes, round }: SnapshotChunk): string | undefined {
  for (const number of [term, meta.index, meta.term, meta.configurationIndex, sizeBytes, offset, round]) {
    if (!isCount(number)) return 'a snapshot chunk with an invalid number'
  }
  if (offset + bytes.length > sizeBytes) return 'a snapshot chunk beyond its end'
  if (!isConfiguration(meta.configuration)) return 'a snapshot chunk with an unreadable configuration'
  return meta.index === 0 || meta.configurationIndex > meta.index || meta.term > term
    ? 'a snapshot chunk of an impossible snapshot'
    : undefined
}
