import type { MemberRecord } from './member-record.ts'
import { failedHasLeft, leftHasFailed, touched } from './membership.ts'
import type { Message } from './messages.ts'
import { broadcastIntent, count, note } from './outbox.ts'
import { type GossipCore, recentIntentsMax, witness } from './state.ts'
import { isLamport, isName } from './validity.ts'

type LeaveIntent = Extract<Message, { readonly kind: 'leave-intent' }>
/**
 * `gossip`: the word itself, which goes on to others. `exchange`: deduced from a full state; those exchange theirs as
 * well.
 */
type IntentSource = 'gossip' | 'exchange'

type JoinIntent = Extract<Message, { readonly kind: 'join-intent' }>

/**
 * A member intends to leave, or an operator forces it to (serf `handleNodeLeaveIntent`). A living member is leaving
 * from then on; a failed one has left. `prune` asks for more than serf 0.8 can do, and is passed on unchanged.
 *
 * serf drops a second intent of a member that is leaving or has left. The second intent is newer, though: here it
 * counts and is passed on, so that it reaches the agents that consider the member failed.
 */
export function takeLeaveIntent(gossip: GossipCore, intent: LeaveIntent, source: IntentSource): void {
  if (!isAcceptable(gossip, intent)) return
  const member = gossip.members.get(intent.node)
  if (member === undefined) return keepForLater(gossip, intent, source)
  // An intent with the time of this agent's own one, which others may have received first or second: only a newer one
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

/** Somebody has joined, or refutes that it leaves (serf `handleNodeJoinIntent`). */
export function takeJoinIntent(gossip: GossipCore, intent: JoinIntent, source: IntentSource): void {
  if (!isAcceptable(gossip, intent)) return
  const member = gossip.members.get(intent.node)
  if (member === undefined) return keepForLater(gossip, intent, source)
  if (intent.lamport <= member.statusTime) return
  if (member === gossip.self) return refuteIntent(gossip)
  // Its word that it lives is under way. Until then the time of this one must not pass for a time of leaving.
  if (member.status === 'left' && source === 'gossip') return keepForLater(gossip, intent, source)
  passOn(gossip, intent, source)
  joined(gossip, member, intent)
}

function joined(gossip: GossipCore, member: MemberRecord, { lamport }: JoinIntent): void {
  member.statusTime = lamport
  // The word on leaving was of an older time.
  if (member.status === 'leaving') {
    member.status = 'alive'
    touched(gossip, member)
  } else if (member.status === 'left') leftHasFailed(gossip, member)
}

/**
 * A newer word on this agent than its own newest: one of a life before, or by force. Whatever it says, another member
 * may hold this agent leaving on its ground, and only a still newer word of joining ends that. serf refutes only where
 * the word on leaving itself arrives; a status time alone, from an exchange of states, can be all that ever comes.
 */
function refuteIntent(gossip: GossipCore): void {
  if (gossip.leaving !== 'member') return
  note(gossip, 'debug', 'serf', 'Refuting an older leave intent', { time: gossip.clock })
  sayJoined(gossip)
}

/** This agent has joined (serf `broadcastJoin`), unless it is leaving already. */
export function sayJoined(gossip: GossipCore): void {
  if (gossip.leaving !== 'member') return
  const intent: JoinIntent = { kind: 'join-intent', lamport: gossip.clock, node: gossip.self.name }
  witness(gossip, intent.lamport)
  joined(gossip, gossip.self, intent)
  broadcastIntent(gossip, intent.node, intent)
}

function isAcceptable(gossip: GossipCore, { lamport }: LeaveIntent | JoinIntent): boolean {
  if (!isLamport(lamport)) {
    count(gossip, 'gossip.dropped.number')
    return false
  }
  witness(gossip, lamport)
  return true
}

/**
 * The word came before the member, or before it is back. Kept a while, the newest for each name, and passed on when it
 * is news (serf `upsertIntent`).
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
