import { InvariantViolation } from '../../src/base/invariant.ts'
import { defaultLeafTtlMinMs, defaultSkewMs, leafLeftMinMs } from '../../src/features/connect/limits.ts'
import { AccessFederation } from '../checkers/access/access-federation.ts'
import { cleanDeath } from '../checkers/clean-death.ts'
import type { Facts, NodeTrigger } from '../checkers/facts.ts'
import { Invariants } from '../checkers/invariants.ts'
import { sumOfJudged } from '../checkers/judged-tally.ts'
import { acknowledgedWrites } from '../checkers/keys/acknowledged-writes.ts'
import type { History } from '../checkers/keys/history-file.ts'
import { linearizableKeys } from '../checkers/keys/linearizable-keys.ts'
import { inOrder } from '../checkers/marks.ts'
import { PkiChains } from '../checkers/mesh/mesh-chains.ts'
import { Membership } from '../checkers/pool/membership.ts'
import { leadership } from '../checkers/raft/leadership.ts'
import { reachedStates } from '../checkers/rare-states.ts'
import { failureOf, type RunFailure, type RunResult } from '../report/run-report.ts'
import type { Simulation } from '../simulation/simulation.ts'
import type { ShownAnswer } from '../world/kernel.ts'
import type { DrivenExchange } from './driver.ts'
import type { Scenario } from './language/scenario-schema.ts'
import { sumOf } from './observed.ts'
import { diskFacts, networkFacts, type WorldOptions } from './world-of-run.ts'

export interface CheckOptions extends Pick<WorldOptions, 'loaded' | 'platform'> {
  /** Maximum number of steps in the search for an order of the operations on one key; absent: the usual limit. */
  readonly searchStepsMax?: number | undefined
  /** Keep what clients asked of keys and learnt, for the result; otherwise memory does not grow with it. */
  readonly keepsHistory?: boolean | undefined
}

/** What the checkers of a run ask of it. */
interface CheckedCluster {
  readonly datacenterOf: (node: string) => string
  /** True time since which the agent has reached a server without a break; undefined: it reaches none. */
  readonly reachingSinceUs: (agent: string) => number | undefined
  /** True time since which the agent reaches its leader, and nothing ails either. */
  readonly contactSinceUs: (agent: string) => number | undefined
  /** True time since which each server of the datacenter has reached one of the first; undefined: one does not. */
  readonly reachingFirstSinceUs: (datacenter: string) => number | undefined
  readonly onTrigger: (trigger: NodeTrigger, node: string) => void
}

type CheckedResult = Pick<
  RunResult,
  'failures' | 'undecided' | 'elections' | 'writesAcknowledged' | 'judged' | 'marks' | 'marksAtUs' | 'history'
>

const renewal = /^\/v1\/session\/renew\/([^/?]+)/
const ok = 200
const serverError = 500

/** A fact that says all by its name. */
const nothing = {}

/** The checkers of all datacenters of a run, and what they share. */
export class RunChecks {
  readonly byDatacenter: ReadonlyMap<string, Invariants>
  readonly #all: readonly Invariants[]
  /** Of the first datacenter. */
  readonly first: Invariants
  /** The pool of the servers of all datacenters. */
  readonly #wan: Membership | undefined
  readonly #datacenterOf: (node: string) => string
  readonly #nowUs: () => number
  readonly #keepsHistory: boolean
  /** Asked for several times in every turn. */
  #hasViolations = false

  constructor(options: CheckOptions, simulation: Simulation, world: CheckedCluster) {
    const { scenario } = options.loaded
    const datacenters = Object.keys(scenario.cluster)
    this.#datacenterOf = world.datacenterOf
    this.#nowUs = () => simulation.nowUs
    this.#keepsHistory = options.keepsHistory === true
    this.#wan = datacenters.length < 2 ? undefined : this.#newWan(scenario, simulation, world)
    const mesh = meshWorld(options, simulation)
    const federation = datacenters.length < 2 ? undefined : new AccessFederation()
    const newChecks = (datacenter: string): Invariants =>
      new Invariants({
        nowUs: () => simulation.nowUs,
        staleDefaultMs: scenario.excuses?.['stale default reads'] ?? 0,
        searchStepsMax: options.searchStepsMax,
        keepsHistory: this.#keepsHistory,
        network: networkFacts(scenario),
        disk: diskFacts(scenario),
        wan: this.#wan,
        excusesLostMajority: scenario.excuses?.['majority lost'] === true,
        mesh,
        resolution: world,
        // One that is apart may have the name of another.
        federation: scenario.cluster[datacenter]?.apart === true ? undefined : federation,
        contactSinceUs: world.contactSinceUs,
        onTrigger: world.onTrigger,
        onViolation: ({ code, message }, because) => {
          this.#hasViolations = true
          simulation.tellViolation(code, message, because)
        },
        eventNow: () => simulation.trace.factNow,
      })
    this.byDatacenter = new Map(datacenters.map((datacenter) => [datacenter, newChecks(datacenter)]))
    this.#all = [...this.byDatacenter.values()]
    this.first = this.of(datacenters[0] ?? '')
  }

  of(datacenter: string): Invariants {
    const checks = this.byDatacenter.get(datacenter)
    if (checks === undefined)
      throw new InvariantViolation('a datacenter that the scenario does not have', { datacenter })
    return checks
  }

  #checksOf(node: string): Invariants {
    return this.of(this.#datacenterOf(node))
  }

  get hasViolations(): boolean {
    return this.#hasViolations
  }

  /** Every text that an agent shows goes to the checkers of all datacenters, each of which has its own keys. */
  said(node: string, where: string, text: () => string, answer?: ShownAnswer): void {
    if (answer !== undefined) this.#checksOf(node).tell('answer shown', { node, where, text, ...answer })
    for (const checks of this.#all) checks.tell('text shown', { node, where, text })
  }

  /** Steps and tests of the library may renew sessions, too. The session may be of any datacenter (`?dc=`). */
  exchanged({ target, calledUs, status = serverError }: DrivenExchange): void {
    const id = renewal.exec(target)?.[1]
    if (id === undefined) return
    const answeredUs = this.#nowUs()
    for (const checks of this.#all) {
      if (status === ok) checks.tell('session renewed', { id, calledUs, answeredUs })
      else if (status >= serverError) checks.tell('renewal attempted', { id, untilUs: answeredUs })
    }
  }

  turnEnded(): void {
    for (const checks of this.#all) checks.tell('turn ended', nothing)
  }

  lookedAround(look: Facts['network looked at']): void {
    for (const checks of this.#all) checks.tell('network looked at', look)
    this.#wan?.look(look.isTroubled)
  }

  /** What a process reports of itself, told to the checkers of its datacenter. */
  told(node: string, what: string): void {
    this.#checksOf(node).tell('process told', { node, what })
  }

  /** What a proxy of the mesh reports of itself, which is of no datacenter. */
  proxyTold(what: string): void {
    for (const checks of this.#all) checks.tell('proxy told', { what })
  }

  /** The run is over. */
  end(hasFailed: () => boolean): void {
    for (const checks of this.#all) checks.end(hasFailed)
  }

  failures(): readonly RunFailure[] {
    return this.#all.flatMap(({ violations }) => violations.map(failureOf))
  }

  /** `about`: the run, as the history of its keys names it. */
  result(about: string): CheckedResult {
    const all = this.#all
    return {
      failures: this.failures(),
      undecided: all.flatMap((checks) => checks.of(linearizableKeys).undecided),
      elections: sumOf(all, (checks) => checks.of(leadership).electionCount),
      writesAcknowledged: sumOf(all, (checks) => checks.of(acknowledgedWrites).count),
      judged: sumOfJudged(all.map((checks) => checks.tally.counts)),
      ...this.#marks(all),
      history: this.#keepsHistory ? this.#history(about) : undefined,
    }
  }

  #history(about: string): History {
    const operations = this.#all.flatMap((checks) => checks.of(linearizableKeys).judged)
    operations.sort((one, other) => one.callUs - other.callUs)
    return { about, staleDefaultUs: this.first.of(linearizableKeys).staleDefaultUs, operations }
  }

  /** A state counts from when the first datacenter was in it. */
  #marks(all: readonly Invariants[]): Pick<RunResult, 'marks' | 'marksAtUs'> {
    const atUs = new Map<string, number>()
    for (const checks of all) {
      for (const [mark, at] of checks.of(reachedStates).atUs) atUs.set(mark, Math.min(at, atUs.get(mark) ?? at))
    }
    const marks = inOrder(atUs.keys())
    return { marks, marksAtUs: marks.map((mark) => Math.round(atUs.get(mark) ?? 0)) }
  }

  #newWan(scenario: Scenario, simulation: Simulation, { datacenterOf }: CheckedCluster): Membership {
    return new Membership({
      // Told by the checkers of the first datacenter, which are made after it.
      judge: {
        report: (...told) => this.first.report(...told),
        eventNow: () => this.first.eventNow(),
        judged: (code, count, subjects) => this.first.judged(code, count, subjects),
        excused: (...use) => this.first.excused(...use),
      },
      nowUs: () => simulation.nowUs,
      network: networkFacts(scenario),
      acted: (node, boot) => this.of(datacenterOf(node)).of(cleanDeath).acted(node, boot, 'took a step as a member'),
    })
  }
}

/** One for all datacenters: proxies of each connect to those of the others. */
function meshWorld({ loaded, platform }: CheckOptions, simulation: Simulation) {
  const { skew: skewMs = defaultSkewMs, 'leaf ttl': leafTtlMinMs = defaultLeafTtlMinMs } = loaded.scenario.mesh ?? {}
  return {
    chains: new PkiChains(platform),
    lostKeys: new Set<string>(),
    startWallMs: simulation.startWallMs,
    skewMs,
    lastMomentsMs: skewMs + leafLeftMinMs({ leafTtlMinMs }),
    after: (delayMs: number, then: () => void) => void simulation.after(delayMs, then),
  }
}
