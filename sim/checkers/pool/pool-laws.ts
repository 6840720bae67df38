import type { Report } from '../checker.ts'
import { type Coordinates, coordinates } from './coordinates.ts'
import { type DeathDetection, deathDetection } from './death-detection.ts'
import { type GoneMembers, goneMembers } from './gone-members.ts'
import { type Incarnations, incarnations } from './incarnations.ts'
import { type LocalHealth, localHealth } from './local-health.ts'
import { type NetworkFacts, PoolWeather } from './pool-weather.ts'

export interface PoolLawsParts {
  readonly report: Report<'M3' | 'M4' | 'M5' | 'M6' | 'M7'>
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
    this.incarnations = incarnations.by(report)
    this.detection = deathDetection.by(report)
    this.gone = goneMembers.by(report)
    this.health = localHealth.by(report)
    this.coordinates = coordinates.by(report)
    this.rttMs = network.rttMs
    this.isNetworkGood = network.loss <= 0.05 && network.rttMaxMs <= 250
    this.nowUs = nowUs
    this.acted = acted
  }
}
