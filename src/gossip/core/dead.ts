import { refute } from './health.ts'
import type { MemberRecord } from './member-record.ts'
import { diedAs, endSuspicion } from './membership.ts'
import type { Message } from './messages.ts'
import { broadcastClaim, count, note } from './outbox.ts'
import type { GossipCore } from './state.ts'
import { isIncarnation, isName } from './validity.ts'

type Dead = Extract<Message, { readonly kind: 'dead' }>

/**
 * Handles a claim that a member is dead. It overrides `alive` and `suspect` of the same incarnation or a lower one
 * (SWIM, section 4.2; memberlist `deadNode`). If the claim is about this agent, the agent refutes it unless it is
 * leaving.
 */
export function takeDead(gossip: GossipCore, dead: Dead): void {
  const member = gossip.members.get(dead.node)
  if (member === undefined) return
  if (!isIncarnation(dead.incarnation)) return count(gossip, 'gossip.dropped.number')
  if (!isOwnWord(dead) && !isName(dead.from)) return count(gossip, 'gossip.dropped.malformed')
  if (dead.incarnation < member.incarnation || member.state === 'dead') return
  const isLeaving = gossip.leaving !== 'member' && gossip.leaving !== 'intent'
  if (member === gossip.self && !isLeaving) {
    note(gossip, 'warn', 'memberlist', 'Refuting a dead message', { from: dead.from })
    return refute(gossip, dead.incarnation)
  }
  count(gossip, 'memberlist.msg.dead')
  broadcastClaim(gossip, member.name, dead)
  die(gossip, member, dead)
}

function die(gossip: GossipCore, member: MemberRecord, dead: Dead): void {
  endSuspicion(gossip, member)
  gossip.livingAt.went(member.address)
  member.incarnation = dead.incarnation
  member.state = 'dead'
  member.stateChangedMs = gossip.turn.nowMs
  diedAs(gossip, member, isOwnWord(dead) || member.status === 'leaving' ? 'left' : 'failed')
}

/**
 * Whether the member itself sent the claim, by which it says that it leaves. memberlist 0.1 then names no accuser,
 * later releases name the member.
 */
function isOwnWord(dead: Dead): boolean {
  return dead.from === dead.node || dead.from === ''
}
