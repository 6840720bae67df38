import { greater, indexAfter, type LogIndex, lesser, noIndex, type Term } from '../../model/log-position.ts'
import { advanceCommit } from './commit.ts'
import { isVoter, serverIn } from './configuration.ts'
import type { AppendResponse } from './messages.ts'
import { emit } from './outbox.ts'
import { confirmRounds } from './read.ts'
import type { Leader, Progress } from './role-state.ts'
import { becomeFollower } from './roles.ts'
import { becomeProbe, becomeReplicate, landed, noticeCommit, replicateTo } from './sending.ts'
import { configurationOf, type RaftCore } from './state.ts'
import { continueTransfer } from './transfer.ts'
import type { ServerId } from './types.ts'

/** A follower that answers, and the leader's state about it. */
interface Answering {
  readonly leader: Leader
  readonly progress: Progress
}

/**
 * The follower of this answer, if it concerns the present leadership; its round is noted. An answer of a newer term
 * ends the leadership. Answers of servers that are not members, or not any more, do not count, whatever their term.
 */
export function answering(
  raft: RaftCore,
  from: ServerId,
  answer: { readonly term: Term; readonly round: number },
  nowMs: number,
): Answering | undefined {
  if (answer.term > raft.term) {
    if (serverIn(configurationOf(raft), from) !== undefined) becomeFollower(raft, answer.term, undefined, nowMs)
    return undefined
  }
  const { role } = raft
  if (role.kind !== 'leader' || answer.term < raft.term || answer.round > role.round) return undefined
  const progress = role.progress.get(from)
  if (progress === undefined) return undefined
  // Round 0 is that of a notice, which has only refusals: they claim nothing.
  if (answer.round > 0 && answer.round < progress.sinceRound) return undefined
  progress.heardMs = nowMs
  return { leader: role, progress }
}

export function receiveAppendResponse(raft: RaftCore, from: ServerId, answer: AppendResponse, nowMs: number): void {
  const found = answering(raft, from, answer, nowMs)
  if (found === undefined) return
  const { leader, progress } = found
  if (answer.success) acknowledged(raft, found, answer.index, nowMs)
  else refused(raft, found, answer)
  noteRound(raft, leader, progress, answer.round, nowMs)
}

/** The round counts whatever else the answer says: the follower has heard this leader in this term. */
export function noteRound(raft: RaftCore, leader: Leader, progress: Progress, round: number, nowMs: number): void {
  if (round <= progress.round) return
  progress.round = round
  if (raft.role === leader && isVoter(configurationOf(raft), progress.id)) confirmRounds(raft, leader, nowMs)
}

/** The follower's log is durable and equal up to `index`. */
function acknowledged(raft: RaftCore, { leader, progress }: Answering, index: LogIndex, nowMs: number): void {
  if (index > raft.log.lastIndex) {
    emit(raft, {
      kind: 'note',
      level: 'warn',
      text: 'a follower acknowledges entries that the log does not have: ignored',
      fields: { from: progress.id, index, lastIndex: raft.log.lastIndex },
    })
    return
  }
  if (index > progress.match) {
    progress.match = index
    // What a follower needs that has more than the newest snapshot is kept in any case.
    if (index > (raft.snapshot?.index ?? 0)) progress.broughtFrom = undefined
    progress.next = greater(progress.next, indexAfter(index))
    landed(progress, index)
    advanceCommit(raft, leader, nowMs)
    if (raft.role !== leader) return
  }
  const agreed =
    progress.state === 'snapshot' ? progress.match >= raft.log.baseIndex : progress.match === progress.next - 1
  if (progress.state !== 'replicate' && agreed) becomeReplicate(progress)
  replicateTo(raft, leader, progress)
  noticeCommit(raft, progress)
  continueTransfer(raft, leader, progress)
}

/**
 * The follower's log does not have what the request built on: entries were lost or overtaken on the way, or the logs
 * differ. Its hint is where they may agree; the leader's own log narrows that down to an entry of at most the hinted
 * term.
 */
function refused(raft: RaftCore, { leader, progress }: Answering, answer: AppendResponse): void {
  if (progress.state === 'snapshot') return
  const agreed = mayAgreeUpTo(raft, answer)
  if (answer.index < progress.match) {
    // Most likely the refusal is late: the follower has acknowledged more since. But a follower that refuses a newer
    // round has lost its disk.
    if (answer.round <= progress.round) return
    noteLostLog(raft, progress, answer.index)
    progress.match = agreed
  }
  const next = indexAfter(greater(progress.match, agreed))
  if (progress.state === 'probe' && next >= progress.next) return
  becomeProbe(progress, lesser(next, progress.next))
  replicateTo(raft, leader, progress)
}

function mayAgreeUpTo(raft: RaftCore, { index, hintTerm }: AppendResponse): LogIndex {
  const limit = lesser(index, raft.log.lastIndex)
  return hintTerm === 0 ? limit : (raft.log.lastAtMost(limit, hintTerm) ?? noIndex)
}

/**
 * The follower lost entries that it had acknowledged: they were counted as on its disk, and are not. Commits that
 * relied on it have one copy fewer than they needed.
 */
function noteLostLog(raft: RaftCore, progress: Progress, index: LogIndex): void {
  emit(raft, {
    kind: 'note',
    level: 'warn',
    counts: 'raft.replication.lostLog',
    text: 'a follower has lost entries that it acknowledged',
    fields: {
      from: progress.id,
      match: progress.match,
      index,
      committed: Math.min(progress.match, raft.commit) > index,
      remedy:
        'it is sent those entries again, but meanwhile writes had fewer copies than counted: replace this server, and distrust its disk',
    },
  })
}

/**
 * The follower has everything that a snapshot stands for; later entries may come from the log, or only from a newer
 * snapshot.
 */
export function installedSnapshot(raft: RaftCore, found: Answering, index: LogIndex, nowMs: number): void {
  const { leader, progress } = found
  acknowledged(raft, found, index, nowMs)
  if (raft.role !== leader || progress.state !== 'snapshot' || progress.match < index) return
  becomeProbe(progress, indexAfter(progress.match))
  replicateTo(raft, leader, progress)
}
