import { lamportMax } from '../../../src/gossip/core/bounds.ts'
import type { GossipEffect, GossipEvent } from '../../../src/gossip/core/types.ts'
import type { ObservedCore } from '../../../src/gossip/pool.ts'
import type { BroadcastWatch } from './broadcast-watch.ts'
import { itemsOf } from './heard-events.ts'
import type { StatusTimes } from './status-times.ts'
import type { Change } from './suspicion-watch.ts'

type StateReceived = Extract<GossipEvent, { readonly kind: 'state-received' }>
type Intent = readonly [kind: 'join' | 'leave', name: string, lamport: number]

/** More names than any pool of a run has. */
const namesMost = 4_096

/** The intents to join and leave that one member hears of and declares. */
export class StatusWatch {
  readonly #law: StatusTimes
  readonly #broadcasts: BroadcastWatch
  readonly #node: string
  /** The latest Lamport time of an intent that it had heard of before the step. */
  #latest = 0
  /** By name, the latest time of an intent that has come by packet before the step: it is passed on when it comes first. */
  readonly #come = new Map<string, number>()

  constructor(law: StatusTimes, broadcasts: BroadcastWatch, node: string) {
    this.#law = law
    this.#broadcasts = broadcasts
    this.#node = node
  }

  changed(core: ObservedCore, event: GossipEvent, { name, before, now }: Change): void {
    if (before === undefined) return
    const isSameLife = before.incarnation === now.incarnation
    const isGone = before.state === 'dead' && now.state === 'dead'
    const isLiving = before.state !== 'dead' && now.state !== 'dead'
    // By an exchange of states, a member may learn that one has left which it considers failed since the same time.
    const isAgreed = event.kind === 'state-received' && now.status === 'left'
    const needsNewer = before.status !== now.status && isSameLife && (isLiving || (isGone && !isAgreed))
    this.#law.changed(this.#node, name, before, now, needsNewer)
    if (before.statusTime === now.statusTime) return
    // An agent that leaves already takes a newer intent to leave for its own, and declares none.
    const isOwn = name === core.self.name && (now.status === 'alive' || before.status === 'alive')
    if (isOwn) this.#declared(core, now.status === 'alive' ? 'join' : 'leave', name, now.statusTime)
    else if (event.kind === 'force-leave-requested') this.#declared(core, 'leave', name, now.statusTime)
    else if (event.kind === 'packet-received') this.#learned(core, event, name, now.statusTime)
  }

  /** Called after the changes of a step. */
  ends(core: ObservedCore, event: GossipEvent, effects: readonly GossipEffect[]): void {
    if (event.kind === 'packet-received') {
      for (const message of event.messages) {
        if (message.kind !== 'leave-intent' && message.kind !== 'join-intent') continue
        const { node, lamport } = message
        this.#heard(core, [message.kind === 'leave-intent' ? 'leave' : 'join', node, lamport])
        if (this.#come.has(node) || this.#come.size < namesMost)
          this.#come.set(node, Math.max(lamport, this.#come.get(node) ?? 0))
      }
    } else if (event.kind === 'state-received' && !effects.some(({ kind }) => kind === 'state-refused'))
      this.#exchanged(core, event)
  }

  #declared(core: ObservedCore, kind: 'join' | 'leave', name: string, lamport: number): void {
    this.#law.declared(this.#node, name, lamport, this.#latest)
    // Without another living member an agent leaves at once, and its queue gets no intent.
    if (kind === 'leave' && name === core.self.name && isAlone(core)) return
    this.#broadcasts.intends(core, `${kind}-intent`, name, lamport)
  }

  /** If the message itself has brought the time, it is news to be passed on. */
  #learned(
    core: ObservedCore,
    { messages }: Extract<GossipEvent, { readonly kind: 'packet-received' }>,
    name: string,
    lamport: number,
  ): void {
    if (lamport <= (this.#come.get(name) ?? -1)) return
    for (const message of messages) {
      if (message.kind !== 'leave-intent' && message.kind !== 'join-intent') continue
      if (message.lamport === lamport && message.node === name)
        this.#broadcasts.intends(core, message.kind, name, lamport)
    }
  }

  #heard({ self }: ObservedCore, [kind, name, lamport]: Intent): void {
    if (!Number.isInteger(lamport) || lamport < 0 || lamport > lamportMax) return
    if (name === self.name && self.status === 'alive' && lamport < lamportMax)
      this.#law.heardOfSelf(this.#node, kind, lamport, self.statusTime)
    this.#latest = Math.max(this.#latest, Math.min(lamport, lamportMax - 1))
  }

  #exchanged(core: ObservedCore, { state, part }: StateReceived): void {
    if (part !== undefined && part.end < itemsOf(state)) return
    const left = new Set(state.left)
    for (const [name, lamport] of state.statusTimes)
      this.#heard(core, [left.has(name) ? 'leave' : 'join', name, lamport])
  }
}

function isAlone({ members, self }: ObservedCore): boolean {
  for (const member of members.values()) if (member !== self && member.state !== 'dead') return false
  return true
}
