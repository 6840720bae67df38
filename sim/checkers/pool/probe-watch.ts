import type { GossipAddress, Message } from '../../../src/gossip/core/messages.ts'
import type { GossipEffect, GossipEvent } from '../../../src/gossip/core/types.ts'
import type { ObservedCore } from '../../../src/gossip/pool.ts'
import { NackWatch } from './nack-watch.ts'
import type { EndedProbe, ProbeAnswers } from './probe-answers.ts'

/** A ping on behalf of another member. */
interface Relay {
  readonly asker: GossipAddress
  readonly askerSequence: number
  readonly wantsNack: boolean
  /** Until when the answer is relayed, by the member's own clock. */
  readonly untilMs: number
}

type PacketReceived = Extract<GossipEvent, { readonly kind: 'packet-received' }>
type Sent = Extract<GossipEffect, { readonly kind: 'send' }>

/** Maximum number of remembered relays, the newest: more than any member has under way. */
const relaysMax = 512

/** The pings of one member, and their results by packets alone. */
export class ProbeWatch {
  readonly #law: ProbeAnswers
  readonly #node: string
  #probe: ObservedCore['probe']
  /** Sequence number of the present probe's ping. */
  #sequence = -1
  #heard: EndedProbe['heard']
  /** Whether the number of its first ping is known. */
  #isNumbered = false
  readonly #nacks: NackWatch
  /** By sequence number of the ping. */
  readonly #relays = new Map<number, Relay>()

  constructor(law: ProbeAnswers, node: string) {
    this.#law = law
    this.#node = node
    this.#nacks = new NackWatch(law, node)
  }

  /** Called after each step. */
  stepped(core: ObservedCore, event: GossipEvent, effects: readonly GossipEffect[]): void {
    this.#nacks.begins(core, event)
    if (event.kind === 'packet-received') this.#packet(core, event, effects)
    else if (event.kind === 'stream-ping-finished') this.#stream(event.sequence, event.answered)
    for (const effect of effects) if (effect.kind === 'send') this.#said(core, event, effect)
    this.#nacks.ends(core, effects)
    if (!this.#isNumbered) this.#number(effects)
    if (core.probe !== this.#probe) this.#next(core, effects)
    else if (event.kind === 'timer-fired' && event.timer === 'probe') this.#asks(core, effects)
  }

  #number(effects: readonly GossipEffect[]): void {
    for (const effect of effects) {
      const first = effect.kind === 'send' ? effect.messages[0] : undefined
      if (first?.kind !== 'ping') continue
      this.#isNumbered = true
      return this.#law.began(this.#node, first.sequence)
    }
  }

  /** The probe goes on without an answer: other members are asked to ping its target. */
  #asks({ self, members, probe }: ObservedCore, effects: readonly GossipEffect[]): void {
    if (probe?.phase !== 'indirect') return
    const asked = effects.filter((effect) => effect.kind === 'send' && effect.messages[0]?.kind === 'indirect-ping')
    const others = [...members.values()].filter((one) => one.state === 'alive' && one !== self && one !== probe.target)
    this.#law.asked(this.#node, probe.target.name, asked.length, others.length)
  }

  #stream(sequence: number, isAnswered: boolean): void {
    if (isAnswered && sequence === this.#sequence) this.#heard ??= 'over a stream'
  }

  #packet(core: ObservedCore, { from, messages }: PacketReceived, effects: readonly GossipEffect[]): void {
    const { nowMs } = core.turn
    for (const message of messages) {
      if (message.kind === 'ack' && message.sequence === this.#sequence) this.#heard = 'by packet'
      else if (message.kind === 'ack') this.#acked(message.sequence, nowMs, effects)
      else if (message.kind === 'indirect-ping') this.#asked(from, message, core, effects)
    }
  }

  #acked(sequence: number, nowMs: number, effects: readonly GossipEffect[]): void {
    this.#nacks.answered(sequence)
    const relay = this.#relays.get(sequence)
    if (relay === undefined || nowMs >= relay.untilMs) return
    const { asker, askerSequence } = relay
    this.#law.relayed(this.#node, asker, askerSequence, says('ack', askerSequence, asker, effects))
  }

  #asked(
    asker: GossipAddress,
    { sequence: askerSequence, target, node, nack: wantsNack }: Extract<Message, { readonly kind: 'indirect-ping' }>,
    core: ObservedCore,
    effects: readonly GossipEffect[],
  ): void {
    const { nowMs } = core.turn
    for (const effect of effects) {
      const ping = effect.kind === 'send' ? effect.messages[0] : undefined
      if (ping?.kind !== 'ping' || ping.node !== node || this.#relays.has(ping.sequence)) continue
      if (effect.kind !== 'send' || !isAt(effect.to, target)) continue
      if (this.#relays.size >= relaysMax) this.#forgetOldest()
      const untilMs = nowMs + core.options.timing.probeTimeoutMs
      this.#relays.set(ping.sequence, { asker, askerSequence, wantsNack, untilMs })
      if (wantsNack) this.#nacks.asked(ping.sequence, asker, askerSequence, nowMs)
      return
    }
    if (wantsNack && this.#hasLeft(core, node, target))
      this.#law.turnedDown(this.#node, asker, askerSequence, says('nack', askerSequence, asker, effects))
  }

  /** Such a member is not pinged, even for another. */
  #hasLeft({ members }: ObservedCore, node: string, target: GossipAddress): boolean {
    const member = members.get(node)
    return member?.status === 'left' && isAt(member.address, target)
  }

  #forgetOldest(): void {
    const [oldest] = this.#relays.keys()
    if (oldest !== undefined) this.#relays.delete(oldest)
  }

  #said(core: ObservedCore, event: GossipEvent, { to, messages }: Sent): void {
    const [said] = messages
    if (said?.kind === 'ack') {
      this.#law.said(this.#node, 'ack', said.sequence, to, this.#isAnswer(core, event, said.sequence, to))
    } else if (said?.kind === 'nack') {
      this.#law.said(this.#node, 'nack', said.sequence, to, this.#isSilence(event, said.sequence, to))
      this.#nacks.said(core, said.sequence, to)
    }
  }

  /**
   * Whether the member was just pinged itself, or has just received the answer for the prober that asked it to ping.
   */
  #isAnswer(core: ObservedCore, event: GossipEvent, sequence: number, to: GossipAddress): boolean {
    if (event.kind !== 'packet-received') return false
    return event.messages.some((message) => {
      if (message.kind === 'ping') {
        const isForMe = message.node === '' || message.node === core.self.name
        return isForMe && message.sequence === sequence && isAt(event.from, to)
      }
      const relay = message.kind === 'ack' ? this.#relays.get(message.sequence) : undefined
      if (message.kind !== 'ack' || relay?.askerSequence !== sequence || !isAt(relay.asker, to)) return false
      this.#relays.delete(message.sequence)
      return true
    })
  }

  /**
   * Whether the nack is about a member that was to be pinged and has not answered, or has left and is not contacted.
   */
  #isSilence(event: GossipEvent, sequence: number, to: GossipAddress): boolean {
    for (const { asker, askerSequence, wantsNack } of this.#relays.values()) {
      if (wantsNack && askerSequence === sequence && isAt(asker, to)) return true
    }
    return (
      event.kind === 'packet-received' &&
      isAt(event.from, to) &&
      event.messages.some(
        (message) => message.kind === 'indirect-ping' && message.nack && message.sequence === sequence,
      )
    )
  }

  #next(core: ObservedCore, effects: readonly GossipEffect[]): void {
    const over = this.#probe
    if (over !== undefined && this.#sequence >= 0) {
      const isReached = over.phase === 'answered'
      const { name } = over.target
      this.#law.ended({ observer: this.#node, name, sequence: this.#sequence, heard: this.#heard, isReached })
    }
    this.#probe = core.probe
    this.#heard = undefined
    this.#sequence = core.probe === undefined ? -1 : numberOfPing(core.probe.target.name, effects)
  }
}

/** The number of the ping to this member; -1: no ping is among the effects, because it left before it was observed. */
export function numberOfPing(name: string, effects: readonly GossipEffect[]): number {
  for (const effect of effects) {
    const first = effect.kind === 'send' ? effect.messages[0] : undefined
    if (first?.kind === 'ping' && first.node === name) return first.sequence
  }
  return -1
}

function says(kind: 'ack' | 'nack', sequence: number, to: GossipAddress, effects: readonly GossipEffect[]): boolean {
  return effects.some((effect) => {
    const said = effect.kind === 'send' && isAt(effect.to, to) ? effect.messages[0] : undefined
    return said?.kind === kind && said.sequence === sequence
  })
}

function isAt(one: GossipAddress, other: GossipAddress): boolean {
  return one.port === other.port && one.host === other.host
}
