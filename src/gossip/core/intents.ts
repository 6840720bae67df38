import { witness } from './lamport.ts'
import type { MemberRecord } from './member-record.ts'
import { failedHasLeft, leftHasFailed, touched } from './membership.ts'
import type { Message } from './messages.ts'
import { broadcastIntent, count, note } from './outbox.ts'
import { type GossipCore, recentIntentsMax } from './state.ts'
import { isLamport, isName } from './validity.ts'

type LeaveIntent = Extract<Message, { readonly kind: 'leave-intent' }>
/**
 * `gossip`: the message itself arrived, and is forwarded. `exchange`: the intent was deduced from a full state; other
 * agents learn of it by their own exchanges.
 */
type IntentSource = 'gossip' | 'exchange'

type JoinIntent = Extract<Message, { readonly kind: 'join-intent' }>

/**
 * A member intends to leave, or an operator forces it to (serf `handleNodeLeaveIntent`). A living member is leaving
 * from then on; a failed one has left. `prune` asks for more than serf 0.8 can do, and is forwarded unchanged.
 *
 * serf drops a second intent of a member that is leaving or has left. The second intent is newer, though: here it
 * counts and is forwarded, so that it reaches the agents that consider the member failed.
 */
export function takeLeaveIntent(gossip: GossipCore, intent: LeaveIntent, source: IntentSource): void {
  if (!isAcceptable(gossip, intent)) return
  const member = gossip.members.get(intent.node)
  if (member === undefined) return keepForLater(gossip, intent, source)
  // An intent with the time of this agent's own one, of which others may receive either first: only a newer one
  // overrides it.
  if (member === gossip.self && intent.lamport >= member.statusTime && gossip.leaving === 'member') {
    return refuteIntent(gossip)
  }
  if (intent.lamport <= member.statusTime) return
  member.statusTime = intent.lamport
  passOn(gossip, intent, source)
  if (member.status === 'alive') {
    member.status = 'leaving'
    touched(gossip, member)
  } else if (member.status === 'failed') failedHasLeft(gossip, member)
}

/** A member has joined, or refutes that it leaves (serf `handleNodeJoinIntent`). */
export function takeJoinIntent(gossip: GossipCore, intent: JoinIntent, source: IntentSource): void {
  if (!isAcceptable(gossip, intent)) return
  const member = gossip.members.get(intent.node)
  if (member === undefined) return keepForLater(gossip, intent, source)
  if (intent.lamport <= member.statusTime) return
  if (member === gossip.self) return refuteIntent(gossip)
  // The member's `alive` message is under way. Until it arrives, this time must not pass for a time of leaving.
  if (member.status === 'left' && source === 'gossip') return keepForLater(gossip, intent, source)
  passOn(gossip, intent, source)
  joined(gossip, member, intent)
}

function joined(gossip: GossipCore, member: MemberRecord, { lamport }: JoinIntent): void {
  member.statusTime = lamport
  // The intent to leave has an older time.
  if (member.status === 'leaving') {
    member.status = 'alive'
    touched(gossip, member)
  } else if (member.status === 'left') leftHasFailed(gossip, member)
}

/**
 * Refutes an intent about this agent that is newer than the agent's own: it comes from a former process, or from an
 * operator's force. Whatever it says, another member may consider this agent to be leaving because of it, and only a
 * still newer join intent ends that. serf refutes only when the leave intent itself arrives; but it may never arrive,
 * and only a status time in an exchange of states be seen.
 */
function refuteIntent(gossip: GossipCore): void {
  if (gossip.leaving !== 'member') return
  note(gossip, 'debug', 'serf', 'Refuting an older leave intent', { time: gossip.clock })
  sayJoined(gossip)
}

/** Broadcasts that this agent has joined (serf `broadcastJoin`), unless it is leaving already. */
export function sayJoined(gossip: GossipCore): void {
  if (gossip.leaving !== 'member') return
  const intent: JoinIntent = { kind: 'join-intent', lamport: gossip.clock, node: gossip.self.name }
  witness(gossip, 'clock', intent.lamport)
  joined(gossip, gossip.self, intent)
  broadcastIntent(gossip, intent.node, intent)
}

function isAcceptable(gossip: GossipCore, { lamport }: LeaveIntent | JoinIntent): boolean {
  if (!isLamport(lamport)) {
    count(gossip, 'gossip.dropped.number')
    return false
  }
  return witness(gossip, 'clock', lamport)
}

/**
 * Keeps an intent that arrived before its member is known, or before the member is back: the newest for each name, for
 * a limited time. It is forwarded if it is news (serf `upsertIntent`).
 */
function keepForLater(gossip: GossipCore, intent: LeaveIntent | JoinIntent, source: IntentSource): void {
  if (!isName(intent.node)) return count(gossip, 'gossip.dropped.malformed')
  const { recentIntents } = gossip
  const kept = recentIntents.get(intent.node)
  if (kept !== undefined && intent.lamport <= kept.lamport) return
  if (kept === undefined && recentIntents.size >= recentIntentsMax) return count(gossip, 'gossip.dropped.full')
  const kind = intent.kind === 'join-intent' ? 'join' : 'leave'
  const isFirstHand = source === 'gossip'
  recentIntents.set(intent.node, { kind, lamport: intent.lamport, heardMs: gossip.turn.nowMs, isFirstHand })
  passOn(gossip, intent, source)
}

function passOn(gossip: GossipCore, intent: LeaveIntent | JoinIntent, source: IntentSource): void {
  if (source === 'gossip') broadcastIntent(gossip, intent.node, intent)
}
