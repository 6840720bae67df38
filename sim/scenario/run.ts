import { utf8 } from '../../src/base/bytes.ts'
import type { HeldState } from '../checkers/held-state.ts'
import type { Invariants } from '../checkers/invariants.ts'
import { ConnectionTally } from '../checkers/mesh/connection-tally.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { hasReplacedVoter } from '../cluster/group-facts.ts'
import { type ActionScope, selectable } from '../faults/action-scope.ts'
import type { Trigger } from '../faults/fault-schema.ts'
import type { Injector } from '../faults/injector.ts'
import type { Template } from '../notation/fields.ts'
import { select } from '../notation/selection.ts'
import type { Selector } from '../notation/selector.ts'
import type { RunFailure, RunResult, StoryLine } from '../report/run-report.ts'
import type { Simulation } from '../simulation/simulation.ts'
import type { RunAccount } from './account.ts'
import { answerWith, filled } from './answers.ts'
import type { Observed } from './conditions/condition.ts'
import { type Condition, judge } from './conditions/conditions.ts'
import { type Contact, contactOf } from './contact.ts'
import type { Driver } from './driver.ts'
import { driverOf } from './driver-of-run.ts'
import type { LoadedScenario } from './language/load.ts'
import type { Scenario } from './language/scenario-schema.ts'
import { type Looks, LooksAtRun } from './looks.ts'
import { observedOf } from './observed.ts'
import { playAgain } from './played/play-again.ts'
import { type Reaching, reachingOf } from './reaching.ts'
import { partOfRun } from './rest/part-of-run.ts'
import { comeToRest } from './rest/rest.ts'
import { type CheckOptions, RunChecks } from './run-checks.ts'
import type { RunContext } from './run-context.ts'
import { RunFaults } from './run-faults.ts'
import { type EarlyEnd, RunOutcome } from './run-outcome.ts'
import { StandingConditions } from './standing-conditions.ts'
import { StateEvents, type StateReader } from './state-events.ts'
import { StepDraws } from './step-draws.ts'
import { performStep } from './steps.ts'
import { Workload } from './workload.ts'
import { addMachinesBeside, newCluster, newSimulation, type WorldOptions } from './world-of-run.ts'

export interface RunOptions extends WorldOptions, CheckOptions {
  /** Called with the story as it happens. */
  readonly onLine?: ((line: StoryLine) => void) | undefined
  /** Takes down what a smaller page is made of. */
  readonly account?: RunAccount | undefined
  /** Ends the run before its cluster comes to rest. */
  readonly ends?: EarlyEnd | undefined
  /** Shows the run at some times; without times it shows nothing. */
  readonly looks?: Looks<ScenarioRun> | undefined
  /** Says what changes about nodes, for the events of a trace. */
  readonly states?: ((run: ScenarioRun) => StateReader) | undefined
}

/**
 * One run of one scenario with one seed: what steps, conditions and faults act on. Most of its members are those that
 * `RunContext` promises them, so the file is longer than others; what they do is in the rooms that it puts together.
 */
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
  readonly workload: Workload
  readonly saved = new Map<string, readonly string[]>()
  /** The outcomes of the tunnels' connections. */
  readonly tunnels = new ConnectionTally(() => this.simulation.nowUs)
  readonly remembered = new Map<string, HeldState>()
  readonly #outcome: RunOutcome
  readonly #options: RunOptions
  readonly #checks: RunChecks
  readonly #faults: RunFaults
  readonly #observed: Observed
  readonly #reaching: Reaching
  readonly #contact: Contact
  readonly #draws: StepDraws
  readonly #standing: StandingConditions
  readonly #looks: LooksAtRun<ScenarioRun>
  readonly #states: StateEvents
  readonly #look = { isTroubled: (): boolean => this.injector.isNetworkTroubled }

  constructor(options: RunOptions) {
    this.#options = options
    this.loaded = options.loaded
    this.scenario = options.loaded.scenario
    this.simulation = newSimulation(options, {
      afterTurn: () => this.#afterTurn(),
      // Agents are judged, no other machine: a secrets manager, for one, reports events of a token to the token's
      // owner.
      onSaid: (machine, ...said) => {
        if (this.cluster.hasAgent(machine)) this.#checks.said(machine, ...said)
      },
      onTold: (machine, what) => {
        if (this.cluster.hasAgent(machine)) this.#checks.told(machine, what)
        else if (/^proxy[.:]/.test(what)) this.#checks.proxyTold(what)
      },
    })
    this.#checks = new RunChecks(options, this.simulation, {
      datacenterOf: (node) => this.cluster.datacenterOf(node),
      reachingSinceUs: (agent) => this.#reaching.sinceUs(agent),
      contactSinceUs: (agent) => this.#contact.sinceUs(agent),
      reachingFirstSinceUs: (datacenter) => this.#reaching.firstSinceUs(datacenter),
      onTrigger: (trigger, node) => this.triggered(trigger, node),
    })
    this.invariantsOf = this.#checks.byDatacenter
    this.invariants = this.#checks.first
    this.cluster = newCluster(this.scenario, this.simulation, {
      invariantsOf: (datacenter) => this.invariantsOf.get(datacenter) ?? this.invariants,
      onTrigger: (trigger, node) => this.triggered(trigger, node),
    })
    this.#draws = new StepDraws(this.simulation.decisions)
    this.#standing = new StandingConditions(this.scenario, this)
    this.#looks = new LooksAtRun(this, options.looks)
    this.#states = new StateEvents(this, options.states?.(this))
    this.#outcome = new RunOutcome({
      ...options,
      simulation: this.simulation,
      checks: this.#checks,
      areLooksOver: () => this.#looks.areOver,
    })
    this.#faults = new RunFaults(this, {
      account: options.account,
      onDeed: (deed) => {
        this.#standing.changed()
        if (deed.ok) this.tell('fault', deed.value)
      },
    })
    this.injector = this.#faults.injector
    this.#reaching = reachingOf(this)
    this.#contact = contactOf(this)
    this.driver = driverOf(this, (exchange) => this.#checks.exchanged(exchange))
    addMachinesBeside(this)
    this.workload = new Workload(this.scenario, this)
    this.#observed = observedOf(this)
  }

  checksOf(datacenter: string): Invariants {
    return this.#checks.of(datacenter)
  }

  contactSinceUs(agent: string): number | undefined {
    return this.#contact.sinceUs(agent)
  }

  parts(): readonly RunContext[] {
    if (this.invariantsOf.size === 1) return [this]
    return [...this.invariantsOf].map(([datacenter, checks]) => partOfRun(this, datacenter, checks))
  }

  /** Starts agents, workloads and faults. */
  async begin(): Promise<void> {
    // The machines of clients and of the driver stand before anything begins: they are no part of what is tried.
    await this.simulation.run({ untilMs: 0 })
    this.#standing.changed()
    for (const node of this.cluster.nodeNames) if (!this.cluster.hasLeft(node)) this.cluster.start(node)
    this.workload.begin()
    this.#faults.start()
    if (this.workload.judgedBy.has('reaching')) this.#reaching.start()
    if (this.workload.judgedBy.has('contact')) this.#contact.start()
  }

  async run(): Promise<RunResult> {
    await this.begin()
    const { played } = this.scenario
    if (played !== undefined) {
      await playAgain(this, played)
      return this.end(played.rest === true && this.#rests())
    }
    for (const [at, step] of (this.scenario.steps ?? []).entries()) {
      if (this.hasFailed()) break
      this.tell('step', step.step)
      this.#draws.begin(step)
      this.#options.account?.stepBegins(this.simulation.nowUs)
      await performStep(this, step, ['steps', at])
    }
    const leftMs = (this.scenario.lasts ?? 0) - this.simulation.nowUs / 1000
    if (!this.hasFailed() && leftMs > 0) await this.passUntil(() => this.#isPastFaults(), leftMs)
    return this.end(this.#rests())
  }

  /** Also before an early end by the clock, which may come while it rests: a failure may come to light only then. */
  #rests(): boolean {
    return this.#options.ends?.afterFaultsMs === undefined
  }

  /** Nothing goes wrong any more, and has not for as long as an early end waits. */
  #isPastFaults(): boolean {
    const afterMs = this.#options.ends?.afterFaultsMs
    return afterMs !== undefined && this.#faults.areSpentFor(afterMs)
  }

  /** Faults and workloads stop; `rest`: everything is mended, and the cluster must come to rest. */
  async end(rest: boolean): Promise<RunResult> {
    this.#faults.stop()
    this.workload.switch('stop')
    if (this.scenario.tunnels !== undefined) this.tell('note', this.tunnels.text)
    if (rest && !this.hasFailed()) {
      this.#options.account?.restBegins(this.simulation.nowUs)
      await comeToRest(this)
    }
    this.#checks.end(() => this.#outcome.isDecided())
    return this.result()
  }

  hasFailed(): boolean {
    return this.#outcome.isDecided() || this.#outcome.isOver()
  }

  /** What has failed until now, in no order. */
  failuresSoFar(): readonly RunFailure[] {
    return this.#outcome.failures()
  }

  async pass(spanMs: number): Promise<void> {
    await this.passUntil(() => false, spanMs)
  }

  async passUntil(isSo: () => boolean, spanMs: number): Promise<boolean> {
    const end = await this.simulation.runUntil(() => this.hasFailed() || isSo(), spanMs)
    if (!this.hasFailed()) this.#looks.show(this.simulation.nowUs)
    if (end.kind === 'failed' || end.kind === 'limit' || end.kind === 'stopped')
      this.invariants.report('P1', end.message)
    return isSo()
  }

  fail(path: readonly PropertyKey[], message: string): void {
    this.#outcome.fail(path, message)
  }

  tell(kind: StoryLine['kind'], text: string): void {
    this.simulation.tellStory(kind, text)
    this.#options.onLine?.({ atUs: this.simulation.nowUs, kind, text })
  }

  triggered(trigger: Trigger, node: string): void {
    this.#standing.changed()
    if (trigger === 'leader elected') this.tell('note', `${node} leads`)
    if (trigger === 'leader stepped down') this.tell('note', `${node} no longer leads`)
    const why = trigger === 'server crashed' ? this.cluster.whyDown(node) : undefined
    if (why !== undefined) this.tell('note', `${node} ${why}`)
    const datacenter = this.cluster.datacenterOf(node)
    this.#checks.of(datacenter).tell('event seen', {
      node,
      event: trigger,
      isCut: this.injector.hasCuts,
      hasReplacedVoter: () => hasReplacedVoter(this.cluster, datacenter),
    })
    this.#faults.triggered(trigger, node)
  }

  judge(condition: Partial<Condition>): string | undefined {
    return judge(condition, this.#observed)
  }

  filled(template: Template): string {
    return filled(this, template)
  }

  listed(name: string): readonly string[] {
    return (this.driver.answers.get(name)?.json() ?? []) as readonly string[]
  }

  list(name: string, items: readonly string[]): void {
    this.driver.answers.set(name, answerWith(200, utf8(JSON.stringify(items)), new Map()))
  }

  select(selector: Selector): readonly string[] {
    const draws = this.#draws.forSelection(selector.text, this.simulation.nowUs)
    return select(selector, selectable(this.cluster, this.scopeOf(undefined, draws)))
  }

  stepScope(): ActionScope {
    return this.scopeOf(undefined, this.#draws.forAction())
  }

  scopeOf(it: string | undefined, draw: ActionScope['draw']): ActionScope {
    return { it, saved: (name) => this.saved.get(name), draw }
  }

  #afterTurn(): void {
    this.#checks.turnEnded()
    this.#states.tell()
    this.#looks.show(this.simulation.nextAtUs)
    if (this.hasFailed()) return
    this.#checks.lookedAround(this.#look)
    this.#standing.judgeChange()
  }

  /** What the run has shown so far. */
  result(): RunResult {
    return this.#outcome.result()
  }
}
