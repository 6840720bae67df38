import { appendOwn } from './appending.ts'
import { changed, encodeConfiguration } from './configuration.ts'
import type { ProposalRequest } from './events.ts'
import { watchNewQuorum } from './heartbeat.ts'
import { emit, refuse } from './outbox.ts'
import type { Leader } from './role-state.ts'
import { trackFollowers } from './roles.ts'
import { beginRound, replicateToAll } from './sending.ts'
import { configurationOf, hasCommittedInOwnTerm, leaderOf, type RaftCore } from './state.ts'
import type { ConfigurationChange, EntryKind, RequestRefusal } from './types.ts'

/** Adds the commands of an event to the log together, so that they share appends and the next sync. */
export function propose(raft: RaftCore, requests: readonly ProposalRequest[]): void {
  for (const { requestId, payload } of requests) {
    const refusal = refusalNow(raft)
    if (refusal === undefined) accept(raft, requestId, 'command', payload)
    else refuse(raft, requestId, refusal)
  }
  if (raft.role.kind === 'leader') replicateToAll(raft, raft.role)
}

function accept(raft: RaftCore, requestId: number, kind: EntryKind, payload: Uint8Array): void {
  const { index, term } = appendOwn(raft, kind, payload)
  emit(raft, { kind: 'accepted', requestId, index, term })
}

/** Why nothing can be proposed here now. During a transfer of leadership, the reason is that there is no leader. */
function refusalNow(raft: RaftCore): RequestRefusal | undefined {
  if (raft.role.kind !== 'leader') return { kind: 'not-leader', leader: leaderOf(raft) }
  if (raft.transfer !== undefined) return { kind: 'not-leader', leader: undefined }
  // Both the quorum and this server's disk may be slow, so the entries that wait for either are limited.
  const settled = Math.min(raft.commit, raft.durability.index)
  const isFull = raft.log.lastIndex - settled >= raft.limits.uncommittedEntriesMax || raft.durability.isOverwhelmed
  return isFull ? { kind: 'overloaded' } : undefined
}

/**
 * Adds, removes, promotes or demotes one server. Successive configurations share a quorum, so they cannot elect two
 * leaders; but only if they are successive (Ongaro's note to raft-dev, 2015-07-10):
 * 1. There are four servers. S1 leads term 1 and appends C + S5, copies it only to S5, and is cut off.
 * 2. S2 leads term 2 by the votes of S3 and S4, appends C - S1, and commits it with S3: 2 of 3.
 * 3. S1 leads term 3 by the votes of S4 and S5: 3 of 5. It does not know S2's change, and overwrites it.
 * A leader that first commits an entry of its own term makes every earlier change either committed or impossible.
 */
export function changeConfiguration(
  raft: RaftCore,
  requestId: number,
  change: ConfigurationChange,
  nowMs: number,
): void {
  const refusal = refusalNow(raft)
  if (refusal !== undefined) return refuse(raft, requestId, refusal)
  const leader = raft.role as Leader
  const isSettled = raft.configurations.latest.index <= raft.commit && hasCommittedInOwnTerm(raft, leader)
  if (!isSettled) return refuse(raft, requestId, { kind: 'change-in-progress' })
  const after = changed(configurationOf(raft), change)
  if (!after.ok) return refuse(raft, requestId, after.error)
  accept(raft, requestId, 'configuration', encodeConfiguration(after.value))
  const wasAlone = leader.progress.size === 0
  trackFollowers(raft, leader, nowMs)
  beginRound(leader, nowMs)
  watchNewQuorum(raft, leader, wasAlone, nowMs)
  replicateToAll(raft, leader)
}
