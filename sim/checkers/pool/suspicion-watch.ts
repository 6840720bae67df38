import { incarnationMax } from '../../../src/gossip/core/bounds.ts'
import type { GossipEffect, GossipEvent } from '../../../src/gossip/core/types.ts'
import type { ObservedCore } from '../../../src/gossip/pool.ts'
import type { DeathGrounds } from './death-grounds.ts'
import type { Incarnations } from './incarnations.ts'

/** A suspicion of one observer. */
interface Suspicion {
  readonly incarnation: number
  /** By the observer's own clock. */
  readonly sinceMs: number
  readonly members: number
  readonly accusers: Set<string>
}

interface Held {
  readonly incarnation: number
  readonly state: 'alive' | 'suspect' | 'dead'
  readonly status: string
  readonly statusTime: number
}

/** What an observer knew of a member before a step, and knows after it. */
export interface Change {
  readonly name: string
  readonly before: Held | undefined
  readonly now: Held
  /** Trace event in which it learned what it knew before. */
  readonly event: number
}

type PacketReceived = Extract<GossipEvent, { readonly kind: 'packet-received' }>

/** An accuser with a longer name may not be a member. */
const nameLengthMax = 32

/** Why one observer considers others suspect, dead and gone. */
export class SuspicionWatch {
  readonly #law: DeathGrounds
  readonly #incarnations: Incarnations
  readonly #node: string
  readonly #suspicions = new Map<string, Suspicion>()
  /** Number of members that it did not consider dead before the step. */
  #members = 1
  /** The member that was probed before the step. */
  #probed: string | undefined
  /** Its name in the last step. */
  #self: string | undefined

  constructor(all: { readonly grounds: DeathGrounds; readonly incarnations: Incarnations }, node: string) {
    this.#law = all.grounds
    this.#incarnations = all.incarnations
    this.#node = node
  }

  /**
   * Called before the changes of a step are reported. A member that is alive after a step may have been suspect until
   * then, when the packet was made.
   */
  sent({ members }: ObservedCore, effects: readonly GossipEffect[]): void {
    for (const effect of effects) {
      if (effect.kind !== 'send') continue
      for (const message of effect.messages) {
        const accused = message.kind === 'suspect' ? members.get(message.node) : undefined
        if (accused === undefined) continue
        const isSuspect = this.#suspicions.has(accused.name)
        this.#law.accuses(this.#node, accused.name, isSuspect ? 'suspect' : accused.state)
      }
    }
  }

  /** Called before the changes of a step are reported. */
  begins(core: ObservedCore, event: GossipEvent): void {
    if (core.self.name !== this.#self) this.#law.runs(core.self.name)
    this.#self = core.self.name
    if (event.kind === 'packet-received' && core.self.state === 'alive') this.#accused(core, event)
    if (event.kind !== 'force-leave-requested' || event.name === core.self.name) return
    const member = core.members.get(event.name)
    if (member !== undefined) this.#law.saidLeaves(event.name, member.statusTime)
  }

  changed(core: ObservedCore, event: GossipEvent, change: Change): void {
    const { name, now } = change
    if (name === core.self.name) return this.#ofSelf(change)
    if (now.state === 'suspect') this.#suspects(core, event, change)
    else if (now.state === 'dead') this.#dies(core, event, change)
    if (now.state !== 'suspect') this.#suspicions.delete(name)
    const wasLeft = change.before?.status === 'left' && change.before.incarnation === now.incarnation
    if (now.status === 'left' && !wasLeft) this.#law.heldLeft(this.#node, name, now)
  }

  /** Called after the changes of a step: notes the accusers of the suspects. */
  ends(core: ObservedCore, event: GossipEvent): void {
    this.#members = livingIn(core)
    if (event.kind === 'timer-fired' && event.timer === 'probe') this.#accusers(this.#probed)?.add(core.self.name)
    this.#probed = core.probe?.target.name
    if (event.kind !== 'packet-received' || this.#suspicions.size === 0) return
    for (const message of event.messages) {
      if (message.kind === 'suspect') this.#accusers(message.node)?.add(message.from)
    }
  }

  #accusers(name: string | undefined): Set<string> | undefined {
    return name === undefined ? undefined : this.#suspicions.get(name)?.accusers
  }

  /** A member that is alive refutes the accusations in a packet. */
  #accused({ self: { name, incarnation } }: ObservedCore, { messages }: PacketReceived): void {
    for (const message of messages) {
      if ((message.kind !== 'suspect' && message.kind !== 'dead') || message.node !== name) continue
      const { incarnation: accused, from } = message
      const isSound = accused >= 0 && accused < incarnationMax && from.length > 0 && from.length <= nameLengthMax
      if (isSound) this.#incarnations.accused(this.#node, accused, incarnation)
    }
  }

  #ofSelf({ name, before, now }: Change): void {
    if (now.state === 'dead') this.#law.saidGone(name, now.incarnation)
    else if (now.status === 'leaving' && before?.status !== 'leaving') this.#law.saidLeaves(name, now.statusTime)
  }

  #suspects(core: ObservedCore, event: GossipEvent, { name, before, now: { incarnation } }: Change): void {
    if (before?.state === 'suspect' && before.incarnation === incarnation) return
    const isOwn = event.kind !== 'packet-received'
    this.#suspicions.set(name, {
      incarnation,
      sinceMs: core.turn.nowMs,
      // A smaller pool gives less time. Failed members are listed for days, and counted until the round of probes ends.
      members: Math.min(this.#members, livingIn(core)),
      accusers: new Set(isOwn ? [core.self.name] : []),
    })
  }

  #dies(core: ObservedCore, event: GossipEvent, { name, before, now: { incarnation }, event: since }: Change): void {
    if (before?.state === 'dead' && before.incarnation === incarnation) return
    const isByTime = event.kind === 'timer-fired' && event.timer === 'suspicion'
    if (!isByTime) return this.#law.heldDead(this.#node, name, incarnation, since)
    const suspicion = this.#suspicions.get(name)
    const isOfThis = suspicion?.incarnation === incarnation
    const { timing } = core.options
    this.#law.ended(
      this.#node,
      name,
      incarnation,
      isOfThis
        ? {
            members: suspicion.members,
            accusers: suspicion.accusers.size,
            spanMs: core.turn.nowMs - suspicion.sinceMs,
            timing,
          }
        : undefined,
    )
  }
}

/** Members of the pool that the observer does not consider dead, including itself. */
function livingIn({ members }: ObservedCore): number {
  let living = 0
  for (const { state } of members.values()) if (state !== 'dead') living++
  return living
}
