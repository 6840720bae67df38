import { invariant } from '../../base/invariant.ts'
import { isCount, type LogIndex, lesser, noIndex, noTerm, plus, type Term } from '../../model/log-position.ts'
import { appendEntry, truncateLog } from './appending.ts'
import { commitTo } from './commit.ts'
import { decodeConfiguration } from './configuration.ts'
import { type AppendRequest, noRound, type RaftMessage } from './messages.ts'
import { emit, send, sendOnceDurable } from './outbox.ts'
import { newRhythm, noteSilence, patienceMs } from './patience.ts'
import { becomeFollower } from './roles.ts'
import { leaderOf, type RaftCore } from './state.ts'
import type { Entry, ServerId } from './types.ts'

/** Handles an append of a leader: appends new entries, and commits as far as the logs are known to agree. */
export function receiveAppend(raft: RaftCore, from: ServerId, request: AppendRequest, nowMs: number): void {
  const { round } = request
  const fault = faultOf(request)
  if (fault !== undefined) return noteFault(raft, from, fault)
  if (request.term < raft.term) return refuseAppend(raft, from, hintFor(raft, request), noRound)
  if (!hearLeader(raft, from, request.term, nowMs)) return
  raft.commitFirstTold ??= request.commit
  if (!agreesAt(raft, request.previousIndex, request.previousTerm)) {
    return refuseAppend(raft, from, hintFor(raft, request), round)
  }
  appendNew(raft, request.entries)
  // Beyond this, this server's log may have entries of another leader, so neither commit nor answer goes further.
  const verified = plus(request.previousIndex, request.entries.length)
  const commit = lesser(request.commit, verified)
  if (commit > raft.commit) commitTo(raft, commit)
  acknowledgeAppend(raft, from, request, verified)
}

/**
 * Follows the sender of an append or a snapshot if its term is the present one or newer. Membership is not checked:
 * a new server learns its first configuration this way. False: the sender cannot be the leader of this term.
 */
export function hearLeader(raft: RaftCore, from: ServerId, term: Term, nowMs: number): boolean {
  if (term < raft.term) return false
  const known = term === raft.term ? leaderOf(raft) : undefined
  if (known !== undefined && known !== from) {
    noteFault(raft, from, 'another leader in a term that has one')
    return false
  }
  raft.hurriedRounds = undefined
  if (known === undefined) {
    becomeFollower(raft, term, from, nowMs)
    raft.rhythm = newRhythm(nowMs)
  } else noteSilence(raft.rhythm, nowMs - (raft.leaderHeardMs ?? nowMs), raft.timing, nowMs)
  raft.leaderHeardMs = nowMs
  raft.quietSinceMs = nowMs
  raft.loyalUntilMs = nowMs + patienceMs(raft.rhythm, raft.timing)
  return true
}

/**
 * Handles a message whose work the disk has no room for: it is dropped, but a leader of the present term that sends it
 * lives. Otherwise a server whose disk has been slow for long would stand for election beside a leader that serves, and
 * know no leader to which it could forward its clients' requests.
 */
export function overhear(raft: RaftCore, from: ServerId, message: RaftMessage, nowMs: number): void {
  const isOfLeader = message.kind === 'append-request' || message.kind === 'snapshot-chunk'
  // To follow a leader of a later term is work for the disk, too.
  if (isOfLeader && message.term === raft.term) hearLeader(raft, from, message.term, nowMs)
}

/** Whether the logs are equal up to `index`. Up to the commit index they always are (leader completeness). */
function agreesAt(raft: RaftCore, index: LogIndex, term: Term): boolean {
  const own = raft.log.termAt(index)
  if (index > raft.commit) return own === term
  invariant(own === undefined || own === term, 'the leader holds every committed entry', { index, own, term })
  return true
}

/**
 * Appends the entries that are missing. Only a real conflict drops anything: a request may be old or repeated, and then
 * entries after its own are newer than it, and perhaps already acknowledged.
 */
function appendNew(raft: RaftCore, entries: readonly Entry[]): void {
  for (const entry of entries) {
    const own = raft.log.termAt(entry.index)
    if (own === entry.term || entry.index <= raft.log.baseIndex) continue
    if (own !== undefined) truncateLog(raft, entry.index)
    appendEntry(raft, entry)
  }
}

function acknowledgeAppend(raft: RaftCore, from: ServerId, request: AppendRequest, verified: LogIndex): void {
  const { entries, round } = request
  const { term } = raft
  if (round === noRound) return
  sendOnceDurable(raft, from, {
    kind: 'append-response',
    term,
    success: true,
    index: verified,
    hintTerm: noTerm,
    round,
  })
  // A slow disk must not look like a dead server, so the answer that confirms contact does not wait for the disk.
  if (entries.length > 0 || !raft.durability.isBehind) return
  send(raft, from, { kind: 'append-response', term, success: true, index: noIndex, hintTerm: noTerm, round })
}

function refuseAppend(raft: RaftCore, to: ServerId, index: LogIndex, round: number): void {
  const hintTerm = raft.log.termAt(index) ?? noTerm
  send(raft, to, { kind: 'append-response', term: raft.term, success: false, index, hintTerm, round })
}

/** The last place where the logs may agree, given that the leader's entry at `previousIndex` has `previousTerm`. */
function hintFor(raft: RaftCore, { previousIndex, previousTerm }: AppendRequest): LogIndex {
  return raft.log.lastAtMost(previousIndex, previousTerm) ?? raft.log.baseIndex
}

/** Why a request is invalid, so that no leader would send it. It comes from outside, so it is refused, not asserted. */
function faultOf({ term, previousIndex, previousTerm, entries, commit, round }: AppendRequest): string | undefined {
  const areCounts =
    isCount(term) && isCount(previousIndex) && isCount(previousTerm) && isCount(commit) && isCount(round)
  if (!areCounts) return 'an append request with an invalid number'
  let newest = previousTerm
  for (const [i, entry] of entries.entries()) {
    if (entry.index !== previousIndex + 1 + i) return 'an append request with a gap'
    if (!isCount(entry.term) || entry.term < newest) return 'an append request whose terms fall'
    if (entry.kind === 'configuration' && !decodeConfiguration(entry.payload).ok) {
      return 'an append request with an unreadable configuration'
    }
    newest = entry.term
  }
  return newest > term ? 'an append request with an entry newer than its term' : undefined
}

export function noteFault(raft: RaftCore, from: ServerId, fault: string): void {
  emit(raft, { kind: 'note', level: 'warn', text: `message ignored: ${fault}`, fields: { from, term: raft.term } })
}
