import type { Message } from '../../../src/gossip/core/messages.ts'
import type { GossipEffect, GossipEvent } from '../../../src/gossip/core/types.ts'
import type { ObservedCore } from '../../../src/gossip/pool.ts'
import { type Judge, law } from '../checker.ts'

/** Times of a process are fractions of milliseconds, and sums of them are rounded. */
const roundingMs = 0.01

/**
 * M11. Gossip costs what the settings say:
 * 1. A member begins an exchange of full states at most once in an interval by its own clock, which pools of more than
 *    32 members only lengthen. The first one after it was alone comes at a random time.
 * 2. A packet has each message once: a broadcast that was taken for a packet is not taken for it again.
 * 3. Periodic work begins at a random moment of its interval, so that members that learned something together do not
 *    act together (`timer-starts`). Pools of more than 32 members exchange states less often.
 */
export class FrugalGossip {
  readonly #judge: Judge<{ M11: never }>
  /** By observer, when it last began an exchange, by its own clock. */
  readonly #exchangedMs = new Map<string, number>()

  constructor(judge: Judge<{ M11: never }>) {
    this.#judge = judge
  }

  /** Another process of the observer begins, with another clock. */
  began(observer: string): void {
    this.#exchangedMs.delete(observer)
  }

  /** Called after each step. */
  stepped(
    observer: string,
    { turn: { nowMs }, options }: Pick<ObservedCore, 'turn' | 'options'>,
    event: GossipEvent,
    effects: readonly GossipEffect[],
  ): void {
    for (const effect of effects) if (effect.kind === 'send') this.#sent(observer, effect.messages)
    if (event.kind !== 'timer-fired' || event.timer !== 'push-pull') return
    // Without other members, the timer is set at random when one comes.
    if (!effects.some((effect) => effect.kind === 'set-timer' && effect.timer === 'push-pull')) {
      this.#exchangedMs.delete(observer)
      return
    }
    this.#exchanged(observer, nowMs, options.timing.pushPullIntervalMs)
  }

  #exchanged(observer: string, nowMs: number, intervalMs: number): void {
    const beforeMs = this.#exchangedMs.get(observer)
    this.#exchangedMs.set(observer, nowMs)
    if (beforeMs === undefined) return
    this.#judge.judged('M11')
    const gapMs = nowMs - beforeMs
    if (gapMs > intervalMs - roundingMs) return
    const gap = `${gapMs.toFixed(0)} ms after the last one`
    this.#judge.report('M11', `${observer} exchanges full states ${gap}, in spite of an interval of ${intervalMs} ms`)
  }

  /** A member begins periodic work, or has set its next exchange, after a time that must lie in this range. */
  scheduled(observer: string, work: string, { isMs, leastMs, mostMs }: Scheduled): void {
    this.#judge.judged('M11')
    // Timers are set to whole milliseconds.
    if (isMs >= leastMs && isMs <= mostMs + 1) return
    this.#judge.report('M11', `${observer} sets the timer of ${work} to ${isMs} ms, not to ${leastMs} to ${mostMs} ms`)
  }

  /** Members began some periodic work so often at one end of its interval that this is no chance. */
  together(work: string, times: number, end: 'early' | 'late'): void {
    this.#judge.judged('M11')
    this.#judge.report('M11', `members begin ${work} ${end} in its interval ${times} times, not at random`)
  }

  #sent(observer: string, messages: readonly Message[]): void {
    if (messages.length < 2) return
    this.#judge.judged('M11')
    const twice = messages.find((message, at) => messages.indexOf(message) !== at)
    if (twice !== undefined)
      this.#judge.report('M11', `${observer} sends a packet that has the same ${twice.kind} twice`)
  }
}

interface Scheduled {
  readonly isMs: number
  readonly leastMs: number
  readonly mostMs: number
}

export const frugalGossip = law(
  {
    M11: {
      text: 'frugal gossip: full states are exchanged once in an interval, periodic work begins at a random moment of its own, and a packet has each message once',
      sources: ['docs/reference/configuration.md#fixed-gossip-values', 'SWIM, section 4.1'],
      evidence: ['members', 'probes'],
      judges: ['timer, exchange or packet', 'timers, exchanges and packets'],
    },
  },
  (judge) => new FrugalGossip(judge),
)
