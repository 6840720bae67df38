import { InvariantViolation } from '../../src/base/invariant.ts'
import { defaultLeafTtlMinMs, defaultSkewMs, leafLeftMinMs } from '../../src/features/connect/limits.ts'
import { cleanDeath } from '../checkers/clean-death.ts'
import type { HeldState } from '../checkers/held-state.ts'
import { Invariants } from '../checkers/invariants.ts'
import { acknowledgedWrites } from '../checkers/keys/acknowledged-writes.ts'
import { linearizableKeys } from '../checkers/keys/linearizable-keys.ts'
import { reachedMarks } from '../checkers/marks.ts'
import { ConnectionTally } from '../checkers/mesh/connection-tally.ts'
import { PkiChains } from '../checkers/mesh/mesh-chains.ts'
import { Membership } from '../checkers/pool/membership.ts'
import { configurationChanges } from '../checkers/raft/configuration-changes.ts'
import { leadership } from '../checkers/raft/leadership.ts'
import { Cluster } from '../cluster/cluster.ts'
import { hasReplacedVoter } from '../cluster/group-facts.ts'
import { Machines } from '../cluster/machines.ts'
import { clientHost } from '../cluster/node-identity.ts'
import { type ActionScope, drawRange, selectable } from '../faults/action-scope.ts'
import type { ConsensusView } from '../faults/data-limit.ts'
import type { Trigger } from '../faults/fault-schema.ts'
import { type Deed, Injector } from '../faults/injector.ts'
import { FaultSchedule } from '../faults/schedule.ts'
import { select } from '../notation/selection.ts'
import type { Selector } from '../notation/selector.ts'
import { failureOf, type RunFailure, type RunResult, type StoryLine } from '../report/run-report.ts'
import { ManagerMachine, managerName } from '../secrets-manager/manager-machine.ts'
import type { Simulation } from '../world/simulation.ts'
import { filled } from './answers.ts'
import type { Observed } from './conditions/condition.ts'
import { type Condition, conditionText, judge } from './conditions/conditions.ts'
import { drawnCluster, drawnTuning } from './drawn.ts'
import { Driver } from './driver.ts'
import type { LoadedScenario } from './language/load.ts'
import type { Scenario } from './language/scenario-schema.ts'
import { observedOf, serversBeside, sumOf } from './observed.ts'
import { Reaching } from './reaching.ts'
import { partOfRun } from './rest/part-of-run.ts'
import { comeToRest } from './rest/rest.ts'
import type { RunContext } from './run-context.ts'
import { performStep } from './steps.ts'
import { Workload } from './workload.ts'
import { diskOf, networkFacts, newSimulation, type WorldOptions } from './world-of-run.ts'

export interface RunOptions extends WorldOptions {
  /** Called with the story as it happens. */
  readonly onLine?: ((line: StoryLine) => void) | undefined
  /** Maximum number of steps in the search for an order of the operations on one key; absent: the usual limit. */
  readonly searchStepsMax?: number | undefined
}

/** One run of one scenario with one seed. */
export class ScenarioRun implements RunContext {
  readonly loaded: LoadedScenario
  readonly scenario: Scenario
  readonly simulation: Simulation
  readonly invariants: Invariants
  /** By datacenter. */
  readonly invariantsOf: ReadonlyMap<string, Invariants>
  readonly cluster: Cluster
  readonly injector: Injector
  readonly driver: Driver
  readonly saved = new Map<string, readonly string[]>()
  /** The outcomes of the tunnels' connections. */
  readonly tunnels = new ConnectionTally(() => this.simulation.nowUs)
  readonly remembered = new Map<string, HeldState>()
  readonly #failures: RunFailure[] = []
  readonly #options: RunOptions
  /** One for all datacenters: proxies of each connect to those of the others. */
  readonly #chains: PkiChains
  readonly #lostKeys = new Set<string>()
  readonly #workload: Workload
  readonly #schedule: FaultSchedule
  readonly #observed: Observed
  /** The pool of the servers of all datacenters. */
  readonly #wan: Membership | undefined
  readonly #reaching: Reaching
  /** Something changed that conditions may depend on. */
  #changed = true

  constructor(options: RunOptions) {
    this.#options = options
    this.#chains = new PkiChains(options.platform)
    this.loaded = options.loaded
    this.scenario = options.loaded.scenario
    this.simulation = newSimulation(options, {
      afterTurn: () => this.#afterTurn(),
      onSaid: (node, where, text) => this.#said(node, where, text),
    })
    const datacenters = Object.keys(this.scenario.cluster)
    this.#wan = datacenters.length < 2 ? undefined : this.#newWan()
    this.invariantsOf = new Map(datacenters.map((datacenter) => [datacenter, this.#newInvariants()]))
    this.invariants = this.checksOf(datacenters[0] ?? '')
    this.cluster = newCluster(this)
    this.injector = new Injector(
      this.cluster,
      new Machines(this.simulation, this.cluster, diskOf(this.scenario)),
      this.#limited(),
    )
    this.#reaching = new Reaching({
      nowUs: () => this.simulation.nowUs,
      after: (delayMs, then) => void this.simulation.after(delayMs, then),
      agents: () => this.cluster.nodeNames,
      serversOf: (agent) => serversBeside(this.cluster, agent),
      isRunning: (node) => this.cluster.isRunning(node),
      isPaused: (node) => this.cluster.nodeOf(node).paused,
      reaches: (from, to) => this.injector.reaches(from, to),
    })
    this.driver = new Driver(this.simulation, clientHost(1), () => {
      const { operator } = this.scenario
      return operator === undefined ? '' : filled(this, operator.token)
    })
    const external = this.scenario['secrets manager']
    if (external !== undefined) this.cluster.secretsManager = new ManagerMachine(clientHost(200), external.token)
    for (const { at, port } of Object.values(this.scenario['web servers'] ?? {})) {
      for (const node of this.select(at)) this.cluster.webServers.add(node, port)
    }
    this.cluster.secretsManager?.join(this.simulation)
    this.#workload = new Workload(this)
    this.#schedule = new FaultSchedule(this.scenario.faults ?? [], {
      nowMs: () => this.simulation.nowUs / 1000,
      after: (delayMs, then) => void this.simulation.after(delayMs, then),
      stream: (name) => this.simulation.random(name),
      perform: (action, it, draw) => this.injector.perform(action, this.scopeOf(it, draw)),
      onDeed: (deed) => this.#tellDeed(deed),
    })
    this.#observed = observedOf(this)
  }

  /** Every text that an agent shows goes to the checkers of all datacenters, each of which has its own keys. */
  #said(node: string, where: string, text: () => string): void {
    // The secrets manager reports events of a token to the token's owner.
    if (node === managerName) return
    for (const checks of this.invariantsOf.values()) checks.tell('text shown', { node, where, text })
  }

  #newInvariants(): Invariants {
    const { skew: skewMs = defaultSkewMs, 'leaf ttl': leafTtlMinMs = defaultLeafTtlMinMs } = this.scenario.mesh ?? {}
    return new Invariants({
      nowUs: () => this.simulation.nowUs,
      staleDefaultMs: this.scenario.excuses?.['stale default reads'] ?? 0,
      searchStepsMax: this.#options.searchStepsMax,
      network: networkFacts(this.scenario),
      wan: this.#wan,
      excusesLostMajority: this.scenario.excuses?.['majority lost'] === true,
      mesh: {
        chains: this.#chains,
        lostKeys: this.#lostKeys,
        startWallMs: this.simulation.startWallMs,
        skewMs,
        lastMomentsMs: skewMs + leafLeftMinMs({ leafTtlMinMs }),
        after: (delayMs, then) => void this.simulation.after(delayMs, then),
      },
      resolution: { reachingSinceUs: (agent) => this.#reaching.sinceUs(agent) },
      onTrigger: (trigger, node) => this.triggered(trigger, node),
    })
  }

  #newWan(): Membership {
    return new Membership({
      report: (code, message) => this.invariants.report(code, message),
      nowUs: () => this.simulation.nowUs,
      network: networkFacts(this.scenario),
      acted: (node, boot) =>
        this.checksOf(this.cluster.datacenterOf(node)).of(cleanDeath).acted(node, boot, 'took a step as a member'),
    })
  }

  checksOf(datacenter: string): Invariants {
    const checks = this.invariantsOf.get(datacenter)
    if (checks === undefined)
      throw new InvariantViolation('a datacenter that the scenario does not have', { datacenter })
    return checks
  }

  parts(): readonly RunContext[] {
    if (this.invariantsOf.size === 1) return [this]
    return [...this.invariantsOf].map(([datacenter, checks]) => partOfRun(this, datacenter, checks))
  }

  async run(): Promise<RunResult> {
    for (const node of this.cluster.nodeNames) if (!this.cluster.hasLeft(node)) this.cluster.start(node)
    this.#workload.begin()
    this.#schedule.start()
    if (this.scenario.visitors !== undefined) this.#reaching.start()
    for (const [at, step] of (this.scenario.steps ?? []).entries()) {
      if (this.hasFailed()) break
      this.tell('step', step.step)
      await performStep(this, step, ['steps', at])
    }
    const leftMs = (this.scenario.lasts ?? 0) - this.simulation.nowUs / 1000
    if (!this.hasFailed() && leftMs > 0) await this.pass(leftMs)
    this.#schedule.stop()
    this.#workload.switch('stop')
    if (this.scenario.tunnels !== undefined) this.tell('note', this.tunnels.text)
    if (!this.hasFailed()) await comeToRest(this)
    for (const checks of this.invariantsOf.values()) checks.end(() => this.hasFailed())
    return this.#result()
  }

  hasFailed(): boolean {
    if (this.#failures.length > 0) return true
    for (const { violations } of this.invariantsOf.values()) if (violations.length > 0) return true
    return false
  }

  async pass(spanMs: number): Promise<void> {
    await this.passUntil(() => false, spanMs)
  }

  async passUntil(isSo: () => boolean, spanMs: number): Promise<boolean> {
    const end = await this.simulation.runUntil(() => this.hasFailed() || isSo(), spanMs)
    if (end.kind === 'failed' || end.kind === 'limit' || end.kind === 'stopped')
      this.invariants.report('P1', end.message)
    return isSo()
  }

  fail(path: readonly PropertyKey[], message: string): void {
    this.#failures.push({
      atUs: this.simulation.nowUs,
      place: this.loaded.document.placeOfKey(path),
      message,
    })
  }

  tell(kind: StoryLine['kind'], text: string): void {
    this.#options.onLine?.({ atUs: this.simulation.nowUs, kind, text })
  }

  triggered(trigger: Trigger, node: string): void {
    this.#changed = true
    if (trigger === 'leader elected') this.tell('note', `${node} leads`)
    if (trigger === 'leader stepped down') this.tell('note', `${node} no longer leads`)
    const why = trigger === 'server crashed' ? this.cluster.whyDown(node) : undefined
    if (why !== undefined) this.tell('note', `${node} ${why}`)
    this.#mark(trigger, node)
    this.#schedule.triggered(trigger, node)
  }

  #mark(trigger: Trigger, node: string): void {
    const datacenter = this.cluster.datacenterOf(node)
    const marks = this.checksOf(datacenter).of(reachedMarks)
    if (trigger === 'snapshot installed' && this.injector.hasCuts) marks.reach('snapshot under partition')
    if (trigger !== 'members changed') return
    if (this.injector.hasCuts) marks.reach('configuration changed under fire')
    if (hasReplacedVoter(this.cluster, datacenter)) marks.reach('machine replaced')
  }

  askWatchesAnew(): void {
    this.#workload.switchKeyWatchers('start')
  }

  proxiesBehind(datacenter?: string): readonly string[] {
    return this.#workload.proxiesBehind(datacenter)
  }

  proxiesMeet(): void {
    this.#workload.proxiesMeet()
  }

  endWatches(): void {
    this.#workload.switchKeyWatchers('stop')
  }

  switchWorkload(to: 'start' | 'stop'): void {
    this.#workload.switch(to)
  }

  openRequests(): readonly string[] {
    return this.#workload.openRequests()
  }

  judge(condition: Partial<Condition>): string | undefined {
    return judge(condition, this.#observed)
  }

  select(selector: Selector): readonly string[] {
    return select(selector, selectable(this.cluster, this.stepScope()))
  }

  stepScope(): ActionScope {
    return this.scopeOf(undefined, this.simulation.random('steps'))
  }

  scopeOf(it: string | undefined, draw: ActionScope['draw']): ActionScope {
    return { it, saved: (name) => this.saved.get(name), draw }
  }

  /** The limit that keeps a majority's data from being destroyed, unless the scenario lifts it. */
  #limited(): ReadonlyMap<string, ConsensusView> {
    if (this.scenario.excuses?.['majority lost'] === true) return new Map()
    return new Map([...this.invariantsOf].map(([datacenter, checks]) => [datacenter, checks.of(configurationChanges)]))
  }

  #afterTurn(): void {
    const isTroubled = () => this.injector.isNetworkTroubled
    for (const checks of this.invariantsOf.values()) checks.tell('turn ended', {})
    if (this.hasFailed()) return
    for (const checks of this.invariantsOf.values()) checks.tell('network looked at', { isTroubled })
    this.#wan?.look(isTroubled)
    if (!this.#changed) return
    this.#changed = false
    for (const [at, condition] of (this.scenario.always ?? []).entries()) {
      const found = this.judge(condition)
      if (found !== undefined) this.fail(['always', at], `always ${conditionText(condition)}: now ${found}`)
    }
    for (const [at, condition] of (this.scenario.never ?? []).entries()) {
      if (this.judge(condition) === undefined) {
        this.fail(['never', at], `never ${conditionText(condition)}: now it is so`)
      }
    }
  }

  #tellDeed(deed: Deed): void {
    this.#changed = true
    if (deed.ok) this.tell('fault', deed.value)
  }

  #result(): RunResult {
    const all = [...this.invariantsOf.values()]
    const failures = [...all.flatMap(({ violations }) => violations.map(failureOf)), ...this.#failures]
    failures.sort((a, b) => a.atUs - b.atUs)
    const trace = this.simulation.finish()
    return {
      scenario: this.scenario.scenario,
      file: this.loaded.file,
      seed: this.#options.seed,
      failures,
      undecided: all.flatMap((checks) => checks.of(linearizableKeys).undecided),
      virtualUs: this.simulation.nowUs,
      events: this.simulation.turns,
      trace,
      elections: sumOf(all, (checks) => checks.of(leadership).electionCount),
      writesAcknowledged: sumOf(all, (checks) => checks.of(acknowledgedWrites).count),
      marks: [...new Set(all.flatMap((checks) => checks.of(reachedMarks).reached))],
      history: {
        about: `${this.scenario.scenario} (${this.loaded.file}), seed ${this.#options.seed}`,
        staleDefaultUs: this.invariants.of(linearizableKeys).staleDefaultUs,
        operations: all.flatMap((checks) => checks.of(linearizableKeys).operations),
      },
    }
  }
}

function newCluster(run: ScenarioRun): Cluster {
  const { offset = { min: 0, max: 0 }, rate = { min: 0, max: 0 } } = run.scenario.clocks ?? {}
  const draw = run.simulation.random('clocks')
  return new Cluster({
    simulation: run.simulation,
    plan: drawnCluster(run.scenario, run.simulation.random('cluster')),
    tuning: drawnTuning(run.scenario, run.simulation.random('knobs')),
    invariantsOf: (datacenter) => run.invariantsOf.get(datacenter) ?? run.invariants,
    onTrigger: (trigger, node) => run.triggered(trigger, node),
    clockOf: () => ({ wallOffsetMs: drawRange(draw, offset), rate: 1 + drawRange(draw, rate) }),
  })
}
