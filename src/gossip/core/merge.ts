import { takeAlive } from './alive.ts'
import { membersMax } from './bounds.ts'
import { takeDead } from './dead.ts'
import { mergeEvents, witnessEvents } from './events.ts'
import { sayJoined, takeJoinIntent, takeLeaveIntent } from './intents.ts'
import { follow } from './lamport.ts'
import { failedHasLeft } from './membership.ts'
import type { FullState, GossipAddress, NodeState } from './messages.ts'
import { count, emit, note } from './outbox.ts'
import type { GossipCore } from './state.ts'
import { takeSuspect } from './suspicion.ts'
import type { GossipEvent } from './types.ts'
import { incompatibility } from './validity.ts'

type StateReceived = Extract<GossipEvent, { readonly kind: 'state-received' }>

/**
 * Merges the state of another member: first the lower layer (memberlist `mergeRemoteState`), then the upper. The items
 * of a state form one row: its nodes, its status times once for those that left and once for the others, its events. A
 * step merges a part of the row, all of it if the event names none; the result is the same.
 */
export function receiveState(gossip: GossipCore, { how, from, state, part }: StateReceived): void {
  const items = mergeItems(state)
  const { start, end } = part ?? { start: 0, end: items }
  if (start === 0 && isRefused(gossip, how, from, state)) return
  const { nodes, statusTimes, events } = state
  const left = namesOfLeft(state)
  const [timesFrom, joinsFrom, eventsFrom] = rows(state)
  for (const node of within(nodes, start, end)) mergeNode(gossip, node, left.has(node.node))
  if (start <= timesFrom && end >= timesFrom) follow(gossip, 'clock', state.lamport, how)
  for (const [node, lamport] of within(statusTimes, start - timesFrom, end - timesFrom)) {
    if (left.has(node)) mergeLeaving(gossip, node, lamport)
  }
  for (const [node, lamport] of within(statusTimes, start - joinsFrom, end - joinsFrom)) {
    if (!left.has(node)) takeJoinIntent(gossip, { kind: 'join-intent', lamport, node }, 'exchange')
  }
  if (start <= eventsFrom && end >= eventsFrom) witnessEvents(gossip, state.eventLamport, how)
  for (const heard of within(events, start - eventsFrom, end - eventsFrom)) mergeEvents(gossip, heard)
  if (end >= items) finishMerge(gossip, how, state)
}

/** Number of items to merge. */
export function mergeItems({ nodes, statusTimes, events }: FullState): number {
  return nodes.length + 2 * statusTimes.length + events.length
}

/** Where the status times begin in the row, where they begin again, and where the events begin. */
function rows({ nodes, statusTimes }: FullState): readonly [number, number, number] {
  return [nodes.length, nodes.length + statusTimes.length, nodes.length + 2 * statusTimes.length]
}

function within<T>(items: readonly T[], start: number, end: number): readonly T[] {
  if (start <= 0 && end >= items.length) return items
  return end <= 0 ? [] : items.slice(Math.max(0, start), end)
}

/** Made once for all parts of a state. */
const leftOf = new WeakMap<FullState, ReadonlySet<string>>()

function namesOfLeft(state: FullState): ReadonlySet<string> {
  const known = leftOf.get(state)
  if (known !== undefined) return known
  const left = new Set(state.left)
  leftOf.set(state, left)
  return left
}

function isRefused(gossip: GossipCore, how: StateReceived['how'], from: GossipAddress, state: FullState): boolean {
  const reason = refusal(gossip, state) ?? (how === 'join-answer' || state.join ? stranger(gossip, state) : undefined)
  if (reason === undefined) return false
  note(gossip, 'error', 'memberlist', 'push/pull refused', { host: from.host, port: from.port, reason })
  emit(gossip, { kind: 'state-refused', from, reason })
  return true
}

function finishMerge(gossip: GossipCore, how: StateReceived['how'], state: FullState): void {
  follow(gossip, 'queryClock', state.queryLamport, how)
  if (how === 'join-answer') sayJoined(gossip)
}

function refusal(gossip: GossipCore, state: FullState): string | undefined {
  const size = Math.max(state.nodes.length, state.statusTimes.length, state.left.length)
  if (size > membersMax) {
    count(gossip, 'gossip.dropped.full')
    return `${size} members are more than the ${membersMax} that a pool holds`
  }
  for (const { node, state: condition, versions } of state.nodes) {
    const reason = condition === 'alive' ? incompatibility(gossip.options.versions, node, versions) : undefined
    if (reason !== undefined) return reason
  }
  return undefined
}

/**
 * Why a join must be refused, if it must: the state names living members that may not be in this pool. Such an agent
 * may not join through us, nor do we join it. An exchange between members of one pool goes on without those members:
 * one bad member must not keep the others from repairing what gossip has lost.
 */
function stranger(gossip: GossipCore, { nodes }: FullState): string | undefined {
  const reason = gossip.options.refuse?.(
    nodes.filter(({ state }) => state === 'alive').map(({ node: name, address, meta }) => ({ name, address, meta })),
  )
  if (reason !== undefined) count(gossip, 'gossip.dropped.refused')
  return reason
}

/**
 * A member that the other agent considers dead becomes a suspect here, so that it has time to refute (memberlist
 * `mergeState`). If its intent to leave is known here and the other agent says that it is gone, both agree and it has
 * left.
 */
function mergeNode(gossip: GossipCore, remote: NodeState, hasLeft: boolean): void {
  const { node, incarnation } = remote
  if (remote.state === 'alive') {
    const { address, meta, versions } = remote
    return takeAlive(gossip, { kind: 'alive', incarnation, node, address, meta, versions })
  }
  if (remote.state === 'dead' && hasLeft && gossip.members.get(node)?.status === 'leaving') {
    return takeDead(gossip, { kind: 'dead', incarnation, node, from: node })
  }
  const source = remote.state === 'dead' ? 'held-dead' : 'held-suspect'
  takeSuspect(gossip, { kind: 'suspect', incarnation, node, from: gossip.self.name }, source)
}

function mergeLeaving(gossip: GossipCore, node: string, lamport: number): void {
  takeLeaveIntent(gossip, { kind: 'leave-intent', lamport, node, prune: false }, 'exchange')
  hasLeftAsOf(gossip, node, lamport)
}

/**
 * The other agent received a member's own claim of its death, and neither of us the intent to leave before that. Both
 * then hold the same status time, and one considers the member left, the other failed. The member left.
 */
function hasLeftAsOf(gossip: GossipCore, name: string, lamport: number): void {
  const member = gossip.members.get(name)
  if (member?.status === 'failed' && member.statusTime === lamport) failedHasLeft(gossip, member)
}
