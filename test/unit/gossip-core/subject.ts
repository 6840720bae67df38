import { fullState } from '../../../src/gossip/core/answers.ts'
import type { MemberRecord } from '../../../src/gossip/core/member-record.ts'
import type { FullState, GossipAddress, Message, NodeState, Versions } from '../../../src/gossip/core/messages.ts'
import type { GossipOptions, GossipRandom } from '../../../src/gossip/core/options.ts'
import { createGossip, type GossipCore, type Suspicion } from '../../../src/gossip/core/state.ts'
import { step } from '../../../src/gossip/core/step.ts'
import type {
  CoreChange,
  GossipCounter,
  GossipEffect,
  GossipEvent,
  GossipTimer,
} from '../../../src/gossip/core/types.ts'

export const versions: Versions = {
  protocolMin: 1,
  protocolMax: 5,
  protocolSpoken: 2,
  delegateMin: 2,
  delegateMax: 5,
  delegateSpoken: 4,
}

const timing = {
  gossipIntervalMs: 200,
  gossipNodes: 3,
  probeIntervalMs: 1_000,
  probeTimeoutMs: 500,
  suspicionMult: 4,
  retransmitMult: 4,
  pushPullIntervalMs: 30_000,
  streamTimeoutMs: 10_000,
  gossipToDeadMs: 30_000,
  reconnectIntervalMs: 30_000,
  reapIntervalMs: 15_000,
  reconnectTimeoutMs: 72 * 3_600_000,
  tombstoneTimeoutMs: 24 * 3_600_000,
  leavePropagateDelayMs: 3_000,
}

export function addressOf(name: string): GossipAddress {
  return { host: `host-${name}`, port: 8301 }
}

/** No event was fired and no query asked. */
const quiet = { eventLamport: 1, queryLamport: 1, events: [] }

type Of<K extends GossipEffect['kind']> = Extract<GossipEffect, { readonly kind: K }>

/** One agent under test, called `me`; the test is all other members, its clock and its dice. */
export class Subject {
  readonly core: GossipCore
  nowMs = 0
  effects: readonly GossipEffect[] = []
  /** When each timer that runs is due. */
  readonly timers = new Map<GossipTimer, number>()
  #state = 1

  constructor(options: Partial<GossipOptions> = {}) {
    this.core = createGossip({
      name: 'me',
      address: addressOf('me'),
      meta: new Uint8Array([1]),
      versions,
      timing,
      sizeOf: () => 60,
      packetBytesMax: 1_400,
      incarnation: 0,
      ...options,
    })
    this.do({ kind: 'started' })
  }

  /** Deterministic and spread out; good enough to pick with. */
  readonly random: GossipRandom = {
    fraction: () => {
      this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0
      return this.#state / 4_294_967_296
    },
    below: (bound) => Math.floor(this.random.fraction() * bound),
  }

  do(event: GossipEvent): readonly GossipEffect[] {
    this.effects = step(this.core, event, this.nowMs, this.random)
    for (const effect of this.effects) {
      if (effect.kind === 'set-timer') this.timers.set(effect.timer, this.nowMs + effect.delayMs)
      if (effect.kind === 'clear-timer') this.timers.delete(effect.timer)
    }
    return this.effects
  }

  hear(...messages: Message[]): readonly GossipEffect[] {
    return this.do({ kind: 'packet-received', from: addressOf('sender'), messages })
  }

  /** Lets time pass to when this timer is due, and fires it. */
  fire(timer: GossipTimer): readonly GossipEffect[] {
    const dueMs = this.timers.get(timer)
    if (dueMs === undefined) throw new Error(`no timer ${timer} is set`)
    this.nowMs = Math.max(this.nowMs, dueMs)
    this.timers.delete(timer)
    return this.do({ kind: 'timer-fired', timer })
  }

  /** Fires what is due until then, in order; gathers all effects. */
  pass(spanMs: number): GossipEffect[] {
    const untilMs = this.nowMs + spanMs
    const gathered: GossipEffect[] = []
    while (true) {
      const [next] = [...this.timers].sort((a, b) => a[1] - b[1])
      if (next === undefined || next[1] > untilMs) break
      gathered.push(...this.fire(next[0]))
    }
    this.nowMs = untilMs
    return gathered
  }

  /** Members that are alive, with incarnation 1. */
  know(...names: string[]): this {
    for (const name of names) this.hear(alive(name, 1))
    return this
  }

  of<K extends GossipEffect['kind']>(kind: K, effects: readonly GossipEffect[] = this.effects): Of<K>[] {
    return effects.filter((effect): effect is Of<K> => effect.kind === kind)
  }

  changes(effects: readonly GossipEffect[] = this.effects): string[] {
    return this.of('members-changed', effects).flatMap(({ changes }) => changes.map(changeText))
  }

  counted(counter: GossipCounter): number {
    return this.of('count').filter((effect) => effect.counter === counter).length
  }

  record(name: string): MemberRecord {
    const record = this.core.members.get(name)
    if (record === undefined) throw new Error(`nobody is called ${name}`)
    return record
  }

  suspicion(name: string): Suspicion | undefined {
    return this.core.suspects.get(this.record(name))
  }

  /** `alive 3`: what the lower layer holds, with the incarnation. */
  holds(name: string): string {
    const { state, incarnation } = this.record(name)
    return `${state} ${incarnation}`
  }

  exchange(state: Partial<FullState>, how: 'request' | 'answer' | 'join-answer' = 'answer'): readonly GossipEffect[] {
    const whole = { nodes: [], join: false, lamport: 1, statusTimes: [], left: [], ...quiet, ...state }
    return this.do({ kind: 'state-received', how, from: addressOf('sender'), state: whole })
  }

  /** What it would pass on next, as often as it has it. */
  spoken(): Message[] {
    const { claims, intents } = this.core
    const messages: Message[] = []
    claims.take(messages, 1_000_000, 10_000, 1_000)
    intents.take(messages, 1_000_000, 10_000, 1_000)
    return messages
  }

  state(): FullState {
    return fullState(this.core, false)
  }
}

function changeText({ kind, member }: CoreChange): string {
  return `${kind} ${member.name}`
}

export function alive(
  node: string,
  incarnation: number,
  more: Partial<Extract<Message, { kind: 'alive' }>> = {},
): Message {
  return { kind: 'alive', incarnation, node, address: addressOf(node), meta: new Uint8Array([1]), versions, ...more }
}

export function suspect(node: string, incarnation: number, from = 'other'): Message {
  return { kind: 'suspect', incarnation, node, from }
}

export function dead(node: string, incarnation: number, from = 'other'): Message {
  return { kind: 'dead', incarnation, node, from }
}

export function leaves(node: string, lamport: number): Message {
  return { kind: 'leave-intent', lamport, node, prune: false }
}

export function joins(node: string, lamport: number): Message {
  return { kind: 'join-intent', lamport, node }
}

export function nodeState(node: string, incarnation: number, state: NodeState['state']): NodeState {
  return { node, address: addressOf(node), meta: new Uint8Array([1]), incarnation, state, versions }
}
