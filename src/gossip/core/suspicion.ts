import { compareText } from '../../base/bytes.ts'
import { takeDead } from './dead.ts'
import { refute, wasAsleep } from './health.ts'
import type { MemberRecord } from './member-record.ts'
import type { Message } from './messages.ts'
import { broadcastClaim, count, note, setTimer } from './outbox.ts'
import { suspicionMaxMult, suspicionMinMs, suspicionMs } from './scaling.ts'
import type { GossipCore, Suspicion } from './state.ts'
import { isIncarnation, isName } from './validity.ts'

type Suspect = Extract<Message, { readonly kind: 'suspect' }>

/**
 * `accusation`: the member that probed it accuses. The others come with the state of a member that may have learned of
 * them from any other.
 */
type SuspectSource = 'accusation' | 'held-suspect' | 'held-dead'

/**
 * Handles a claim that a member does not answer. It overrides an `alive` of the same incarnation or a lower one (SWIM,
 * section 4.2; memberlist `suspectNode`). A claim by another accuser confirms an existing suspicion, and is forwarded.
 *
 * A suspicion or death that another member merely knows of confirms nothing, and such a suspicion is not broadcast from
 * here. memberlist does both in its own name. One accusation, carried from member to member by exchanges of states,
 * then counts as many independent ones, and shortens the time to refute that Lifeguard gives (section 4.B;
 * bench/STUDIES.md has the figures).
 */
export function takeSuspect(gossip: GossipCore, suspect: Suspect, source: SuspectSource = 'accusation'): void {
  const member = gossip.members.get(suspect.node)
  if (member === undefined) return
  if (!isIncarnation(suspect.incarnation)) return count(gossip, 'gossip.dropped.number')
  if (!isName(suspect.from)) return count(gossip, 'gossip.dropped.malformed')
  if (suspect.incarnation < member.incarnation) return
  const suspicion = gossip.suspects.get(member)
  if (suspicion !== undefined) {
    if (source === 'accusation' && confirm(gossip, suspicion, suspect.from)) {
      broadcastClaim(gossip, member.name, suspect)
    }
    return
  }
  if (member.state !== 'alive') return
  if (member === gossip.self) {
    note(gossip, 'warn', 'memberlist', 'Refuting a suspect message', { from: suspect.from })
    return refute(gossip, suspect.incarnation)
  }
  count(gossip, 'memberlist.msg.suspect')
  if (source !== 'held-suspect') broadcastClaim(gossip, member.name, suspect)
  member.incarnation = suspect.incarnation
  member.state = 'suspect'
  member.stateChangedMs = gossip.turn.nowMs
  beginSuspicion(gossip, member, source === 'held-suspect' ? [] : [suspect.from])
}

/**
 * Begins a suspicion, which lasts from the longest time down to the shortest, shortened by each independent
 * confirmation (Lifeguard, section 4.B). It expects two confirmations fewer than the multiplier, as many as may come
 * within the shortest time; none in a pool too small to give them.
 */
function beginSuspicion(gossip: GossipCore, member: MemberRecord, from: readonly string[]): void {
  const { timing, without } = gossip.options
  const { suspicionMult, probeIntervalMs } = timing
  const { nowMs } = gossip.turn
  const size = gossip.roster.length
  const expected = size - 2 < suspicionMult - 2 ? 0 : suspicionMult - 2
  const minMs = suspicionMinMs(suspicionMult, size, probeIntervalMs)
  const maxMs = without?.shrinkingSuspicion === true ? minMs : suspicionMaxMult * minMs
  const dueMs = nowMs + suspicionMs(0, expected, minMs, maxMs)
  gossip.suspects.set(member, { from: new Set(from), expected, minMs, maxMs, sinceMs: nowMs, dueMs })
  watch(gossip, dueMs)
}

/**
 * True if this is news: an accuser not counted before, while further confirmations still count. The time that is left may
 * be over already; a timer that was due then would look as if this agent had slept.
 */
function confirm(gossip: GossipCore, suspicion: Suspicion, from: string): boolean {
  if (confirmations(suspicion) >= suspicion.expected || suspicion.from.has(from)) return false
  suspicion.from.add(from)
  const { expected, minMs, maxMs } = suspicion
  suspicion.dueMs = suspicion.sinceMs + suspicionMs(confirmations(suspicion), expected, minMs, maxMs)
  watch(gossip, Math.max(gossip.turn.nowMs, suspicion.dueMs))
  return true
}

/** The first accuser counts as the originator, even if we learned of the suspicion second-hand. */
function confirmations({ from }: Suspicion): number {
  return Math.max(0, from.size - 1)
}

/**
 * Sets the one timer of all suspicions to an instant no later than the earliest end. A suspicion that ends by
 * refutation leaves the timer alone.
 */
function watch(gossip: GossipCore, dueMs: number): void {
  const setMs = gossip.timers.get('suspicion')
  if (setMs === undefined || dueMs < setMs) setTimer(gossip, 'suspicion', dueMs)
}

/**
 * Suspects that did not refute in time become dead. After a pause of this agent, waiting messages are read first,
 * because a refutation may be among them.
 */
export function suspicionTimerFired(gossip: GossipCore, dueMs: number): void {
  const { nowMs } = gossip.turn
  if (wasAsleep(gossip, 'suspicion', dueMs))
    return setTimer(gossip, 'suspicion', nowMs + gossip.options.timing.probeIntervalMs)
  const due: MemberRecord[] = []
  for (const [member, { dueMs: endMs }] of gossip.suspects) if (endMs <= nowMs) due.push(member)
  due.sort((a, b) => compareText(a.name, b.name))
  for (const member of due) expire(gossip, member)
  let nextMs = Number.POSITIVE_INFINITY
  for (const { dueMs: endMs } of gossip.suspects.values()) nextMs = Math.min(nextMs, endMs)
  if (nextMs < Number.POSITIVE_INFINITY) setTimer(gossip, 'suspicion', nextMs)
}

function expire(gossip: GossipCore, member: MemberRecord): void {
  const suspicion = gossip.suspects.get(member)
  const confirmed = suspicion === undefined ? 0 : confirmations(suspicion)
  if (confirmed < (suspicion?.expected ?? 0)) count(gossip, 'memberlist.degraded.timeout')
  const { name, incarnation } = member
  const text = 'Marking as failed, suspect timeout reached'
  note(gossip, 'info', 'memberlist', text, { name, confirmations: confirmed })
  takeDead(gossip, { kind: 'dead', incarnation, node: name, from: gossip.self.name })
}
