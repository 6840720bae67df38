import { eventNameBytesMax, lamportMax } from '../../../src/gossip/core/bounds.ts'
import { leapMax } from '../../../src/gossip/core/lamport.ts'
import type { FullState } from '../../../src/gossip/core/messages.ts'
import { gossipLimits } from '../../../src/gossip/core/options.ts'
import type { GossipEffect, GossipEvent } from '../../../src/gossip/core/types.ts'
import { eventText } from './broadcasts.ts'
import type { PassingOn } from './passing-on.ts'

interface Heard {
  readonly lamport: number
  readonly name: string
  readonly payload: Uint8Array
}

type StateReceived = Extract<GossipEvent, { readonly kind: 'state-received' }>

/** Events of as many Lamport times are remembered for certain, as a share, and fewer of one than are remembered. */
const certainShare = 0.95
const atOnceRemembered = 60
const deliveredMax = 4_096

/** The user events that one process receives, and is given. */
export class HeardEvents {
  readonly #law: PassingOn
  readonly #node: string
  readonly #delivered = new Set<string>()
  #timesRemembered = 0
  /** By Lamport time, the number of events delivered. */
  readonly #at = new Map<number, number>()
  #latest = 0
  #clock = 0
  /** Events before this time were fired before the agent joined. */
  #since = 0

  constructor(law: PassingOn, node: string) {
    this.#law = law
    this.#node = node
  }

  /** Called after each step. `clock`: that of events; `timesMax`: Lamport times whose events the process remembers. */
  stepped(event: GossipEvent, effects: readonly GossipEffect[], clock: number, timesMax = gossipLimits.timesMax): void {
    this.#clock = clock
    this.#timesRemembered = Math.floor(timesMax * certainShare)
    if (event.kind === 'state-received') this.#joins(event)
    for (const effect of effects) if (effect.kind === 'user-event') this.#gave(effect)
    if (event.kind === 'packet-received') {
      for (const message of event.messages) if (message.kind === 'user-event') this.#heard(message)
    } else if (event.kind === 'state-received' && isMerged(event, effects)) {
      for (const { lamport, events } of event.state.events)
        for (const { name, payload } of events) this.#heard({ lamport, name, payload })
    }
  }

  #joins({ how, state: { eventLamport } }: StateReceived): void {
    this.#latest = Math.max(this.#latest, eventLamport <= lamportMax ? eventLamport : 0)
    if (how === 'join-answer' && eventLamport <= lamportMax) this.#since = Math.max(this.#since, eventLamport)
  }

  #gave({ lamport, name, payload }: Heard): void {
    const text = eventText(lamport, name, payload)
    if (this.#delivered.has(text)) this.#law.delivered(this.#node, text, 2)
    if (this.#delivered.size >= deliveredMax) return
    this.#delivered.add(text)
    this.#at.set(lamport, (this.#at.get(lamport) ?? 0) + 1)
    this.#latest = Math.max(this.#latest, lamport)
  }

  #heard({ lamport, name, payload }: Heard): void {
    const isSound = lamport >= 0 && lamport <= lamportMax && name.length > 0 && name.length <= eventNameBytesMax
    if (!isSound || this.#delivered.size >= deliveredMax) return
    // Dropped, because it is too far ahead.
    if (lamport >= this.#clock && lamport - this.#latest > leapMax / 2) return
    this.#latest = Math.max(this.#latest, lamport)
    const isRecent = lamport >= this.#since && lamport > this.#latest - this.#timesRemembered
    if (!isRecent || (this.#at.get(lamport) ?? 0) >= atOnceRemembered) return
    const text = eventText(lamport, name, payload)
    this.#law.delivered(this.#node, text, this.#delivered.has(text) ? 1 : 0)
  }
}

/** Whether all of the state is merged now. */
function isMerged({ state, part }: StateReceived, effects: readonly GossipEffect[]): boolean {
  const items = itemsOf(state)
  return (part === undefined || part.end >= items) && !effects.some(({ kind }) => kind === 'state-refused')
}

/** A state is merged in parts: nodes, status times twice, events. */
export function itemsOf({ nodes, statusTimes, events }: FullState): number {
  return nodes.length + 2 * statusTimes.length + events.length
}
