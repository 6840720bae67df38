import type { GossipEffect, GossipEvent, GossipTimer } from '../../../src/gossip/core/types.ts'
import type { GossipTiming, ObservedCore } from '../../../src/gossip/pool.ts'
import type { FrugalGossip } from './frugal-gossip.ts'

/** So many starts at one end of an interval happen by chance with a probability of e^-24. */
const surprise = 24
/** Pools up to this size exchange full states at the plain interval (memberlist: `pushPullScaleThreshold`). */
const plainExchangesUpTo = 32

const periodic = ['probe', 'gossip', 'push-pull', 'reconnect'] as const
type Periodic = (typeof periodic)[number]

/** Where in its interval one kind of work has begun, by all members of a pool. */
interface Starts {
  times: number
  early: number
  late: number
}

/**
 * M11. Periodic work begins at a random moment of its interval. With u the part of the interval that passes first, each
 * -ln u is drawn from an exponential distribution with mean 1. The sum of n is s or more, with s > n, with a chance below
 * e^(n-s) (s/n)^n (Chernoff); and likewise for 1 - u. Parts of a millisecond are rounded in favour of chance.
 */
export class TimerStarts {
  readonly #law: FrugalGossip
  readonly #of = new Map<Periodic, Starts>()

  constructor(law: FrugalGossip) {
    this.#law = law
  }

  began(observer: string, work: Periodic, delayMs: number, leastMs: number, intervalMs: number): void {
    this.#law.scheduled(observer, work, { isMs: delayMs, leastMs, mostMs: leastMs + intervalMs })
    const starts = this.#of.get(work) ?? { times: 0, early: 0, late: 0 }
    this.#of.set(work, starts)
    const passedMs = Math.max(0, delayMs - leastMs)
    starts.times++
    starts.early -= Math.log(Math.min(1, Math.max(1, passedMs) / intervalMs))
    starts.late -= Math.log(Math.min(1, Math.max(1, intervalMs - passedMs + 1) / intervalMs))
    if (isNoChance(starts.times, starts.early)) this.#law.together(work, starts.times, 'early')
    else if (isNoChance(starts.times, starts.late)) this.#law.together(work, starts.times, 'late')
    else return
    this.#of.delete(work)
  }

  /** The next exchange of a member is set after this time. */
  setExchange(observer: string, delayMs: number, core: ObservedCore): void {
    const { pushPullIntervalMs } = core.options.timing
    const [leastMs, mostMs] = exchangedAfter(core).map((times) => times * pushPullIntervalMs) as [number, number]
    this.#law.scheduled(observer, 'the next exchange', { isMs: delayMs, leastMs, mostMs })
  }
}

function isNoChance(times: number, sum: number): boolean {
  return sum > times && sum - times - times * Math.log(sum / times) > surprise
}

/** The timers of one member that run. */
export class TimerWatch {
  readonly #starts: TimerStarts
  readonly #node: string
  readonly #running = new Set<GossipTimer>()
  #gossipedMs = Number.NEGATIVE_INFINITY

  constructor(starts: TimerStarts, node: string) {
    this.#starts = starts
    this.#node = node
  }

  /** Called after each step. */
  stepped(core: ObservedCore, event: GossipEvent, effects: readonly GossipEffect[]): void {
    const fired = event.kind === 'timer-fired' ? event.timer : undefined
    const { nowMs } = core.turn
    if (fired === 'gossip') this.#gossipedMs = nowMs
    const isGossipRested = nowMs > this.#gossipedMs + core.options.timing.gossipIntervalMs + 1
    for (const effect of effects) {
      if (effect.kind === 'clear-timer') this.#running.delete(effect.timer)
      if (effect.kind !== 'set-timer') continue
      const { timer, delayMs } = effect
      if (timer === 'push-pull' && fired === timer) this.#starts.setExchange(this.#node, delayMs, core)
      // Gossip goes on at its interval after the last round.
      const isStart = timer !== fired && !this.#running.has(timer) && (timer !== 'gossip' || isGossipRested)
      this.#running.add(timer)
      if (isStart) this.#began(core, timer, delayMs)
    }
    if (fired !== undefined && !effects.some((effect) => effect.kind === 'set-timer' && effect.timer === fired))
      this.#running.delete(fired)
  }

  #began(core: ObservedCore, timer: GossipTimer, delayMs: number): void {
    const work = periodic.find((one) => one === timer)
    if (work === undefined) return
    const intervalMs = intervalOf(work, core.options.timing)
    const [least, most] = exchangedAfter(core)
    if (work !== 'push-pull') this.#starts.began(this.#node, work, delayMs, 0, intervalMs)
    // With the size of the pool the exchange comes later by whole intervals.
    else if (least === most) this.#starts.began(this.#node, work, delayMs, (least - 1) * intervalMs, intervalMs)
  }
}

function intervalOf(work: Periodic, timing: GossipTiming): number {
  if (work === 'probe') return timing.probeIntervalMs
  if (work === 'gossip') return timing.gossipIntervalMs
  return work === 'push-pull' ? timing.pushPullIntervalMs : timing.reconnectIntervalMs
}

/**
 * After how many intervals a pool of this size exchanges states: one, and one more for each doubling beyond 32. Members
 * that died lately may count or not.
 */
function exchangedAfter({ members, failed, left }: ObservedCore): readonly [least: number, most: number] {
  const times = (size: number): number => 1 + Math.ceil(Math.max(0, Math.log2(size / plainExchangesUpTo)))
  return [times(Math.max(1, members.size - failed.length - left.length)), times(members.size)]
}
