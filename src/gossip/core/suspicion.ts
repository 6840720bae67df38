import { compareText } from '../../base/bytes.ts'
import { takeDead } from './dead.ts'
import { wasAsleep } from './health.ts'
import type { Message } from './messages.ts'
import { broadcastClaim, count, note, setTimer } from './outbox.ts'
import { refute } from './refute.ts'
import { suspicionMaxMult, suspicionMinMs, suspicionMs } from './scaling.ts'
import type { GossipCore, MemberRecord } from './state.ts'
import { isIncarnation, isName } from './validity.ts'

type Suspect = Extract<Message, { readonly kind: 'suspect' }>

/**
 * Somebody is said not to answer. It overrides an `alive` of the same incarnation or a lower one (SWIM, section 4.2;
 * memberlist `suspectNode`). A word from another accuser confirms a suspicion that there is, and goes on to others.
 */
export function takeSuspect(gossip: GossipCore, suspect: Suspect): void {
  const member = gossip.members.get(suspect.node)
  if (member === undefined) return
  if (!isIncarnation(suspect.incarnation)) return count(gossip, 'gossip.dropped.number')
  if (!isName(suspect.from)) return count(gossip, 'gossip.dropped.malformed')
  if (suspect.incarnation < member.incarnation) return
  if (member.suspicion !== undefined) {
    if (confirm(gossip, member, suspect.from)) broadcastClaim(gossip, member.name, suspect)
    return
  }
  if (member.state !== 'alive') return
  if (member === gossip.self) {
    note(gossip, 'warn', 'memberlist', 'Refuting a suspect message', { from: suspect.from })
    return refute(gossip, suspect.incarnation)
  }
  count(gossip, 'memberlist.msg.suspect')
  broadcastClaim(gossip, member.name, suspect)
  member.incarnation = suspect.incarnation
  member.state = 'suspect'
  member.stateChangedMs = gossip.turn.nowMs
  beginSuspicion(gossip, member, suspect.from)
}

/**
 * From the longest time down to the shortest with each independent confirmation (Lifeguard, section 4.B). Two fewer than the
 * multiplier are expected, as many as may come within the shortest time; none in a pool too small to give them.
 */
function beginSuspicion(gossip: GossipCore, member: MemberRecord, from: string): void {
  const { timing, without } = gossip.options
  const { suspicionMult, probeIntervalMs } = timing
  const { nowMs } = gossip.turn
  const size = gossip.roster.length
  const expected = size - 2 < suspicionMult - 2 ? 0 : suspicionMult - 2
  const minMs = suspicionMinMs(suspicionMult, size, probeIntervalMs)
  const maxMs = without?.shrinkingSuspicion === true ? minMs : suspicionMaxMult * minMs
  const dueMs = nowMs + suspicionMs(0, expected, minMs, maxMs)
  member.suspicion = { from: new Set([from]), expected, minMs, maxMs, sinceMs: nowMs, dueMs }
  gossip.suspects.add(member)
  watch(gossip, dueMs)
}

/** True when this is news: an accuser not heard before, while one more counts. */
function confirm(gossip: GossipCore, { suspicion }: MemberRecord, from: string): boolean {
  if (suspicion === undefined) return false
  const confirmed = suspicion.from.size - 1
  if (confirmed >= suspicion.expected || suspicion.from.has(from)) return false
  suspicion.from.add(from)
  const { expected, minMs, maxMs } = suspicion
  suspicion.dueMs = suspicion.sinceMs + suspicionMs(confirmed + 1, expected, minMs, maxMs)
  watch(gossip, suspicion.dueMs)
  return true
}

/** One timer for all suspicions, set to an instant no later than the earliest end. One that ends otherwise leaves it alone. */
function watch(gossip: GossipCore, dueMs: number): void {
  const setMs = gossip.timers.get('suspicion')
  if (setMs === undefined || dueMs < setMs) setTimer(gossip, 'suspicion', dueMs)
}

/** Those not refuted in time are dead. After a sleep, what has arrived meanwhile is read first, a refutation perhaps. */
export function suspicionTimerFired(gossip: GossipCore, dueMs: number): void {
  const { nowMs } = gossip.turn
  if (wasAsleep(gossip, 'suspicion', dueMs))
    return setTimer(gossip, 'suspicion', nowMs + gossip.options.timing.probeIntervalMs)
  const due: MemberRecord[] = []
  for (const member of gossip.suspects) if ((member.suspicion?.dueMs ?? 0) <= nowMs) due.push(member)
  due.sort((a, b) => compareText(a.name, b.name))
  for (const member of due) expire(gossip, member)
  let nextMs = Number.POSITIVE_INFINITY
  for (const { suspicion } of gossip.suspects) if (suspicion !== undefined) nextMs = Math.min(nextMs, suspicion.dueMs)
  if (nextMs < Number.POSITIVE_INFINITY) setTimer(gossip, 'suspicion', nextMs)
}

function expire(gossip: GossipCore, member: MemberRecord): void {
  const confirmed = (member.suspicion?.from.size ?? 1) - 1
  if (confirmed < (member.suspicion?.expected ?? 0)) count(gossip, 'memberlist.degraded.timeout')
  const { name, incarnation } = member
  const text = 'Marking as failed, suspect timeout reached'
  note(gossip, 'info', 'memberlist', text, { name, confirmations: confirmed })
  takeDead(gossip, { kind: 'dead', incarnation, node: name, from: gossip.self.name })
}
