import { takeAlive } from './alive.ts'
import { takeDead } from './dead.ts'
import { mergeEvents } from './events.ts'
import { sayJoined, takeJoinIntent, takeLeaveIntent } from './intents.ts'
import { failedHasLeft } from './membership.ts'
import type { FullState, NodeState } from './messages.ts'
import { count, emit, note } from './outbox.ts'
import { type GossipCore, witness } from './state.ts'
import { takeSuspect } from './suspicion.ts'
import { type GossipEvent, lamportMax, membersMax } from './types.ts'
import { incompatibility } from './validity.ts'

type StateReceived = Extract<GossipEvent, { readonly kind: 'state-received' }>

/** Takes in what another member knows: of the lower layer (memberlist `mergeRemoteState`), then of the upper. */
export function receiveState(gossip: GossipCore, { how, from, state }: StateReceived): void {
  const reason = refusal(gossip, state) ?? (how === 'join-answer' || state.join ? stranger(gossip, state) : undefined)
  if (reason !== undefined) {
    note(gossip, 'error', 'memberlist', 'push/pull refused', { host: from.host, port: from.port, reason })
    return emit(gossip, { kind: 'state-refused', from, reason })
  }
  const left = new Set(state.left)
  for (const node of state.nodes) mergeNode(gossip, node, left.has(node.node))
  mergeIntents(gossip, state, left)
  mergeEvents(gossip, state.eventLamport, state.events, how === 'join-answer')
  if (state.queryLamport <= lamportMax) gossip.queryClock = Math.max(gossip.queryClock, state.queryLamport)
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
 * Nobody joins a pool through us, nor do we join one, whose living members may not be together. An exchange between members
 * of one pool goes on without those: one bad member must not keep the others from repairing what gossip has lost.
 */
function stranger(gossip: GossipCore, { nodes }: FullState): string | undefined {
  const reason = gossip.options.refuse?.(
    nodes.filter(({ state }) => state === 'alive').map(({ node: name, meta }) => ({ name, meta })),
  )
  if (reason !== undefined) count(gossip, 'gossip.dropped.refused')
  return reason
}

/**
 * Who is dead to the other becomes a suspect here, so that it has time to refute (memberlist `mergeState`). Where it has
 * said here that it leaves, and there it is gone, both words agree and it has left.
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

/**
 * The clock first, less one, for nothing with the other's present time has been said yet; then who left, so that these
 * times do not pass for times of joining (serf `MergeRemoteState`).
 */
function mergeIntents(gossip: GossipCore, state: FullState, left: ReadonlySet<string>): void {
  if (state.lamport > 0 && state.lamport <= lamportMax) witness(gossip, state.lamport - 1)
  for (const [node, lamport] of state.statusTimes) {
    if (!left.has(node)) continue
    takeLeaveIntent(gossip, { kind: 'leave-intent', lamport, node, prune: false }, 'exchange')
    hasLeftAsOf(gossip, node, lamport)
  }
  for (const [node, lamport] of state.statusTimes) {
    if (!left.has(node)) takeJoinIntent(gossip, { kind: 'join-intent', lamport, node }, 'exchange')
  }
}

/**
 * The other heard a member's own last word, and neither of us its intent before that: then both hold the same status
 * time, and one calls it left, the other failed. Left it is.
 */
function hasLeftAsOf(gossip: GossipCore, name: string, lamport: number): void {
  const member = gossip.members.get(name)
  if (member?.status === 'failed' && member.statusTime === lamport) failedHasLeft(gossip, member)
}
