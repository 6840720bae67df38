import type { MemberRecord } from './member-record.ts'
import { change, count, note } from './outbox.ts'
import type { GossipCore } from './state.ts'
import type { CoreChange } from './types.ts'
import { isMember, viewOf } from './views.ts'

/** A member back within this after it failed is counted as flapping. serf: `FlapTimeout`. */
const flapMs = 60_000

/** Something that views of this member show has changed. */
export function touched(gossip: GossipCore, member: MemberRecord): void {
  gossip.views.delete(member)
  gossip.sorted = undefined
}

export function tell(gossip: GossipCore, kind: CoreChange['kind'], member: MemberRecord): void {
  touched(gossip, member)
  change(gossip, { kind, member: viewOf(gossip, member) })
  const { host, port } = member.address
  note(gossip, 'info', 'serf', lines[kind], { name: member.name, host, port })
}

const lines = {
  joined: 'EventMemberJoin',
  updated: 'EventMemberUpdate',
  failed: 'EventMemberFailed',
  left: 'EventMemberLeave',
  reaped: 'EventMemberReap',
} as const satisfies Record<CoreChange['kind'], string>

/** The lower layer has found a member alive that was dead since `deadSinceMs`, or unknown (serf `handleNodeJoin`). */
export function cameAlive(gossip: GossipCore, member: MemberRecord, deadSinceMs: number): void {
  const { nowMs } = gossip.turn
  if (isMember(gossip, member)) {
    if (member.status === 'failed' && nowMs - deadSinceMs < flapMs) count(gossip, 'serf.member.flap')
    forgetGone(gossip, member)
    member.status = 'alive'
    takeRecentIntent(gossip, member)
  } else {
    gossip.members.set(member.name, member)
    member.status = 'alive'
    takeRecentIntent(gossip, member)
  }
  count(gossip, 'serf.member.join')
  tell(gossip, 'joined', member)
}

/** Applies an intent that arrived before the member was known, or came back. */
function takeRecentIntent(gossip: GossipCore, member: MemberRecord): void {
  const intent = gossip.recentIntents.get(member.name)
  if (intent === undefined) return
  gossip.recentIntents.delete(member.name)
  if (intent.lamport <= member.statusTime) return
  member.statusTime = intent.lamport
  if (intent.kind === 'leave') member.status = 'leaving'
}

/**
 * The lower layer considers a living member dead (serf `handleNodeLeave`). The member left if it had announced that, or
 * if it sent the claim of its death itself; otherwise it failed.
 */
export function diedAs(gossip: GossipCore, member: MemberRecord, status: 'failed' | 'left'): void {
  member.status = status
  if (status === 'left') gossip.left.push(member)
  else gossip.failed.push(member)
  count(gossip, status === 'left' ? 'serf.member.left' : 'serf.member.failed')
  tell(gossip, status, member)
}

/** A failed member turns out to have left, or an operator forces it to leave. It keeps the time at which it failed. */
export function failedHasLeft(gossip: GossipCore, member: MemberRecord): void {
  forgetGone(gossip, member)
  member.status = 'left'
  gossip.left.push(member)
  count(gossip, 'serf.member.left')
  tell(gossip, 'left', member)
}

/**
 * A member that we considered left has been back since, as another agent says that considers it dead, too: the last
 * time, it failed.
 */
export function leftHasFailed(gossip: GossipCore, member: MemberRecord): void {
  forgetGone(gossip, member)
  member.status = 'failed'
  gossip.failed.push(member)
  count(gossip, 'serf.member.failed')
  tell(gossip, 'failed', member)
}

export function forgetGone(gossip: GossipCore, member: MemberRecord): void {
  gossip.reconnected.delete(member)
  for (const gone of [gossip.failed, gossip.left]) {
    const at = gone.indexOf(member)
    if (at >= 0) gone.splice(at, 1)
  }
}

export function endSuspicion(gossip: GossipCore, member: MemberRecord): void {
  gossip.suspects.delete(member)
}
