import { membersMax } from './bounds.ts'
import type { FullState, Message, NodeState } from './messages.ts'
import type { GossipCore } from './state.ts'
import { sortedRecords } from './views.ts'

type Ping = Extract<Message, { readonly kind: 'ping' }>
type Ack = Extract<Message, { readonly kind: 'ack' }>

const noPayload = new Uint8Array(0)

/**
 * This agent's knowledge, for an exchange of states: a request or its answer. `join`: it joins the pool with this
 * request.
 *
 * `left` also names members that are leaving, unlike serf's list: otherwise the other side would take their status time
 * for a join time. Like us, serf reads the list as leave messages, after which a living member counts as leaving, not
 * as left.
 *
 * `left` also names agents that are not members yet, but whose leave message this agent received, as it may after a
 * restart. Otherwise an agent that missed that message would consider the member failed until it exchanged states with
 * one of the few agents that knew the member.
 */
export function fullState(gossip: GossipCore, join: boolean): FullState {
  const nodes: NodeState[] = []
  const statusTimes: (readonly [node: string, lamport: number])[] = []
  const left: string[] = []
  for (const { name, address, meta, incarnation, state, versions, status, statusTime } of sortedRecords(gossip)) {
    nodes.push({ node: name, address, meta, incarnation, state, versions })
    statusTimes.push([name, statusTime])
    if (status === 'left' || status === 'leaving') left.push(name)
  }
  for (const [name, { kind, lamport, isFirstHand }] of gossip.recentIntents) {
    if (kind !== 'leave' || !isFirstHand || gossip.members.has(name)) continue
    if (statusTimes.length >= membersMax) break
    statusTimes.push([name, lamport])
    left.push(name)
  }
  const { clock: lamport, eventClock: eventLamport, queryClock: queryLamport } = gossip
  return { nodes, join, lamport, statusTimes, left, eventLamport, queryLamport, events: gossip.events.all() }
}

/**
 * The answer to a ping, by packet or stream; undefined for a ping that names another member at this address (memberlist
 * `handlePing`).
 */
export function ackFor(gossip: GossipCore, ping: Ping): Ack | undefined {
  if (ping.node !== '' && ping.node !== gossip.self.name) return undefined
  const payload = gossip.options.coordinates?.encode(gossip.vivaldi.own) ?? noPayload
  return { kind: 'ack', sequence: ping.sequence, payload }
}
