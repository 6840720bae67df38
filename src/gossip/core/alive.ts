import { equalBytes } from '../../base/bytes.ts'
import { incarnationMax, membersMax, metaBytesMax } from './bounds.ts'
import { aliveMessage, refute } from './health.ts'
import { MemberRecord } from './member-record.ts'
import { cameAlive, endSuspicion, tell, touched } from './membership.ts'
import type { Message } from './messages.ts'
import { broadcastClaim, count, emit, note } from './outbox.ts'
import { enlist } from './roster.ts'
import { factsOf, type GossipCore } from './state.ts'
import { incompatibility, isAddress, isIncarnation, isName, sameAddress, sameVersions } from './validity.ts'

type Alive = Extract<Message, { readonly kind: 'alive' }>

/** A conflict is logged at most this often for each name. */
const conflictNoteMs = 30_000

/**
 * Handles a claim that a member is alive. It overrides the present knowledge only with a higher incarnation (SWIM,
 * section 4.2; memberlist `aliveNode`), even if the member is dead. memberlist forgets the dead after a while and then
 * believes any incarnation, by which a packet that is replayed late could revive the dead. Here the incarnation is kept
 * until the member is reaped. A member that restarts with a low incarnation learns of its own death in the first
 * exchange of states, and refutes it.
 */
export function takeAlive(gossip: GossipCore, alive: Alive): void {
  if (!isAcceptable(gossip, alive)) return
  if (alive.node === gossip.self.name) return takeAliveOfSelf(gossip, alive)
  const known = gossip.members.get(alive.node)
  if (!isAdmitted(gossip, known, alive)) return
  if (known === undefined) return meet(gossip, alive)
  const moves = !sameAddress(known.address, alive.address)
  if (moves && !mayMove(gossip, known)) return conflict(gossip, known, alive)
  if (alive.incarnation <= known.incarnation) return
  update(gossip, known, alive)
}

function isAcceptable(gossip: GossipCore, alive: Alive): boolean {
  const isWell = isName(alive.node) && isAddress(alive.address) && alive.meta.length <= metaBytesMax
  if (!isWell) count(gossip, 'gossip.dropped.malformed')
  else if (!isIncarnation(alive.incarnation)) count(gossip, 'gossip.dropped.number')
  else {
    const reason = incompatibility(gossip.options.versions, alive.node, alive.versions)
    if (reason === undefined) return true
    count(gossip, 'gossip.dropped.malformed')
    note(gossip, 'debug', 'memberlist', 'ignoring an alive message', { reason })
  }
  return false
}

/**
 * Whether an agent that is new here, or has new metadata, may be in this pool (memberlist `NotifyAlive`, serf's merge
 * delegate).
 */
function isAdmitted(gossip: GossipCore, known: MemberRecord | undefined, alive: Alive): boolean {
  const { node: name, address, meta } = alive
  if (gossip.options.refuse === undefined || (known !== undefined && equalBytes(known.meta, meta))) return true
  const reason = gossip.options.refuse([{ name, address, meta }])
  if (reason === undefined) return true
  count(gossip, 'gossip.dropped.refused')
  note(gossip, 'debug', 'memberlist', 'ignoring an alive message', { reason })
  return false
}

function meet(gossip: GossipCore, alive: Alive): void {
  if (gossip.members.size >= membersMax) return count(gossip, 'gossip.dropped.full')
  const { node: name, address, meta, versions, incarnation } = alive
  update(gossip, new MemberRecord(factsOf(gossip.options, { name, address, meta, versions }), incarnation), alive)
}

function update(gossip: GossipCore, member: MemberRecord, alive: Alive): void {
  endSuspicion(gossip, member)
  count(gossip, 'memberlist.msg.alive')
  const wasDead = member.state === 'dead'
  const { stateChangedMs } = member
  const differs = !equalBytes(member.meta, alive.meta) || !sameVersions(member.versions, alive.versions)
  member.incarnation = alive.incarnation
  if (differs || !sameAddress(member.address, alive.address)) {
    const { address, meta, versions } = alive
    member.facts = factsOf(gossip.options, { name: member.name, address, meta, versions })
  }
  if (member.state !== 'alive') {
    member.state = 'alive'
    member.stateChangedMs = gossip.turn.nowMs
  }
  if (wasDead) gossip.livingAt.came(member.address)
  enlist(gossip, member)
  broadcastClaim(gossip, member.name, aliveMessage(member))
  if (wasDead) return cameAlive(gossip, member, stateChangedMs)
  if (!differs) return
  count(gossip, 'serf.member.update')
  tell(gossip, 'updated', member)
}

/**
 * Whether the name may move to another address: once its holder has left, or has been dead for the time after which
 * memberlist 0.1 would have forgotten it. Before that, two agents may be in conflict over one name, and the holder
 * keeps it.
 */
function mayMove(gossip: GossipCore, known: MemberRecord): boolean {
  if (known.state !== 'dead') return false
  const deadMs = gossip.turn.nowMs - known.stateChangedMs
  return known.status === 'left' || deadMs > gossip.options.timing.gossipToDeadMs
}

function conflict(gossip: GossipCore, known: MemberRecord, alive: Alive): void {
  count(gossip, 'gossip.dropped.conflict')
  const { nowMs } = gossip.turn
  const notedMs = gossip.conflictNotedMs.get(known.name)
  if (notedMs !== undefined && nowMs - notedMs < conflictNoteMs) return
  gossip.conflictNotedMs.set(known.name, nowMs)
  const isOwn = known === gossip.self
  if (isOwn) emit(gossip, { kind: 'name-conflict' })
  const text = isOwn ? 'Node name conflicts with another node. Names must be unique!' : 'Conflicting address'
  const { name, address } = known
  const fields = {
    name,
    mine: `${address.host}:${address.port}`,
    theirs: `${alive.address.host}:${alive.address.port}`,
  }
  note(gossip, isOwn ? 'error' : 'warn', 'memberlist', text, fields)
}

/**
 * Handles an `alive` message about this agent that another agent sent. After a restart, it is what the pool remembers
 * of the former process: the same incarnation, perhaps other tags. This agent must then take a higher incarnation, or
 * the others would keep the older claim (memberlist `aliveNode`, on the local node).
 */
function takeAliveOfSelf(gossip: GossipCore, alive: Alive): void {
  const { self } = gossip
  if (self.state === 'dead') return
  if (!sameAddress(self.address, alive.address)) return conflict(gossip, self, alive)
  if (alive.incarnation < self.incarnation) return
  const isSame = equalBytes(alive.meta, self.meta) && sameVersions(alive.versions, self.versions)
  if (alive.incarnation === self.incarnation && isSame) return
  note(gossip, 'warn', 'memberlist', 'Refuting an alive message', { incarnation: alive.incarnation })
  refute(gossip, alive.incarnation)
}

/**
 * Broadcasts that this agent is alive: at the start, and whenever its tags change (memberlist `setAlive`,
 * `UpdateNode`).
 */
export function sayAlive(gossip: GossipCore): void {
  const { self } = gossip
  if (self.incarnation >= incarnationMax) return count(gossip, 'gossip.dropped.number')
  self.incarnation++
  if (self.state !== 'alive') {
    gossip.livingAt.came(self.address)
    self.state = 'alive'
    self.stateChangedMs = gossip.turn.nowMs
  }
  broadcastClaim(gossip, self.name, aliveMessage(self))
}

export function changeMeta(gossip: GossipCore, meta: Uint8Array): void {
  const { self } = gossip
  if (self.state === 'dead' || meta.length > metaBytesMax || equalBytes(meta, self.meta)) return
  self.facts = factsOf(gossip.options, { ...self.facts, meta: meta.slice() })
  touched(gossip, self)
  sayAlive(gossip)
  tell(gossip, 'updated', self)
}
