import type { Message } from '../../../src/gossip/core/messages.ts'
import { gossipLimits } from '../../../src/gossip/core/options.ts'
import type { GossipEffect, GossipEvent } from '../../../src/gossip/core/types.ts'
import type { ObservedCore } from '../../../src/gossip/pool.ts'
import { type Broadcast, broadcastOf, eventText, queryText } from './broadcasts.ts'
import type { PassingOn } from './passing-on.ts'
import type { Change } from './suspicion-watch.ts'

/** News that was not sent often enough yet. */
interface Waiting {
  readonly news: string
  /** The most that it takes in a packet. */
  readonly bytes: number
  /** A user event or a query, of which a member queues only so many. */
  readonly isEvent: boolean
  sent: number
}

/** More bytes than any claim about a member takes, with its metadata; than any intent; than an event's own fields. */
const claimBytes = 900
const intentBytes = 250
const eventBytes = 150
/** After as many messages that do not fit, a packet is closed. */
const misfits = 8
/** A message that comes again after this long is counted anew: intents of strangers are forgotten after minutes. */
const countedMs = 60_000
const messagesMax = 1_024
/** A failed member hears gossip for longer than this part of the time that the settings give. */
const lately = 0.9
const headBytes = 4
/** A query with this flag is for its receiver alone. */
const noBroadcastFlag = 2

/** What one member broadcasts, by its packets. */
export class BroadcastWatch {
  readonly #law: PassingOn
  readonly #node: string
  /** By subject. */
  readonly #waiting = new Map<string, Waiting>()
  /** How often each message was sent, and when last. The one that came last is the last one. */
  readonly #times = new Map<string, { times: number; atMs: number }>()
  /** How often each news was sent in this step. */
  readonly #inStep = new Map<string, number>()
  readonly #known = new WeakMap<Message, Broadcast>()
  /** Whether all that the process has broadcast was observed. */
  #isWhole = false
  /** The largest pool so far: as the pool grows, messages are sent more often. */
  #membersMost = 1
  /** Members that were not considered dead before this step, with the member itself. */
  #livingBefore = 1
  /** When other members died that are considered failed: for a while they hear gossip as living ones do. */
  readonly #failedMs = new Map<string, number>()

  constructor(law: PassingOn, node: string) {
    this.#law = law
    this.#node = node
  }

  /** Called after each step, before its news is reported. */
  stepped(core: ObservedCore, event: GossipEvent, effects: readonly GossipEffect[]): void {
    this.#membersMost = Math.max(this.#membersMost, core.members.size)
    this.#inStep.clear()
    this.#isWhole ||= event.kind === 'started'
    this.#displace(core, effects.filter((effect) => this.#isEvent(event, effect)).length)
    let packets = 0
    for (const effect of effects) {
      if (effect.kind !== 'send') continue
      packets++
      if (isFromQueues(core, event, effect.messages)) this.#packet(core, effect.messages)
    }
    if (event.kind === 'timer-fired' && event.timer === 'gossip') this.#round(core, packets)
    for (const effect of effects) this.#news(core, event, effect)
  }

  /** Called when the changes of the step are reported. */
  ends(core: ObservedCore): void {
    this.#livingBefore = livingIn(core)
  }

  /** Another claim about a member counts now, which this member has learned in this step. */
  changed(core: ObservedCore, event: GossipEvent, { name, before, now: { incarnation, state, status } }: Change): void {
    if (status !== 'failed' || name === core.self.name) this.#failedMs.delete(name)
    else if (before !== undefined && before.state !== 'dead') this.#failedMs.set(name, core.turn.nowMs)
    const isNewer = before === undefined || incarnation > before.incarnation
    if (state === 'alive' && isNewer) this.#livesAgain(name, incarnation)
    const wasAlive = isNewer || before.state === 'alive'
    // What another member merely holds suspect is not broadcast.
    const isNews = state === 'alive' ? isNewer : state === 'dead' ? before?.state !== 'dead' : wasAlive
    if (!isNews || (state === 'suspect' && event.kind === 'state-received')) return
    this.#waits(core, `member ${name}`, `${state} ${name} ${incarnation}`, claimBytes)
  }

  /**
   * Accusations of this incarnation or a later one were about a life that this member has not known: one that came back
   * at another address has a number of its former life again.
   */
  #livesAgain(name: string, incarnation: number): void {
    for (const sent of this.#times.keys()) {
      const [, accused, number] = /^(?:suspect|dead) (\S+) (\d+) from /.exec(sent) ?? []
      if (accused === name && Number(number) >= incarnation) this.#times.delete(sent)
    }
  }

  /** The member has learned of an intent by gossip, or has declared one. */
  intends(core: ObservedCore, kind: 'join-intent' | 'leave-intent', name: string, lamport: number): void {
    this.#waits(core, `intent ${name}`, `${kind} ${name} ${lamport}`, intentBytes)
  }

  #news(core: ObservedCore, event: GossipEvent, effect: GossipEffect): void {
    if (effect.kind === 'user-event' && this.#isEvent(event, effect)) {
      const { lamport, name, payload } = effect
      this.#queues(core, eventText(lamport, name, payload), eventBytes + 3 * name.length + payload.length)
    } else if (effect.kind === 'query' && this.#isEvent(event, effect)) {
      this.#queues(core, queryText(effect.query), core.options.sizeOf(effect.query) + headBytes)
    } else if (effect.kind === 'members-changed') {
      for (const { kind, member } of effect.changes)
        if (kind === 'reaped') this.#waiting.delete(`member ${member.name}`)
    }
  }

  /** Whether the step has put a user event or a query into the queue. */
  #isEvent(event: GossipEvent, effect: GossipEffect): boolean {
    if (effect.kind === 'query') return (effect.query.flags & noBroadcastFlag) === 0
    return effect.kind === 'user-event' && event.kind !== 'state-received'
  }

  #queues(core: ObservedCore, news: string, bytes: number): void {
    if (this.#eventsWaiting().length < newsMaxOf(core)) this.#waits(core, news, news, bytes, true)
  }

  /** A full queue loses one of those that were sent most for each that is added. */
  #displace(core: ObservedCore, added: number): void {
    for (;;) {
      const waiting = added === 0 ? [] : this.#eventsWaiting()
      if (waiting.length === 0 || waiting.length + added <= newsMaxOf(core)) return
      const most = Math.max(...waiting.map(({ sent }) => sent))
      for (const { news, sent } of waiting) if (sent === most) this.#waiting.delete(news)
    }
  }

  #eventsWaiting(): readonly Waiting[] {
    return [...this.#waiting.values()].filter(({ isEvent }) => isEvent)
  }

  #waits(core: ObservedCore, subject: string, news: string, bytes: number, isEvent = false): void {
    if (!this.#isWhole) return
    const sent = this.#inStep.get(news) ?? 0
    if (sent >= this.#least(core)) this.#waiting.delete(subject)
    else if (this.#waiting.has(subject) || this.#waiting.size < messagesMax)
      this.#waiting.set(subject, { news, bytes, isEvent, sent })
  }

  #packet(core: ObservedCore, messages: readonly Message[]): void {
    // Most packets are a probe alone, in a pool without news.
    if (this.#waiting.size === 0 && messages.length === 1 && isOfProbe(messages)) return
    const carried = new Map<string, string>()
    for (const message of messages) {
      const broadcast = this.#broadcast(message)
      if (broadcast === undefined) continue
      carried.set(broadcast.subject, broadcast.news)
      this.#inStep.set(broadcast.news, (this.#inStep.get(broadcast.news) ?? 0) + 1)
      const isAccusation = message.kind === 'suspect' || message.kind === 'dead'
      this.#sent(core, isAccusation ? `${broadcast.news} from ${message.from}` : broadcast.news)
    }
    for (const [subject, waiting] of this.#waiting) this.#look(core, messages, subject, waiting, carried.get(subject))
  }

  #look(core: ObservedCore, messages: readonly Message[], subject: string, waiting: Waiting, there?: string): void {
    if (there === waiting.news) {
      waiting.sent++
      this.#law.carried(this.#node, waiting.news, true)
      if (waiting.sent >= this.#least(core)) this.#waiting.delete(subject)
    } else if (there !== undefined) this.#waiting.delete(subject)
    else if (this.#hasRoom(core, messages, waiting.bytes)) {
      this.#law.carried(this.#node, waiting.news, false)
      this.#waiting.delete(subject)
    }
  }

  #hasRoom(
    { options: { packetBytesMax, sizeOf } }: ObservedCore,
    messages: readonly Message[],
    bytes: number,
  ): boolean {
    let used = 0
    for (const message of messages) used += sizeOf(message) + headBytes
    return used + bytes <= packetBytesMax && (this.#waiting.size < misfits || used <= packetBytesMax / 4)
  }

  #sent(core: ObservedCore, message: string): void {
    const { nowMs } = core.turn
    const before = this.#times.get(message)
    const times = before === undefined || nowMs - before.atMs > countedMs ? 1 : before.times + 1
    if (before === undefined && this.#times.size >= messagesMax) this.#forgetOldest()
    this.#times.set(message, { times, atMs: nowMs })
    this.#law.sent(this.#node, message, times, limit(core, this.#membersMost))
  }

  #forgetOldest(): void {
    const [oldest] = this.#times.keys()
    if (oldest !== undefined) this.#times.delete(oldest)
  }

  #round(core: ObservedCore, packets: number): void {
    if (this.#waiting.size === 0) return
    const others = livingIn(core) - (core.self.state === 'dead' ? 0 : 1)
    const most = core.options.timing.gossipNodes
    this.#law.round(this.#node, { packets, least: Math.min(most, others + this.#failedLately(core)), most })
  }

  #failedLately({ members, options, turn }: ObservedCore): number {
    const sinceMs = turn.nowMs - lately * options.timing.gossipToDeadMs
    let failed = 0
    for (const [name, atMs] of this.#failedMs) {
      if (atMs < sinceMs || !members.has(name)) this.#failedMs.delete(name)
      else failed++
    }
    return failed
  }

  /** How often news is sent at least: packets of a step may have been made before members came or went in it. */
  #least(core: ObservedCore): number {
    return limit(core, Math.min(this.#livingBefore, livingIn(core)))
  }

  #broadcast(message: Message): Broadcast | undefined {
    const known = this.#known.get(message)
    if (known !== undefined) return known
    const broadcast = broadcastOf(message)
    if (broadcast !== undefined) this.#known.set(message, broadcast)
    return broadcast
  }
}

/**
 * Whether broadcasts go along with these messages. They do not with answers to queries, or with a ping of the member's
 * own that tells a suspect of the suspicion.
 */
function isFromQueues({ self }: ObservedCore, event: GossipEvent, messages: readonly Message[]): boolean {
  const [first, second] = messages
  if (first === undefined || first.kind === 'query-response' || first.kind === 'relay') return false
  if (event.kind !== 'timer-fired') return true
  const isTold = first.kind === 'ping' && second?.kind === 'suspect' && second.node === first.node
  return !(isTold && messages.length === 2 && second.from === self.name)
}

function isOfProbe([first]: readonly Message[]): boolean {
  return first?.kind === 'ping' || first?.kind === 'ack' || first?.kind === 'indirect-ping' || first?.kind === 'nack'
}

/** How often a message is sent in a pool of this size: `mult × ceil(log10(n + 1))`, which is the digits of n (SWIM, 4.1). */
function limit({ options: { timing } }: ObservedCore, members: number): number {
  return timing.retransmitMult * String(members).length
}

function newsMaxOf({ options: { limits } }: ObservedCore): number {
  return limits?.newsMax ?? gossipLimits.newsMax
}

/** Members that are not considered dead, with the observer itself until it has left. */
function livingIn({ members, failed, left }: ObservedCore): number {
  return members.size - failed.length - left.length
}
