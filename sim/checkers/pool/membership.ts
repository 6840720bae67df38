import type { GossipTiming, ObservedCore, PoolObserver } from '../../../src/gossip/pool.ts'
import { checker } from '../checker.ts'
import { cleanDeath } from '../clean-death.ts'
import { coordinates } from './coordinates.ts'
import { deathDetection } from './death-detection.ts'
import { deathGrounds } from './death-grounds.ts'
import { frugalGossip } from './frugal-gossip.ts'
import { goneMembers } from './gone-members.ts'
import { incarnations } from './incarnations.ts'
import { localHealth } from './local-health.ts'
import { MemberObserver } from './member-observer.ts'
import { packetAddresses } from './packet-addresses.ts'
import { passingOn } from './passing-on.ts'
import { agreementBoundMs, exchangedWithinMs, leaveKnownBoundMs, spreadWithinMs } from './pool-bounds.ts'
import { PoolLaws, type PoolLawsParts } from './pool-laws.ts'
import type { PoolFault } from './pool-views.ts'
import { probeAnswers } from './probe-answers.ts'
import { statusTimes } from './status-times.ts'
import { toldChanges } from './told-changes.ts'

/** Time between two looks at what should have happened by now. */
const lookEveryUs = 100_000

/** M3 to M14 for one pool of a run. Each member's observer reports to it, and it is asked to look at intervals. */
export class Membership {
  readonly laws: PoolLaws
  readonly #observers = new Map<string, MemberObserver>()
  #nextLookUs = 0

  constructor(parts: PoolLawsParts) {
    this.laws = new PoolLaws(parts)
  }

  /** A process begins on a node. */
  observerOf(node: string, boot: number): PoolObserver {
    const observer = new MemberObserver(this.laws, { node, boot })
    this.#observers.set(node, observer)
    return observer
  }

  /** What its running process knows of the pool; undefined: it is not in the pool yet. */
  coreOf(node: string): ObservedCore | undefined {
    return this.#observers.get(node)?.core
  }

  died(node: string): void {
    this.#observers.delete(node)
    this.laws.weather.died(node, this.laws.nowUs(), this.laws.eventNow())
  }

  /** The process of this node is paused from now on. */
  fellAsleep(node: string): void {
    this.laws.weather.fellAsleep(node, this.laws.nowUs())
  }

  woke(node: string): void {
    this.laws.weather.woke(node, this.laws.nowUs())
  }

  /** Since when nothing disturbs the pool; infinite: some running agent does not consider another one alive. */
  wholeSinceUs(): number {
    const cores = [...this.#observers.values()].map(({ core }) => core)
    const isWhole = cores.every(
      (core) =>
        core?.suspects.size === 0 &&
        cores.every((other) => other !== undefined && core.members.get(other.self.name)?.status === 'alive'),
    )
    return isWhole ? this.laws.weather.calmSinceUs : Number.POSITIVE_INFINITY
  }

  /** Whether every running agent has this member, and considers it failed. */
  isFailedForAll(name: string): boolean {
    const cores = [...this.#observers.values()].map(({ core }) => core)
    return cores.length > 0 && cores.every((core) => core?.members.get(name)?.status === 'failed')
  }

  /** V1. Time in which gossip nearly always brings the news of one agent to all others. */
  spreadBoundMs(): number {
    return this.#bySlowest(spreadWithinMs)
  }

  /** V1. Time in which the news also reaches agents that gossip missed, by exchanges of full states. */
  exchangeBoundMs(): number {
    return this.#bySlowest(exchangedWithinMs)
  }

  /** Called after each turn, and mostly does nothing. */
  look(isTroubled: () => boolean): void {
    const nowUs = this.laws.nowUs()
    if (nowUs < this.#nextLookUs) return
    this.#nextLookUs = nowUs + lookEveryUs
    this.laws.weather.look(nowUs, isTroubled())
    for (const observer of this.#observers.values()) observer.look(nowUs)
  }

  /** Nothing has disturbed the pool for a while. */
  atRest(): void {
    for (const observer of this.#observers.values()) observer.settled(this.laws.rttMs / 1000)
  }

  /**
   * M1, M2: time in which the pool must agree once nothing disturbs it. Each agent may have its own timing: the slowest
   * counts.
   */
  agreementBoundMs(): number {
    return this.#bySlowest(agreementBoundMs)
  }

  /** M1, M2: the time limit for these faults: `agreementBoundMs`, or a longer one if only news of leaves is missing. */
  boundMsFor(faults: readonly PoolFault[]): number {
    return this.#bySlowest(faults.every(({ isOfLeave }) => isOfLeave) ? leaveKnownBoundMs : agreementBoundMs)
  }

  #bySlowest(boundMs: typeof agreementBoundMs): number {
    const timings = [...this.#observers.values()].flatMap(({ core }): readonly GossipTiming[] =>
      core === undefined ? [] : [core.options.timing],
    )
    const members = Math.max(1, ...[...this.#observers.values()].map(({ core }) => core?.members.size ?? 1))
    return Math.max(0, ...timings.map((timing) => boundMs(timing, members)))
  }
}

/** The pool of the servers of all datacenters: the run makes it, and each datacenter reports its servers to it. */
export const wanMembership = checker({
  codes: {},
  make: ({ wan }) => wan,
  takes: {
    'process died': (it, { node }) => it?.died(node),
    'process paused': (it, { node }) => it?.fellAsleep(node),
    'process resumed': (it, { node }) => it?.woke(node),
  },
})

/** The pool of the agents of one datacenter. */
export const membership = checker({
  codes: {},
  also: [
    incarnations,
    deathDetection,
    goneMembers,
    localHealth,
    coordinates,
    probeAnswers,
    packetAddresses,
    frugalGossip,
    deathGrounds,
    passingOn,
    statusTimes,
    toldChanges,
  ],
  make: (run) =>
    new Membership({
      judge: run,
      nowUs: run.nowUs,
      network: run.network,
      acted: (node, boot) => run.of(cleanDeath).acted(node, boot, 'took a step as a member'),
    }),
  takes: {
    'process died': (it, { node }) => it.died(node),
    'process paused': (it, { node }) => it.fellAsleep(node),
    'process resumed': (it, { node }) => it.woke(node),
    // While it takes part, the pool is as disturbed as while a member sleeps.
    'stranger came': (it, { node }) => it.fellAsleep(node),
    'stranger went': (it, { node }) => it.woke(node),
    'network looked at': (it, { isTroubled }) => it.look(isTroubled),
  },
})
