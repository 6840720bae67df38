import { type ExcusesOf, eventIn, type Judge } from '../checker.ts'
import { type Coordinates, coordinates } from './coordinates.ts'
import { type DeathDetection, deathDetection } from './death-detection.ts'
import { type DeathGrounds, deathGrounds } from './death-grounds.ts'
import { type FrugalGossip, frugalGossip } from './frugal-gossip.ts'
import { type GoneMembers, goneMembers } from './gone-members.ts'
import { type Incarnations, incarnations } from './incarnations.ts'
import { type LocalHealth, localHealth } from './local-health.ts'
import { type PacketAddresses, packetAddresses } from './packet-addresses.ts'
import { type PassingOn, passingOn } from './passing-on.ts'
import { type NetworkFacts, PoolWeather } from './pool-weather.ts'
import { type ProbeAnswers, probeAnswers } from './probe-answers.ts'
import { ReconnectPace } from './reconnect-pace.ts'
import { type StatusTimes, statusTimes } from './status-times.ts'
import { TimerStarts } from './timer-starts.ts'
import { type ToldChanges, toldChanges } from './told-changes.ts'

type PoolLaw =
  | typeof incarnations
  | typeof deathDetection
  | typeof goneMembers
  | typeof localHealth
  | typeof coordinates
  | typeof probeAnswers
  | typeof packetAddresses
  | typeof deathGrounds
  | typeof frugalGossip
  | typeof passingOn
  | typeof statusTimes
  | typeof toldChanges

export interface PoolLawsParts {
  readonly judge: Judge<ExcusesOf<PoolLaw>>
  readonly nowUs: () => number
  readonly network: NetworkFacts
  /** Whether the actions of this boot count. */
  readonly acted: (node: string, boot: number) => boolean
}

/** The checkers of one pool, and the facts on which they rest. */
export class PoolLaws {
  readonly weather = new PoolWeather()
  readonly incarnations: Incarnations
  readonly detection: DeathDetection
  readonly gone: GoneMembers
  readonly health: LocalHealth
  readonly coordinates: Coordinates
  readonly probes: ProbeAnswers
  readonly addresses: PacketAddresses
  readonly grounds: DeathGrounds
  readonly frugal: FrugalGossip
  readonly pace: ReconnectPace
  readonly starts: TimerStarts
  readonly passing: PassingOn
  readonly times: StatusTimes
  readonly told: ToldChanges
  /** Mean round-trip time of a ping. */
  readonly rttMs: number
  /** A ping is answered in time, and rarely lost. */
  readonly isNetworkGood: boolean
  readonly nowUs: () => number
  readonly acted: (node: string, boot: number) => boolean

  /** Number of the present trace event; 0: no trace is recorded. */
  readonly eventNow: () => number

  constructor({ judge, nowUs, network, acted }: PoolLawsParts) {
    this.eventNow = () => eventIn(judge)
    this.incarnations = incarnations.by(judge)
    this.detection = deathDetection.by(judge)
    this.gone = goneMembers.by(judge)
    this.health = localHealth.by(judge)
    this.coordinates = coordinates.by(judge)
    this.probes = probeAnswers.by(judge)
    this.addresses = packetAddresses.by(judge)
    this.grounds = deathGrounds.by(judge)
    this.frugal = frugalGossip.by(judge)
    this.pace = new ReconnectPace(this.gone)
    this.starts = new TimerStarts(this.frugal)
    this.passing = passingOn.by(judge)
    this.times = statusTimes.by(judge)
    this.told = toldChanges.by(judge)
    this.rttMs = network.rttMs
    this.isNetworkGood = network.loss <= 0.05 && network.rttMaxMs <= 250
    this.nowUs = nowUs
    this.acted = acted
  }
}
