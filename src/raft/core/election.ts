import { isCount, termAfter } from '../../model/log-position.ts'
import { noteFault } from './append.ts'
import { bootstrapTerm, isVoter, serverIn } from './configuration.ts'
import { takeLeadership } from './heartbeat.ts'
import type { TimeoutNow, VoteRequest, VoteResponse } from './messages.ts'
import { emit, send, sendOnceDurable, setElectionTimer } from './outbox.ts'
import { patienceMs, standSpreadMs } from './patience.ts'
import { quorumOf } from './quorum.ts'
import { becomeCandidate, becomeFollower, becomePreCandidate, forgetLeader } from './roles.ts'
import { configurationOf, type RaftCore } from './state.ts'
import type { ServerId } from './types.ts'

/**
 * The server boots. If it may have acknowledged a leader before, it stays loyal to that leader for as long as if it had
 * heard it at this moment: it has forgotten when that was, and a lease may rest on its acknowledgement (a voter that
 * acknowledges, restarts and votes at once would end a lease that is still valid). It acknowledges nothing before a
 * leader's term is durable, and every leader's term is beyond `bootstrapTerm`. So the servers of a new cluster,
 * bootstrapped or empty, owe no leader loyalty, and elect one as soon as the first of them stands for election.
 *
 * The only voter stands at once. No other server's lease can rest on its acknowledgement:
 * 1. A leader that serves by a lease has committed an entry of its own term, and with it everything before it in its
 *    log.
 * 2. No remembered configuration of this log has another voter. So if another server votes or leads, the entry that
 *    made it a voter came later, and needed a quorum that includes this server. It is not in this log, so nothing after
 *    it is committed either.
 * 3. A leader that is dismissing itself in favour of this server shows in the configuration before the latest.
 */
export function start(raft: RaftCore, nowMs: number): void {
  raft.quietSinceMs = nowMs
  if (raft.term > bootstrapTerm) raft.loyalUntilMs = nowMs + raft.timing.heartbeatTimeoutMs
  setElectionTimer(raft, raft.timing.heartbeatTimeoutMs)
  const { configuration, index } = raft.configurations.latest
  emit(raft, { kind: 'configuration-changed', configuration, index, committed: index <= raft.commit })
  if (raft.configurations.hasOnlyVoter(raft.id)) stand(raft, nowMs)
}

/**
 * The timer is not set anew with each heartbeat, because that would cost the driver one call per message; it is
 * extended when it fires too early. Either way, a server stands for election at a random time in [timeout, 2 × timeout)
 * after it last heard its leader, or sooner if its patience is shorter (`patience.ts`).
 */
export function electionTimerFired(raft: RaftCore, nowMs: number): void {
  const { role, timing } = raft
  if (role.kind === 'leader') return
  const quietMs = nowMs - raft.quietSinceMs
  const { heartbeatTimeoutMs } = timing
  const patience = patienceMs(raft.rhythm, timing)
  if (raft.hurriedRounds !== undefined) raft.hurriedRounds++
  else if (role.kind === 'follower' && quietMs < patience) {
    const minMs = Math.max(1, Math.ceil(patience - quietMs))
    emit(raft, { kind: 'set-timer', timer: 'election', minMs, maxMs: minMs + standSpreadMs(patience, timing) })
    return
  }
  if (mayStand(raft)) return stand(raft, nowMs)
  noteOutside(raft)
  // It is not a voter, or cannot promise anything more while the disk still writes the last promise.
  if (role.kind === 'follower') forgetLeader(raft)
  setElectionTimer(raft, heartbeatTimeoutMs)
}

/**
 * A voter may stand while its disk keeps up with its promises. So may a server that the latest change makes a
 * non-voter, for as long as it does not know that change to be committed (thesis 4.2.2): of two voters, one may have
 * the only copy of the entry that dismisses it; the other cannot be elected without it, and cannot commit that entry
 * for it. It does not count its own vote.
 */
function mayStand(raft: RaftCore): boolean {
  const { latest, previous } = raft.configurations
  const isNeeded = latest.index > raft.commit && isVoter(previous.configuration, raft.id)
  return (isNeeded || isVoter(latest.configuration, raft.id)) && raft.durability.term === raft.term
}

/** There is no leader, and this server cannot become one: logged once for each configuration that leaves it out. */
function noteOutside(raft: RaftCore): void {
  const { configuration, index } = raft.configurations.latest
  if (configuration.servers.length === 0 || serverIn(configuration, raft.id) !== undefined) return
  if (raft.toldOutside === index) return
  raft.toldOutside = index
  emit(raft, {
    kind: 'note',
    level: 'warn',
    text: `This server (ID ${raft.id}) is not in its own configuration, and can never lead`,
    fields: { index, servers: configuration.servers.map(({ id }) => id).join(', ') },
  })
}

/**
 * Asks first whether an election could be won (thesis 9.6): a server that was cut off, or removed without its
 * knowledge, does not raise the term of others with elections that it loses.
 */
function stand(raft: RaftCore, nowMs: number): void {
  if (raft.timing.preVote === 'off') return standForReal(raft, false)
  becomePreCandidate(raft)
  setElectionTimer(raft, raft.timing.electionTimeoutMs)
  requestVotes(raft, { pre: true, transfer: false })
  countVote(raft, raft.id, nowMs)
}

/**
 * Enters the next term. The requests are sent when the term and the server's own vote are durable, and only then that
 * vote counts.
 */
function standForReal(raft: RaftCore, transfer: boolean): void {
  becomeCandidate(raft)
  setElectionTimer(raft, raft.timing.electionTimeoutMs)
  requestVotes(raft, { pre: false, transfer })
}

function requestVotes(raft: RaftCore, { pre, transfer }: { pre: boolean; transfer: boolean }): void {
  const { lastIndex, lastTerm } = raft.log
  const term = pre ? termAfter(raft.term) : raft.term
  for (const { id, suffrage } of configurationOf(raft).servers) {
    if (suffrage !== 'voter' || id === raft.id) continue
    send(raft, id, { kind: 'vote-request', pre, term, lastIndex, lastTerm, transfer })
  }
}

/** The disk has caught up: a candidate whose vote is durable (term and vote are one record) counts it now. */
export function countOwnVote(raft: RaftCore, nowMs: number): void {
  if (raft.role.kind === 'candidate' && raft.durability.term === raft.term) countVote(raft, raft.id, nowMs)
}

function countVote(raft: RaftCore, from: ServerId, nowMs: number): void {
  const { role } = raft
  if (role.kind !== 'pre-candidate' && role.kind !== 'candidate') return
  const voters = configurationOf(raft).servers.filter((server) => server.suffrage === 'voter')
  if (!voters.some((voter) => voter.id === from)) return
  role.granted.add(from)
  const granted = voters.filter((voter) => role.granted.has(voter.id)).length
  if (granted < quorumOf(voters.length)) return
  if (role.kind === 'pre-candidate') standForReal(raft, false)
  else takeLeadership(raft, nowMs)
}

/**
 * While a leader is alive, requests for votes are ignored, whatever term they claim: a server that lost contact, or was
 * removed, must not disrupt the cluster (thesis 4.2.3), and the leader's lease relies on that. A candidate that the
 * leader asked to stand is an exception. The request of a server that is not a member is treated like any other,
 * because it may be a voter in a configuration that has not arrived here yet.
 */
export function receiveVoteRequest(raft: RaftCore, from: ServerId, request: VoteRequest, nowMs: number): void {
  if (![request.term, request.lastIndex, request.lastTerm].every(isCount)) {
    return noteFault(raft, from, 'a vote request with an invalid number')
  }
  if (!request.transfer && isLoyal(raft, nowMs)) return
  if (request.pre) return answerPreVote(raft, from, request)
  if (request.term > raft.term) becomeFollower(raft, request.term, undefined, nowMs)
  const { term } = raft
  const isFree = raft.votedFor === undefined || raft.votedFor === from
  if (request.term < term || !isFree || !raft.log.isCoveredBy(request.lastIndex, request.lastTerm)) {
    send(raft, from, { kind: 'vote-response', pre: false, term, granted: false })
    return
  }
  if (raft.votedFor === undefined) {
    raft.votedFor = from
    raft.turn.hardStateChanged = true
  }
  // A server that has voted gives its candidate the usual time; the candidate itself remains in a hurry if it fails.
  raft.hurriedRounds = undefined
  raft.quietSinceMs = nowMs
  sendOnceDurable(raft, from, { kind: 'vote-response', pre: false, term, granted: true })
}

function isLoyal(raft: RaftCore, nowMs: number): boolean {
  return raft.role.kind === 'leader' || nowMs < raft.loyalUntilMs
}

/** Promises nothing and changes nothing; granted if this server would grant its vote in an election held now. */
function answerPreVote(raft: RaftCore, from: ServerId, request: VoteRequest): void {
  const granted = request.term > raft.term && raft.log.isCoveredBy(request.lastIndex, request.lastTerm)
  if (granted) sendOnceDurable(raft, from, { kind: 'vote-response', pre: true, term: request.term, granted })
  else send(raft, from, { kind: 'vote-response', pre: true, term: raft.term, granted })
}

/** Only answers to the present request count: those of another term, or to the other kind of request, are late. */
export function receiveVoteResponse(raft: RaftCore, from: ServerId, answer: VoteResponse, nowMs: number): void {
  const { role, term } = raft
  if (!isVoter(configurationOf(raft), from)) return
  if (!answer.granted) {
    if (answer.term > term) becomeFollower(raft, answer.term, undefined, nowMs)
    return
  }
  const asked = role.kind === 'pre-candidate' ? term + 1 : term
  const isAnswer = role.kind === (answer.pre ? 'pre-candidate' : 'candidate') && answer.term === asked
  if (isAnswer) countVote(raft, from, nowMs)
}

/** The leader transfers its leadership: stand now, without a pre-vote, and tell the voters why (thesis 3.10). */
export function receiveTimeoutNow(raft: RaftCore, from: ServerId, { term }: TimeoutNow): void {
  const { role } = raft
  if (term !== raft.term || role.kind !== 'follower' || role.leader !== from || !mayStand(raft)) return
  standForReal(raft, true)
}
