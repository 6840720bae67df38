import { itemAt } from '../../../src/base/items.ts'
import {
  type FullState,
  type GossipAddress,
  type Message,
  ownVersions as versions,
} from '../../../src/gossip/core/messages.ts'
import type { GossipRandom, GossipTiming } from '../../../src/gossip/core/options.ts'
import type { GossipCore } from '../../../src/gossip/core/state.ts'
import type { GossipEffect, GossipEvent } from '../../../src/gossip/core/types.ts'
import type { GossipUnderSearch } from './bounds.ts'

export const memberNames: readonly string[] = ['a', 'b', 'c', 'd', 'e']

/** A message that is broadcast, or a member's full state. */
export type GossipContent = Message | { readonly kind: 'full-state'; readonly state: FullState }

const timing: GossipTiming = {
  gossipIntervalMs: 200,
  gossipNodes: 4,
  probeIntervalMs: 1_000,
  probeTimeoutMs: 500,
  suspicionMult: 4,
  retransmitMult: 1,
  pushPullIntervalMs: 10_000,
  streamTimeoutMs: 5_000,
  gossipToDeadMs: 1e12,
  reconnectIntervalMs: 5_000,
  reapIntervalMs: 5_000,
  reconnectTimeoutMs: 1e12,
  tombstoneTimeoutMs: 1e12,
  leavePropagateDelayMs: 1_000,
}

/** Maximum number of gossip rounds in which all waiting broadcasts are sent. */
const drainsMax = 64

export function addressOf(place: number): GossipAddress {
  return { host: `10.0.0.${place + 1}`, port: 8301 }
}

function aliveWord(place: number, incarnation: number): Message {
  const node = itemAt(memberNames, place)
  return { kind: 'alive', incarnation, node, address: addressOf(place), meta: new Uint8Array(0), versions }
}

/** Returns numbers in turn, so that each of a few members is chosen in turn. */
function turns(): GossipRandom {
  let next = 0
  return { below: (bound) => next++ % bound, fraction: () => 0 }
}

/**
 * One member: its core, whose messages are sent at once. Time stands still, except for suspicions, which are over when
 * their timer fires.
 */
export class SearchedMember {
  readonly place: number
  readonly core: GossipCore
  readonly #under: GossipUnderSearch
  /** The messages sent in the last step. */
  said: Message[] = []

  /** `knows`: the members that it knows from the beginning, including itself. */
  constructor(place: number, knows: readonly number[], under: GossipUnderSearch) {
    this.place = place
    this.#under = under
    this.core = under.createGossip({
      name: itemAt(memberNames, place),
      address: addressOf(place),
      meta: new Uint8Array(0),
      versions,
      timing,
      sizeOf: () => 60,
      packetBytesMax: 1_400,
      without: { sleepExcuse: true },
      incarnation: 0,
    })
    this.take({ kind: 'started' })
    const messages = knows.filter((other) => other !== place).map((other) => aliveWord(other, 1))
    if (messages.length === 0) return
    this.take({ kind: 'packet-received', from: addressOf(place), messages })
  }

  get state(): FullState {
    return this.#under.fullState(this.core, false)
  }

  take(event: GossipEvent): void {
    const random = turns()
    const nowMs = event.kind === 'timer-fired' ? (this.core.timers.get(event.timer) ?? 0) : 0
    this.said = []
    this.#hear(this.#under.step(this.core, event, nowMs, random))
    for (let drains = 0; drains < drainsMax && this.core.timers.has('gossip'); drains++) {
      this.#hear(this.#under.step(this.core, { kind: 'timer-fired', timer: 'gossip' }, 0, random))
    }
  }

  #hear(effects: readonly GossipEffect[]): void {
    for (const effect of effects) {
      if (effect.kind === 'send') this.said.push(...effect.messages)
    }
  }
}

/** What one member knows of another. */
export interface Held {
  readonly name: string
  readonly incarnation: number
  readonly state: 'alive' | 'suspect' | 'dead'
  readonly status: string
  readonly statusTime: number
}

export interface SeenMember {
  readonly place: number
  readonly leaving: GossipCore['leaving']
  readonly clock: number
  /** In order of names. */
  readonly held: readonly Held[]
}

export function seenOf({ place, core }: SearchedMember): SeenMember {
  const held = [...core.members.values()]
    .map(({ name, incarnation, state, status, statusTime }) => ({ name, incarnation, state, status, statusTime }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  return { place, leaving: core.leaving, clock: core.clock, held }
}

/** Everything of a member that its next steps can depend on, except for times and its own health. */
export function fingerprintOf(member: SearchedMember): string {
  const { core } = member
  const seen = seenOf(member)
  const waiting = seen.held.map(({ name }) => [core.claims.has(name), core.intents.has(name)])
  const intents = [...core.recentIntents].map(([name, { kind, lamport, isFirstHand }]) => {
    return [name, kind, lamport, isFirstHand].join(' ')
  })
  return JSON.stringify([seen, waiting, intents.sort((a, b) => (a < b ? -1 : 1)), core.timers.has('leave')])
}
