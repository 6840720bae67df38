import { LinearRegexp } from '../../base/linear-regexp.ts'
import { regexpSize } from '../../base/regexp-size.ts'
import { queryAnswerBytesMax } from './bounds.ts'
import { witness } from './lamport.ts'
import type { MemberRecord } from './member-record.ts'
import type { GossipAddress, Message, Query, QueryFilter } from './messages.ts'
import { broadcastNews, clearTimer, count, emit, setTimer } from './outbox.ts'
import { pickMembers } from './roster.ts'
import { retransmitLimit } from './scaling.ts'
import type { GossipCore } from './state.ts'
import type { QueryRequest } from './types.ts'
import { isAddress, isEventName, isLamport, isName } from './validity.ts'

type QueryResponse = Extract<Message, { readonly kind: 'query-response' }>

/** Bits of a query's and of a response's flags. Source: serf. */
const wantsAckFlag = 1
const noBroadcastFlag = 2
const ackFlag = 1

/** Queries of one Lamport time that are remembered. */
const queriesAtOnceMax = 64
/** Maximum number of queries of this agent that wait for answers at the same time. */
export const asksMax = 64
/**
 * Maximum number of members that relay an answer beside its direct way. serf: a byte; the field's agents ask for at
 * most 5.
 */
const relaysOfAnswerMax = 5
/** From this protocol version on, a member relays answers of others. */
const relayVersion = 5
/** serf: `QueryTimeoutMult`. */
const timeoutMult = 16

/** Asks all members that match the filters, including this agent (serf `Query`). */
export function ask(gossip: GossipCore, request: QueryRequest): void {
  const { token, name, payload, filters, relayFactor } = request
  // Queries of one agent have times of their own, unless its clock has reached its maximum and stands still.
  if (gossip.asks.size >= asksMax || gossip.asks.has(gossip.queryClock)) {
    count(gossip, 'gossip.dropped.full')
    return emit(gossip, { kind: 'query-over', token })
  }
  const lamport = gossip.queryClock
  const id = gossip.turn.random.below(4_294_967_296)
  const timeoutMs = request.timeoutMs ?? queryTimeoutMs(gossip)
  const dueMs = gossip.turn.nowMs + timeoutMs
  gossip.asks.set(lamport, { token, id, dueMs, acks: new Set(), answers: new Set() })
  watch(gossip)
  const query: Query = {
    kind: 'query',
    lamport,
    id,
    from: gossip.self.address,
    filters,
    flags: wantsAckFlag,
    relayFactor,
    timeoutMs,
    name,
    payload,
  }
  takeQuery(gossip, query)
}

/** How long a query takes to spread and be answered in a pool of this size (serf `DefaultQueryTimeout`). */
export function queryTimeoutMs(gossip: GossipCore): number {
  const { gossipIntervalMs } = gossip.options.timing
  return gossipIntervalMs * retransmitLimit(timeoutMult, gossip.members.size)
}

/**
 * Handles a query (serf `handleQuery`): it is forwarded and, if this agent matches the filters, acknowledged and
 * answered.
 */
export function takeQuery(gossip: GossipCore, query: Query): void {
  const { lamport, id, name } = query
  if (!isLamport(lamport)) return count(gossip, 'gossip.dropped.number')
  if (!isAddress(query.from) || !isEventName(name)) return count(gossip, 'gossip.dropped.malformed')
  if (!witness(gossip, 'queryClock', lamport)) return
  const { timesMax } = gossip.limits
  if (gossip.queryClock > timesMax && lamport < gossip.queryClock - timesMax) {
    return count(gossip, 'gossip.dropped.old')
  }
  if (!isNews(gossip, lamport, id)) return
  count(gossip, 'serf.queries')
  if ((query.flags & noBroadcastFlag) === 0) broadcastNews(gossip, query)
  if (gossip.self.state === 'dead' || !suits(gossip, query.filters)) return
  if ((query.flags & wantsAckFlag) !== 0) respond(gossip, query, ackFlag, noPayload)
  emit(gossip, { kind: 'query', query })
}

const noPayload = new Uint8Array(0)

function isNews(gossip: GossipCore, lamport: number, id: number): boolean {
  const place = lamport % gossip.limits.timesMax
  const seen = gossip.queries.get(place)
  if (seen?.lamport !== lamport) {
    gossip.queries.set(place, { lamport, ids: [id] })
    return true
  }
  if (seen.ids.includes(id) || seen.ids.length >= queriesAtOnceMax) return false
  seen.ids.push(id)
  return true
}

/** All filters must match this agent; an unknown filter matches no agent (serf `shouldProcessQuery`). */
function suits(gossip: GossipCore, filters: readonly QueryFilter[]): boolean {
  return filters.every((filter) => {
    if (filter.kind === 'nodes') return filter.names.includes(gossip.self.name)
    if (filter.kind !== 'tag' || !mayCompile(gossip, filter.expression)) return false
    const expression = LinearRegexp.from(filter.expression)
    return expression.ok && expression.value.test(gossip.options.tagOf?.(gossip.self.meta, filter.tag) ?? '')
  })
}

/**
 * Compiling an expression takes up to 30 ms, and a packet may bring thousands of them from anywhere. `filterWorkMost`
 * limits them at once, and per second. A query beyond that is forwarded, but matches no agent here.
 */
const filterWorkMost = 5_000
const filterWorkPerMs = filterWorkMost / 1_000

function mayCompile(gossip: GossipCore, expression: string): boolean {
  const { filterWork: before, turn } = gossip
  const left = Math.min(filterWorkMost, before.left + (turn.nowMs - before.atMs) * filterWorkPerMs)
  gossip.filterWork = {
    left: left <= 0 ? left : left - Math.min(filterWorkMost, regexpSize(expression)),
    atMs: turn.nowMs,
  }
  if (left <= 0) count(gossip, 'gossip.dropped.filter')
  return left > 0
}

/**
 * Answers a query: directly to the member that asks, and through relays if the query wants them (serf `respond`,
 * `relayResponse`).
 */
export function respond(gossip: GossipCore, query: Query, flags: number, payload: Uint8Array): void {
  if (payload.length > queryAnswerBytesMax) return count(gossip, 'gossip.dropped.full')
  const { lamport, id } = query
  const response: QueryResponse = { kind: 'query-response', lamport, id, from: gossip.self.name, flags, payload }
  if (query.from.host === gossip.self.address.host && query.from.port === gossip.self.address.port) {
    return takeResponse(gossip, response)
  }
  emit(gossip, { kind: 'send', to: query.from, messages: [response] })
  const wanted = Math.min(query.relayFactor, relaysOfAnswerMax)
  if (wanted < 1 || gossip.members.size < wanted + 1) return
  for (const { address } of pickMembers(gossip, wanted, carriesAnswers)) {
    emit(gossip, { kind: 'send', to: address, messages: [{ kind: 'relay', to: query.from, response }] })
  }
}

function carriesAnswers(_gossip: GossipCore, member: MemberRecord): boolean {
  return member.status === 'alive' && member.versions.protocolMax >= relayVersion
}

/**
 * Relays an answer. serf relays any message to any address; here only answers to queries are relayed, and only to
 * members, so that our packets cannot be directed at hosts outside the pool.
 */
export function takeRelay(gossip: GossipCore, to: GossipAddress, response: QueryResponse): void {
  if (!gossip.livingAt.has(to)) return count(gossip, 'gossip.dropped.relay')
  emit(gossip, { kind: 'send', to, messages: [response] })
}

/**
 * An acknowledgement of a query of this agent, or an answer to it (serf `handleQueryResponse`). Only the first of each
 * member counts.
 */
export function takeResponse(gossip: GossipCore, { lamport, id, from, flags, payload }: QueryResponse): void {
  const asked = gossip.asks.get(lamport)
  if (asked === undefined || asked.id !== id) return
  // Answers of agents that are not members are dropped, so that there are never more names than members.
  if (!isName(from) || !gossip.members.has(from)) return count(gossip, 'gossip.dropped.malformed')
  const isAck = (flags & ackFlag) !== 0
  const heard = isAck ? asked.acks : asked.answers
  if (heard.has(from)) return
  heard.add(from)
  const { token } = asked
  emit(gossip, isAck ? { kind: 'query-acked', token, from } : { kind: 'query-answered', token, from, payload })
}

/** The caller needs no further answers. */
export function endAsk(gossip: GossipCore, token: number): void {
  for (const [lamport, asked] of gossip.asks) if (asked.token === token) gossip.asks.delete(lamport)
  if (gossip.asks.size === 0) clearTimer(gossip, 'query')
}

export function queryTimerFired(gossip: GossipCore): void {
  for (const [lamport, { token, dueMs }] of gossip.asks) {
    if (dueMs > gossip.turn.nowMs) continue
    gossip.asks.delete(lamport)
    emit(gossip, { kind: 'query-over', token })
  }
  watch(gossip)
}

function watch(gossip: GossipCore): void {
  let nextMs = Number.POSITIVE_INFINITY
  for (const { dueMs } of gossip.asks.values()) nextMs = Math.min(nextMs, dueMs)
  const setMs = gossip.timers.get('query') ?? Number.POSITIVE_INFINITY
  if (nextMs < setMs) setTimer(gossip, 'query', nextMs)
}
