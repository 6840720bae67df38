import {
  type Coordinate,
  coordinateErrorMax,
  coordinateHeightMin,
  difference,
  distanceBetween,
  isCoordinate,
  magnitude,
  originCoordinate,
  rawDistance,
} from '../../model/coordinate.ts'
import type { GossipRandom } from './options.ts'

/** How much one measurement moves a coordinate, and how much it changes its error. */
const positionGain = 0.25
const errorGain = 0.25
const adjustmentWindow = 20
/** Number of last round-trip times to one member, of which the median counts. */
const latencyWindow = 3
/** How strongly all coordinates are drawn to the origin, so that they do not drift together. */
const gravityRho = 150
const nearlyZero = 0.000001
/** Maximum plausible round-trip time of a network. */
const rttMaxSeconds = 10
/** Maximum number of members whose last times are remembered. Beyond that, the oldest one is forgotten. */
const latencyMembersMax = 8_192

/**
 * This agent's coordinate, moved by each answered ping (serf `coordinate.Client`): Vivaldi (Dabek et al., 2004, section
 * 3.2) with a height (section 5.4); an adjustment and a latency filter after Ledlie, Gardner and Seltzer, "Network
 * Coordinates in the Wild" (2007). It uses only sums, products, quotients and square roots, which are the same on every
 * engine.
 */
export class Vivaldi {
  #own: Coordinate = originCoordinate
  readonly #samples: number[] = new Array<number>(adjustmentWindow).fill(0)
  #sampleAt = 0
  readonly #latencies = new Map<string, readonly number[]>()
  resets = 0

  get own(): Coordinate {
    return this.#own
  }

  /**
   * A ping to `node`, which is at `other`, was answered after `rttSeconds`. Returns false if the values are impossible.
   */
  learn(node: string, other: Coordinate, rttSeconds: number, random: GossipRandom): boolean {
    if (!isPlausible(other) || !(rttSeconds >= 0 && rttSeconds <= rttMaxSeconds)) return false
    const rtt = Math.max(nearlyZero, this.#filtered(node, rttSeconds))
    this.#move(other, rtt, random)
    this.#adjust(other, rtt)
    this.#draw(random)
    if (isPlausible(this.#own)) return true
    this.#own = originCoordinate
    this.resets++
    return true
  }

  forget(node: string): void {
    this.#latencies.delete(node)
  }

  #filtered(node: string, rtt: number): number {
    const known = this.#latencies.get(node)
    if (known === undefined && this.#latencies.size >= latencyMembersMax) {
      const [oldest] = this.#latencies.keys()
      if (oldest !== undefined) this.#latencies.delete(oldest)
    }
    const times = [...(known ?? []).slice(1 - latencyWindow), rtt]
    this.#latencies.set(node, times)
    return [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? rtt
  }

  /** Moves this agent's coordinate. The less certain this agent is compared with the other, the farther it moves. */
  #move(other: Coordinate, rtt: number, random: GossipRandom): void {
    const own = this.#own
    const distance = distanceBetween(own, other)
    const wrongness = Math.abs(distance - rtt) / rtt
    const weight = own.error / Math.max(nearlyZero, own.error + other.error)
    const error = errorGain * weight * wrongness + own.error * (1 - errorGain * weight)
    const pushed = push(own, positionGain * weight * (rtt - distance), other, random)
    this.#own = { ...pushed, error: Math.min(coordinateErrorMax, error) }
  }

  #adjust(other: Coordinate, rtt: number): void {
    this.#samples[this.#sampleAt] = rtt - rawDistance(this.#own, other)
    this.#sampleAt = (this.#sampleAt + 1) % adjustmentWindow
    let sum = 0
    for (const sample of this.#samples) sum += sample
    this.#own = { ...this.#own, adjustment: sum / (2 * adjustmentWindow) }
  }

  #draw(random: GossipRandom): void {
    const far = distanceBetween(originCoordinate, this.#own) / gravityRho
    this.#own = push(this.#own, -far * far, originCoordinate, random)
  }
}

/**
 * Whether an agent may be at this coordinate: it is never farther from the origin than the longest time of a ping. serf
 * accepts any finite number, so that one member that claims to be years away ruins the coordinates of all others. With
 * coordinates so near, each difference of a time and a distance is at most twice the longest time, and half the mean of
 * such differences at most that time.
 */
function isPlausible(place: Coordinate): boolean {
  const { error, adjustment, height } = place
  return (
    isCoordinate(place) &&
    error >= 0 &&
    error <= coordinateErrorMax &&
    Math.abs(adjustment) <= rttMaxSeconds &&
    height >= 0 &&
    rawDistance(originCoordinate, place) <= rttMaxSeconds
  )
}

/**
 * Moves away from the other by `force` seconds, or nearer if it is negative. The height moves by no more than the
 * force. serf divides by the distance of the two without their heights: next to an agent at almost the same place (in a
 * small pool all agents may lie on one line and pass one another), one ping would raise the height by any number of
 * seconds.
 */
function push(own: Coordinate, force: number, other: Coordinate, random: GossipRandom): Coordinate {
  const apart = difference(own.vec, other.vec)
  const far = magnitude(apart)
  const isApart = far > nearlyZero
  const unit = isApart ? apart.map((value) => value / far) : anyDirection(own.vec.length, random)
  const vec = own.vec.map((value, at) => value + (unit[at] ?? 0) * force)
  if (!isApart) return { ...own, vec }
  const raised = force * Math.min(1, (own.height + other.height) / far)
  return { ...own, vec, height: Math.max(coordinateHeightMin, own.height + raised) }
}

/** Two agents at one place part in a random direction. */
function anyDirection(dimensions: number, random: GossipRandom): readonly number[] {
  const any = Array.from({ length: dimensions }, () => random.fraction() - 0.5)
  const length = magnitude(any)
  return length > nearlyZero ? any.map((value) => value / length) : any.map((_, at) => (at === 0 ? 1 : 0))
}
