import type { GossipAddress } from '../../../src/gossip/core/messages.ts'
import type { GossipEffect, GossipEvent } from '../../../src/gossip/core/types.ts'
import type { ObservedCore } from '../../../src/gossip/pool.ts'
import type { ProbeAnswers } from './probe-answers.ts'

/** A nack that the member owes to a prober, unless the answer comes first. */
interface Owed {
  readonly asker: GossipAddress
  readonly askerSequence: number
  /** By the member's own clock. */
  readonly askedMs: number
  /** When it was first seen to be overdue. */
  overdueMs: number
}

/** Timers that fire later than this show that the process was paused. */
const lateMs = 5
/** After a pause, all that was due meanwhile happens within this time. */
const catchUpMs = 50
/** More than any member has under way. */
const owedMost = 512

/** The nacks that one member owes, and when it sends them. */
export class NackWatch {
  readonly #law: ProbeAnswers
  readonly #node: string
  /** By the number of the member's own ping, in the order of the requests. */
  readonly #owed = new Map<number, Owed>()
  /** When the timer of relays is due. */
  #dueMs = Number.POSITIVE_INFINITY
  #isLate = false
  /** The present step is that of the timer of relays. */
  #isFired = false

  constructor(law: ProbeAnswers, node: string) {
    this.#law = law
    this.#node = node
  }

  /** The member was asked to ping another one, and to say so if there is no answer. */
  asked(sequence: number, asker: GossipAddress, askerSequence: number, askedMs: number): void {
    if (this.#owed.size >= owedMost) this.#owed.clear()
    this.#owed.set(sequence, { asker, askerSequence, askedMs, overdueMs: Number.POSITIVE_INFINITY })
  }

  /** The ping was answered. */
  answered(sequence: number): void {
    this.#owed.delete(sequence)
  }

  /**
   * The member sends a nack. If it sends one in another step than that of its timer, the target has left, which is said
   * at once. That may answer a copy of a request to which another nack is still owed.
   */
  said(core: ObservedCore, askerSequence: number, to: GossipAddress): void {
    if (!this.#isFired) return
    for (const [sequence, owed] of this.#owed) {
      if (owed.askerSequence !== askerSequence || owed.asker.host !== to.host || owed.asker.port !== to.port) continue
      this.#owed.delete(sequence)
      if (!this.#isLate) this.#silent(core, owed, core.turn.nowMs - owed.askedMs)
      return
    }
  }

  /** Called at the beginning of each step that is looked at. */
  begins({ turn }: ObservedCore, event: GossipEvent): void {
    const isFired = event.kind === 'timer-fired' && event.timer === 'relay'
    this.#isLate = isFired && turn.nowMs - this.#dueMs > lateMs
    this.#isFired = isFired
    if (isFired) this.#dueMs = Number.POSITIVE_INFINITY
  }

  /** Called after each step. */
  ends(core: ObservedCore, effects: readonly GossipEffect[]): void {
    const { nowMs } = core.turn
    for (const effect of effects)
      if (effect.kind === 'set-timer' && effect.timer === 'relay') this.#dueMs = nowMs + effect.delayMs
    for (const [sequence, owed] of this.#owed) {
      if (nowMs - owed.askedMs <= core.options.timing.probeTimeoutMs) return
      if (owed.overdueMs === Number.POSITIVE_INFINITY) owed.overdueMs = nowMs
      if (nowMs - owed.overdueMs < catchUpMs) continue
      this.#owed.delete(sequence)
      this.#silent(core, owed, undefined)
    }
  }

  #silent({ options }: ObservedCore, { asker, askerSequence }: Owed, afterMs: number | undefined): void {
    this.#law.silent(this.#node, asker, askerSequence, { afterMs, timeoutMs: options.timing.probeTimeoutMs })
  }
}
