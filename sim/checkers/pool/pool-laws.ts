import type { Report } from '../violation.ts'
import { Coordinates } from './coordinates.ts'
import { DeathDetection } from './death-detection.ts'
import { GoneMembers } from './gone-members.ts'
import { Incarnations } from './incarnations.ts'
import { LocalHealth } from './local-health.ts'
import { PoolWeather } from './pool-weather.ts'

/** The links of a run, when nothing is wrong with them. */
export interface NetworkFacts {
  /** Mean time that a ping and its answer take. */
  readonly rttMs: number
  /** The longest. */
  readonly rttMaxMs: number
  /** Chance that a datagram is lost. */
  readonly loss: number
}

export interface PoolLawsParts {
  readonly report: Report
  readonly nowUs: () => number
  readonly network: NetworkFacts
  /** Whether what this boot does counts. */
  readonly acted: (node: string, boot: number) => boolean
}

/** The checkers of one pool, and what they rest on. */
export class PoolLaws {
  readonly weather = new PoolWeather()
  readonly incarnations: Incarnations
  readonly detection: DeathDetection
  readonly gone: GoneMembers
  readonly health: LocalHealth
  readonly coordinates: Coordinates
  /** Mean time that a ping and its answer take. */
  readonly rttMs: number
  /** A ping is answered in good time, and seldom lost. */
  readonly isNetworkGood: boolean
  readonly nowUs: () => number
  readonly acted: (node: string, boot: number) => boolean

  constructor({ report, nowUs, network, acted }: PoolLawsParts) {
    this.incarnations = new Incarnations(report)
    this.detection = new DeathDetection(report)
    this.gone = new GoneMembers(report)
    this.health = new LocalHealth(report)
    this.coordinates = new Coordinates(report)
    this.rttMs = network.rttMs
    this.isNetworkGood = network.loss <= 0.05 && network.rttMaxMs <= 250
    this.nowUs = nowUs
    this.acted = acted
  }
}
