import type { GossipTiming, PoolObserver } from '../../src/gossip/pool.ts'
import { Coordinates } from './coordinates.ts'
import { DeathDetection } from './death-detection.ts'
import { GoneMembers } from './gone-members.ts'
import { Incarnations } from './incarnations.ts'
import { LocalHealth } from './local-health.ts'
import { MemberObserver, type PoolLaws } from './member-observer.ts'
import { agreementBoundMs } from './pool-bounds.ts'
import { PoolWeather } from './pool-weather.ts'
import type { Report } from './violation.ts'

/** Time between two looks at what should have happened by now. */
const lookEveryUs = 100_000

/** The links of a run, when nothing is wrong with them. */
export interface NetworkFacts {
  /** Mean time that a ping and its answer take. */
  readonly rttMs: number
  /** The longest. */
  readonly rttMaxMs: number
  /** Chance that a datagram is lost. */
  readonly loss: number
}

/** M3 to M7, of the pool of one run: told by each member's observer, and asked to look now and then. */
export class Membership implements PoolLaws {
  readonly weather = new PoolWeather()
  readonly incarnations: Incarnations
  readonly detection: DeathDetection
  readonly gone: GoneMembers
  readonly health: LocalHealth
  readonly coordinates: Coordinates
  readonly isNetworkGood: boolean
  readonly nowUs: () => number
  readonly acted: (node: string, boot: number) => boolean
  readonly #network: NetworkFacts
  readonly #observers = new Map<string, MemberObserver>()
  #nextLookUs = 0

  constructor(parts: {
    readonly report: Report
    readonly nowUs: () => number
    readonly network: NetworkFacts
    readonly acted: (node: string, boot: number) => boolean
  }) {
    const { report, network } = parts
    this.nowUs = parts.nowUs
    this.#network = network
    this.acted = parts.acted
    this.isNetworkGood = network.loss <= 0.05 && network.rttMaxMs <= 250
    this.incarnations = new Incarnations(report)
    this.detection = new DeathDetection(report)
    this.gone = new GoneMembers(report)
    this.health = new LocalHealth(report)
    this.coordinates = new Coordinates(report)
  }

  /** A process begins on a node. */
  observerOf(node: string, boot: number): PoolObserver {
    const observer = new MemberObserver(this, { node, boot })
    this.#observers.set(node, observer)
    return observer
  }

  died(node: string): void {
    this.#observers.delete(node)
    this.weather.died(node, this.nowUs())
  }

  /** After each turn; most of them are no time for it. */
  look(isTroubled: () => boolean): void {
    const nowUs = this.nowUs()
    if (nowUs < this.#nextLookUs) return
    this.#nextLookUs = nowUs + lookEveryUs
    this.weather.look(nowUs, isTroubled())
    for (const observer of this.#observers.values()) observer.look(nowUs)
  }

  /** Nothing has disturbed the pool for a while. */
  atRest(): void {
    for (const observer of this.#observers.values()) observer.settled(this.#network.rttMs / 1000)
  }

  /** M1, M2: within this the pool must agree once nothing disturbs it. Each agent may have its own timing: the slowest counts. */
  agreementBoundMs(): number {
    const timings = [...this.#observers.values()].flatMap(({ core }): readonly GossipTiming[] =>
      core === undefined ? [] : [core.options.timing],
    )
    const members = Math.max(1, ...[...this.#observers.values()].map(({ core }) => core?.members.size ?? 1))
    return Math.max(0, ...timings.map((timing) => agreementBoundMs(timing, members)))
  }
}
