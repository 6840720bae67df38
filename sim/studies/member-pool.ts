import { invariant } from '../../src/base/invariant.ts'
import type { RandomStream } from '../../src/env/random.ts'
import { fullState } from '../../src/gossip/core/answers.ts'
import { packetBytesDefault } from '../../src/gossip/core/bounds.ts'
import {
  type FullState,
  type GossipAddress,
  type Message,
  type NodeState,
  ownVersions as versions,
} from '../../src/gossip/core/messages.ts'
import type { GossipTiming, WithoutParts } from '../../src/gossip/core/options.ts'
import { createGossip } from '../../src/gossip/core/state.ts'
import { step } from '../../src/gossip/core/step.ts'
import type { CoreChange, GossipEffect, GossipEvent, GossipTimer } from '../../src/gossip/core/types.ts'
import { PoolMember } from './pool-member.ts'
import { type Happening, PoolQueue } from './pool-queue.ts'
import { PoolTraffic, type Traffic } from './pool-traffic.ts'
import { SharedFacts } from './shared-facts.ts'

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

/**
 * A pool of membership cores on virtual time, thousands of them, without agents, machines or bytes.
 */
export class MemberPool {
  readonly #options: MemberPoolOptions
  readonly #members: PoolMember[] = []
  readonly #byHost = new Map<string, PoolMember>()
  readonly #queue = new PoolQueue()
  readonly #traffic = new PoolTraffic()
  readonly #facts = new SharedFacts()
  readonly #sizeOf = (message: Message): number => this.#traffic.bytesOf(message)
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
    return this.#queue.nowMs
  }

  get traffic(): Traffic {
    return this.#traffic.counted
  }

  runUntil(untilMs: number): void {
    this.#queue.runUntil(untilMs, (happening) => this.#happen(happening))
  }

  after(delayMs: number, run: () => void): void {
    this.#queue.after(delayMs, { kind: 'run', run })
  }

  /** Starves the member's process of everything but its timers. */
  block(number: number): void {
    this.#member(number).block()
  }

  unblock(number: number): void {
    this.#member(number).unblock(this.#options.draws)
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
      share: (facts) => this.#facts.of(facts),
      packetBytesMax: packetBytesDefault,
      incarnation: 0,
    })
    const member = new PoolMember(number, address, core)
    this.#byHost.set(host, member)
    return member
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
        return to.read(() => this.#step(to, { kind: 'packet-received', from, messages }))
      }
      case 'timer':
        return this.#timerDue(happening)
      case 'run':
        return happening.run()
      default:
        happening satisfies never
    }
  }

  #timerDue({ of, timer, setting }: Extract<Happening, { kind: 'timer' }>): void {
    if (of.timers.get(timer) !== setting) return
    of.due(timer, () => this.#timerFired(of, timer, setting))
  }

  #timerFired(member: PoolMember, timer: GossipTimer, setting: number): void {
    if (member.timers.get(timer) !== setting) return
    member.timers.delete(timer)
    this.#step(member, { kind: 'timer-fired', timer })
  }

  #step(member: PoolMember, event: GossipEvent): void {
    for (const effect of step(member.core, event, this.nowMs, this.#options.draws)) this.#perform(member, effect)
  }

  #perform(member: PoolMember, effect: GossipEffect): void {
    switch (effect.kind) {
      case 'send':
        return member.say(() => this.#send(member, effect.to, effect.messages))
      case 'exchange':
        return member.say(() => this.#exchange(member, effect.with, effect.join))
      case 'stream-ping':
        return member.say(() => this.#streamPing(member, effect))
      case 'set-timer':
        return this.#setTimer(member, effect)
      case 'clear-timer':
        member.timers.delete(effect.timer)
        return
      case 'members-changed':
        for (const change of effect.changes) this.#options.onChange(member.number, change, this.nowMs)
        return
    }
  }

  #setTimer(of: PoolMember, { timer, delayMs }: Extract<GossipEffect, { kind: 'set-timer' }>): void {
    const setting = ++this.#settings
    of.timers.set(timer, setting)
    this.#queue.after(delayMs, { kind: 'timer', of, timer, setting })
  }

  #send(member: PoolMember, to: GossipAddress, messages: readonly Message[]): void {
    this.#traffic.datagram(messages)
    const receiver = this.#byHost.get(to.host)
    if (receiver === undefined) return
    this.#queue.after(this.#latencyMs(), { kind: 'packet', to: receiver, from: member.address, messages })
  }

  /**
   * Full states, both ways; an exchange with a member that is blocked for longer than the stream timeout is given up.
   */
  #exchange(member: PoolMember, to: GossipAddress, join: boolean): void {
    const other = this.#byHost.get(to.host)
    if (other === undefined) return
    const lateMs = this.nowMs + this.#options.timing.streamTimeoutMs
    this.after(this.#latencyMs(), () =>
      other.read(() => {
        if (this.nowMs > lateMs) return
        const request = fullState(member.core, join)
        this.#step(other, { kind: 'state-received', how: 'request', from: member.address, state: request })
        const answer = fullState(other.core, false)
        this.#traffic.exchange(request)
        this.after(this.#latencyMs(), () =>
          member.read(() => this.#step(member, { kind: 'state-received', how: 'answer', from: to, state: answer })),
        )
      }),
    )
  }

  #streamPing(member: PoolMember, { to, sequence, timeoutMs }: Extract<GossipEffect, { kind: 'stream-ping' }>): void {
    const other = this.#byHost.get(to.host)
    const lateMs = this.nowMs + timeoutMs
    if (other === undefined) return
    this.after(2 * this.#latencyMs(), () =>
      other.read(() => {
        if (this.nowMs > lateMs) return
        member.read(() => this.#step(member, { kind: 'stream-ping-finished', sequence, answered: true }))
      }),
    )
  }

  #latencyMs(): number {
    const { latencyMs, draws } = this.#options
    return latencyMs.least + draws.fraction() * (latencyMs.most - latencyMs.least)
  }
}
