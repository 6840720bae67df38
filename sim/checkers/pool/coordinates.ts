import {
  type Coordinate,
  coordinateErrorMax,
  coordinateHeightMin,
  distanceBetween,
  isCoordinate,
} from '../../../src/model/coordinate.ts'
import { type Judge, law } from '../checker.ts'

/**
 * Longest round-trip time that counts as one of the network's, in seconds. The adjustment is half the mean of the last
 * differences between such times and distances, and distances follow times.
 */
const rttMaxSeconds = 10
/** Number of answered pings after which a coordinate has settled, if nothing has disturbed the pool meanwhile. */
const settledAfter = 60
/**
 * Maximum relative error of a settled estimate, to at least one in three of the others. Without any knowledge an
 * estimate is nearly 0, so its error is the whole time. The bound is not for more of the others: all begin at one
 * point, and in a small pool they may come to lie on one line, which no ping leads away from. There, no agent is as far
 * from three others as from one.
 */
const settledError = 0.8
const settledShare = 1 / 3
/**
 * Before its coordinate has settled, every agent has once stated an error of at most this. The error begins with 1.5,
 * and each measurement makes it a mean of what it was and the relative error of that measurement. In a network whose
 * round-trip times differ fifty-fold, a single measurement can make it rise again, so the present error is not judged.
 */
const statedErrorMax = 1

/**
 * M7. Each agent's coordinate consists of numbers within bounds. An agent keeps the coordinates of others by which its
 * own moved, and estimates improve with time.
 */
export class Coordinates {
  readonly #judge: Judge<{ M7: 'not settled' }>
  /** By observer, the least error that its process has stated. */
  readonly #leastError = new Map<string, number>()

  constructor(judge: Judge<{ M7: 'not settled' }>) {
    this.#judge = judge
  }

  /** Another process of the observer begins. */
  began(observer: string): void {
    this.#leastError.delete(observer)
  }

  /**
   * The agent's coordinate moved by the answer to a ping, which carried the coordinate of `of`. `isKept`: the agent
   * keeps that coordinate.
   */
  placed(observer: string, own: Coordinate, of: string, isKept: boolean): void {
    this.#judge.judged('M7')
    if (!isKept) this.#judge.report('M7', `${observer} has moved by the coordinate of ${of}, but has not stored it`)
    const { error, adjustment, height } = own
    this.#leastError.set(observer, Math.min(error, this.#leastError.get(observer) ?? error))
    const isWell =
      isCoordinate(own) &&
      error >= 0 &&
      error <= coordinateErrorMax &&
      Math.abs(adjustment) <= rttMaxSeconds &&
      height >= coordinateHeightMin
    if (isWell) return
    const numbers = `error ${error}, adjustment ${adjustment}, height ${height}, at ${own.vec.join(' ')}`
    this.#judge.report('M7', `${observer} has an invalid coordinate: ${numbers}`)
  }

  /**
   * Called at rest, after enough answered pings without disturbance. `others`: the coordinates of living members that
   * the agent keeps; `alive`: number of living members; `rttSeconds`: the mean round-trip time of this network.
   */
  settled(
    observer: string,
    own: Coordinate,
    others: readonly Coordinate[],
    { samples, rttSeconds, alive }: { readonly samples: number; readonly rttSeconds: number; readonly alive: number },
  ): void {
    if (alive === 0) return
    if (samples < settledAfter) {
      this.#judge.excused('M7', 'not settled')
      return
    }
    this.#judge.judged('M7')
    const least = this.#leastError.get(observer) ?? own.error
    if (least > statedErrorMax) {
      const ever = `never stated an error below ${least.toFixed(2)}`
      this.#judge.report('M7', `${observer} has ${ever}, after ${samples} answered pings`)
    }
    // Each of these answers carried the coordinate of the member that answered.
    if (others.length === 0) {
      this.#judge.report('M7', `${observer} stores the coordinate of none of ${alive}, after ${samples} answered pings`)
      return
    }
    const errors = others.map((other) => Math.abs(distanceBetween(own, other) - rttSeconds) / rttSeconds)
    errors.sort((a, b) => a - b)
    const error = errors[Math.ceil(errors.length * settledShare) - 1] ?? 0
    if (error <= settledError) return
    const wrong = `${(error * 100).toFixed(0)} % off ${(rttSeconds * 1000).toFixed(1)} ms`
    this.#judge.report(
      'M7',
      `the estimates of ${observer} are ${wrong} or more for two members in three, after ${samples} answered pings`,
    )
  }
}

export const coordinates = law(
  {
    M7: {
      text: 'coordinates: they stay within bounds and are stored, and their estimates improve',
      sources: ['Vivaldi, section 3', 'docs/reference/coordinates.md#distance'],
      evidence: ['probes'],
      judges: ['coordinate', 'coordinates'],
      excuses: {
        'not settled':
          'Estimates at rest of an agent with fewer than 60 answered pings since the pool was disturbed; until it has them.',
      },
    },
  },
  (judge) => new Coordinates(judge),
)
