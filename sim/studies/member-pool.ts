import { equalBytes } from '../../src/base/bytes.ts'
import { Heap } from '../../src/base/heap.ts'
import { invariant } from '../../src/base/invariant.ts'
import type { RandomStream } from '../../src/env/random.ts'
import { fullState } from '../../src/gossip/core/answers.ts'
import { compoundHeaderBytes, compoundMessageBytes, packetBytesDefault } from '../../src/gossip/core/bounds.ts'
import {
  type FullState,
  type GossipAddress,
  type Message,
  type NodeState,
  ownVersions as versions,
} from '../../src/gossip/core/messages.ts'
import type { GossipTiming, MemberFacts, WithoutParts } from '../../src/gossip/core/options.ts'
import { createGossip, type GossipCore } from '../../src/gossip/core/state.ts'
import { step } from '../../src/gossip/core/step.ts'
import type { CoreChange, GossipEffect, GossipEvent, GossipTimer } from '../../src/gossip/core/types.ts'
import { sameAddress, sameVersions } from '../../src/gossip/core/validity.ts'
import { encodeFullState } from '../../src/gossip/wire/full-state.ts'
import { PacketEncoder } from '../../src/gossip/wire/packet.ts'

export interface MemberPoolOptions {
  readonly members: number
  readonly timing: GossipTiming
  readonly without?: WithoutParts
  readonly draws: RandomStream
  /** Number of bytes of each member's tags. */
  readonly metaBytes: number
  /** Transit time of a datagram, drawn uniformly. */
  readonly latencyMs: { readonly least: number; readonly most: number }
  /** A change in the view of `observer`, by its number. */
  readonly onChange: (observer: number, change: CoreChange, nowMs: number) => void
}

/** Each member knows all others: memory grows with the square, some 130 bytes for each pair. */
export const poolMembersMax = 8_000

/** Network traffic. Streams are exchanges of full states, both ways, without the overhead of TCP. */
export interface Traffic {
  datagrams: number
  datagramBytes: number
  exchanges: number
  streamBytes: number
}

interface PoolMember {
  readonly number: number
  readonly address: GossipAddress
  readonly core: GossipCore
  /** Running timers: the number of their setting. */
  readonly timers: Map<GossipTimer, number>
  blocked: boolean
  /** Its loops that are blocked in a send. */
  readonly stuck: Set<GossipTimer>
  /** Pending sends, the next actions of its loops, and received messages; bounded by how long it is blocked. */
  readonly outgoing: (() => void)[]
  readonly next: (() => void)[]
  readonly inbox: (() => void)[]
}

type Happening =
  | {
      readonly atMs: number
      readonly order: number
      readonly kind: 'packet'
      readonly to: PoolMember
      readonly from: GossipAddress
      readonly messages: readonly Message[]
    }
  | {
      readonly atMs: number
      readonly order: number
      readonly kind: 'timer'
      readonly of: PoolMember
      readonly timer: GossipTimer
      readonly setting: number
    }
  | { readonly atMs: number; readonly order: number; readonly kind: 'run'; readonly run: () => void }

/** Timers of the loops that send. The others are alarms, which fire on time even if their member is blocked. */
const loops: ReadonlySet<GossipTimer> = new Set(['probe', 'gossip', 'push-pull', 'reconnect'])

/**
 * A pool of membership cores on virtual time, thousands of them, without agents, machines or bytes. The real encoder
 * gives the size of a datagram once for each kind of message, as all names and tags here have equal lengths.
 */
export class MemberPool {
  readonly traffic: Traffic = { datagrams: 0, datagramBytes: 0, exchanges: 0, streamBytes: 0 }
  readonly #options: MemberPoolOptions
  readonly #members: PoolMember[] = []
  readonly #byHost = new Map<string, PoolMember>()
  readonly #queue = new Heap<Happening>((a, b) => a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order))
  readonly #encoder = new PacketEncoder()
  readonly #bytesOfKind = new Map<Message['kind'], number>()
  /**
   * By name: facts that all members share are stored once. At most one for each member; a member with older facts keeps
   * them.
   */
  readonly #facts = new Map<string, MemberFacts>()
  readonly #sizeOf = (message: Message): number => this.#bytesOf(message)
  #stateBytes: number | undefined
  #nowMs = 0
  #order = 0
  #settings = 0

  /** All members know each other from the beginning, without any pending gossip about it. */
  constructor(options: MemberPoolOptions) {
    this.#options = options
    invariant(options.members >= 2 && options.members <= poolMembersMax, 'a pool has its bounds', {
      members: options.members,
    })
    const meta = new Uint8Array(options.metaBytes)
    for (let number = 0; number < options.members; number++) this.#members.push(this.#create(number, meta))
    const nodes: NodeState[] = this.#members.map(({ core: { self }, address }) => ({
      node: self.name,
      address,
      meta,
      incarnation: 1,
      state: 'alive',
      versions,
    }))
    for (const member of this.#members) this.#begin(member, { kind: 'started' })
    const [first] = this.#members as [PoolMember]
    const state: FullState = { ...fullState(first.core, false), nodes }
    for (const member of this.#members) this.#acquaint(member, state)
  }

  get nowMs(): number {
    return this.#nowMs
  }

  runUntil(untilMs: number): void {
    for (let next = this.#queue.peek(); next !== undefined && next.atMs <= untilMs; next = this.#queue.peek()) {
      this.#queue.pop()
      this.#nowMs = next.atMs
      this.#happen(next)
    }
    this.#nowMs = untilMs
  }

  after(delayMs: number, run: () => void): void {
    this.#queue.push({ atMs: this.#nowMs + delayMs, order: this.#order++, kind: 'run', run })
  }

  /** Sends block, nothing is read, and timers fire: a starved process (Lifeguard, section 5). */
  block(number: number): void {
    this.#member(number).blocked = true
  }

  /**
   * Blocked sends complete, the loops continue in random order, because their timers have expired, and received
   * messages are read.
   */
  unblock(number: number): void {
    const member = this.#member(number)
    const { outgoing, next, inbox } = member
    member.blocked = false
    member.stuck.clear()
    for (const run of outgoing.splice(0)) run()
    while (next.length > 0) next.splice(this.#options.draws.below(next.length), 1)[0]?.()
    for (const run of inbox.splice(0)) run()
  }

  /** This member has changed: all others must learn that. */
  changeMeta(number: number, meta: Uint8Array): void {
    this.#step(this.#member(number), { kind: 'meta-changed', meta })
  }

  #member(number: number): PoolMember {
    const member = this.#members[number]
    invariant(member !== undefined, 'a member of the pool has a number', { number })
    return member
  }

  #create(number: number, meta: Uint8Array): PoolMember {
    const host = `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`
    const address = { host, port: 8301 }
    const { timing, without } = this.#options
    const core = createGossip({
      name: `m${String(number).padStart(5, '0')}`,
      address,
      meta,
      versions,
      timing,
      without,
      sizeOf: this.#sizeOf,
      share: (facts) => this.#shared(facts),
      packetBytesMax: packetBytesDefault,
      incarnation: 0,
    })
    const member: PoolMember = {
      number,
      address,
      core,
      timers: new Map(),
      blocked: false,
      stuck: new Set(),
      outgoing: [],
      next: [],
      inbox: [],
    }
    this.#byHost.set(host, member)
    return member
  }

  #shared(facts: MemberFacts): MemberFacts {
    const known = this.#facts.get(facts.name)
    if (known !== undefined && sameFacts(known, facts)) return known
    this.#facts.set(facts.name, facts)
    return facts
  }

  #acquaint(member: PoolMember, state: FullState): void {
    const { core, address } = member
    this.#begin(member, { kind: 'state-received', how: 'answer', from: address, state })
    for (const { node } of state.nodes) {
      core.claims.remove(node)
      core.intents.remove(node)
    }
    core.views.clear()
  }

  /** Requests before the pool is complete are dropped, except timers. */
  #begin(member: PoolMember, event: GossipEvent): void {
    for (const effect of step(member.core, event, 0, this.#options.draws)) {
      if (effect.kind === 'set-timer') this.#setTimer(member, effect)
    }
  }

  #happen(happening: Happening): void {
    switch (happening.kind) {
      case 'packet': {
        const { to, from, messages } = happening
        return this.#read(to, () => this.#step(to, { kind: 'packet-received', from, messages }))
      }
      case 'timer':
        return this.#timerDue(happening)
      case 'run':
        return happening.run()
      default:
        happening satisfies never
    }
  }

  /** A loop continues to its next send, where it blocks. */
  #timerDue({ of, timer, setting }: Extract<Happening, { kind: 'timer' }>): void {
    if (of.timers.get(timer) !== setting) return
    const fire = (): void => this.#timerFired(of, timer, setting)
    if (of.blocked && of.stuck.has(timer)) {
      of.next.push(fire)
      return
    }
    const waiting = of.outgoing.length
    fire()
    if (of.outgoing.length > waiting && loops.has(timer)) of.stuck.add(timer)
  }

  #timerFired(member: PoolMember, timer: GossipTimer, setting: number): void {
    if (member.timers.get(timer) !== setting) return
    member.timers.delete(timer)
    this.#step(member, { kind: 'timer-fired', timer })
  }

  #read(member: PoolMember, run: () => void): void {
    if (member.blocked) member.inbox.push(run)
    else run()
  }

  #step(member: PoolMember, event: GossipEvent): void {
    for (const effect of step(member.core, event, this.#nowMs, this.#options.draws)) this.#perform(member, effect)
  }

  #perform(member: PoolMember, effect: GossipEffect): void {
    switch (effect.kind) {
      case 'send':
        return this.#say(member, () => this.#send(member, effect.to, effect.messages))
      case 'exchange':
        return this.#say(member, () => this.#exchange(member, effect.with, effect.join))
      case 'stream-ping':
        return this.#say(member, () => this.#streamPing(member, effect))
      case 'set-timer':
        return this.#setTimer(member, effect)
      case 'clear-timer':
        member.timers.delete(effect.timer)
        return
      case 'members-changed':
        for (const change of effect.changes) this.#options.onChange(member.number, change, this.#nowMs)
        return
    }
  }

  #say(member: PoolMember, run: () => void): void {
    if (member.blocked) member.outgoing.push(run)
    else run()
  }

  #setTimer(of: PoolMember, { timer, delayMs }: Extract<GossipEffect, { kind: 'set-timer' }>): void {
    const setting = ++this.#settings
    of.timers.set(timer, setting)
    this.#queue.push({ atMs: this.#nowMs + delayMs, order: this.#order++, kind: 'timer', of, timer, setting })
  }

  #send(member: PoolMember, to: GossipAddress, messages: readonly Message[]): void {
    this.traffic.datagrams++
    this.traffic.datagramBytes += this.#packetBytes(messages)
    const receiver = this.#byHost.get(to.host)
    if (receiver === undefined) return
    const atMs = this.#nowMs + this.#latencyMs()
    this.#queue.push({ atMs, order: this.#order++, kind: 'packet', to: receiver, from: member.address, messages })
  }

  /**
   * Full states, both ways; an exchange with a member that is blocked for longer than the stream timeout is given up.
   */
  #exchange(member: PoolMember, to: GossipAddress, join: boolean): void {
    const other = this.#byHost.get(to.host)
    if (other === undefined) return
    const lateMs = this.#nowMs + this.#options.timing.streamTimeoutMs
    this.after(this.#latencyMs(), () =>
      this.#read(other, () => {
        if (this.#nowMs > lateMs) return
        const request = fullState(member.core, join)
        this.#step(other, { kind: 'state-received', how: 'request', from: member.address, state: request })
        const answer = fullState(other.core, false)
        this.traffic.exchanges++
        this.traffic.streamBytes += 2 * this.#bytesOfState(request)
        this.after(this.#latencyMs(), () =>
          this.#read(member, () =>
            this.#step(member, { kind: 'state-received', how: 'answer', from: to, state: answer }),
          ),
        )
      }),
    )
  }

  #streamPing(member: PoolMember, { to, sequence, timeoutMs }: Extract<GossipEffect, { kind: 'stream-ping' }>): void {
    const other = this.#byHost.get(to.host)
    const lateMs = this.#nowMs + timeoutMs
    if (other === undefined) return
    this.after(2 * this.#latencyMs(), () =>
      this.#read(other, () => {
        if (this.#nowMs > lateMs) return
        this.#read(member, () => this.#step(member, { kind: 'stream-ping-finished', sequence, answered: true }))
      }),
    )
  }

  #latencyMs(): number {
    const { latencyMs, draws } = this.#options
    return latencyMs.least + draws.fraction() * (latencyMs.most - latencyMs.least)
  }

  #packetBytes(messages: readonly Message[]): number {
    let bytes = messages.length === 1 ? 0 : compoundHeaderBytes
    for (const message of messages) bytes += this.#bytesOf(message) + (messages.length === 1 ? 0 : compoundMessageBytes)
    return bytes
  }

  #bytesOf(message: Message): number {
    const known = this.#bytesOfKind.get(message.kind)
    if (known !== undefined) return known
    const bytes = this.#encoder.sizeOf(message)
    this.#bytesOfKind.set(message.kind, bytes)
    return bytes
  }

  #bytesOfState(state: FullState): number {
    this.#stateBytes ??= encodeFullState(state).length
    return this.#stateBytes
  }
}

function sameFacts(a: MemberFacts, b: MemberFacts): boolean {
  return sameAddress(a.address, b.address) && equalBytes(a.meta, b.meta) && sameVersions(a.versions, b.versions)
}
