import type { ObservedCore } from '../../../src/gossip/pool.ts'
import type { PoolLaws } from './pool-laws.ts'

/** An accusation counts as caused by a sleep up to this many probe intervals after it. */
const accusesWithin = 10

const never = Number.NEGATIVE_INFINITY

/** One member in the view of M6: its local health, and its actions after a sleep. */
export class Sleeper {
  readonly #all: PoolLaws
  readonly #node: string
  /** The last reported score. */
  #score = -1
  /** The last waking that was judged, for overdue work, and for actions since then. */
  #wokeUs = never
  #judgedWakeUs = never

  constructor(all: PoolLaws, node: string) {
    this.#all = all
    this.#node = node
  }

  scored(score: number): void {
    if (score === this.#score) return
    this.#score = score
    this.#all.health.scored(this.#node, score)
  }

  /** Called at intervals while it is awake. `gone`: number of members that it considers failed or left. */
  look({ options }: ObservedCore, nowUs: number, gone: () => number): void {
    const { weather, health, isNetworkGood } = this.#all
    const wokeUs = weather.awakeSinceUs(this.#node)
    if (wokeUs === never) return
    if (wokeUs !== this.#wokeUs) {
      this.#wokeUs = wokeUs
      this.#all.gone.woke(gone())
    }
    const intervalUs = options.timing.probeIntervalMs * 1000
    if (wokeUs === this.#judgedWakeUs || nowUs - wokeUs <= accusesWithin * intervalUs) return
    this.#judgedWakeUs = wokeUs
    const sleep = weather.onlySleep(this.#node, 2 * intervalUs)
    if (isNetworkGood && sleep !== undefined && wokeUs - sleep.beganUs >= 2 * intervalUs) health.woke()
  }

  /** Its own probe of a member has failed. */
  accused({ options, health }: ObservedCore, name: string, nowUs: number): void {
    const { weather, isNetworkGood, health: law } = this.#all
    const intervalUs = options.timing.probeIntervalMs * 1000
    const wokeUs = weather.isAsleep(this.#node) ? nowUs : weather.awakeSinceUs(this.#node)
    if (weather.downSinceUs(name) !== undefined || nowUs - wokeUs > accusesWithin * intervalUs) return
    // The time of a probe that may have been under way when the previous disturbance ended: a whole one at this health,
    // and one more.
    const sleep = weather.onlySleep(this.#node, 2 * intervalUs * (health + 1))
    if (!isNetworkGood) law.let('lossy network')
    else if (sleep === undefined) law.let('pool disturbed')
    // A shorter sleep may end before the timer of the probe under way is late by an interval, which looks like a slow
    // agent.
    else if (wokeUs - sleep.beganUs < intervalUs * (health + 2)) law.let('short sleep')
    else law.accused(this.#node, name, (nowUs - wokeUs) / 1000)
  }
}
