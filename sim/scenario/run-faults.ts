import type { Invariants } from '../checkers/invariants.ts'
import { configurationChanges } from '../checkers/raft/configuration-changes.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { Machines } from '../cluster/machines.ts'
import type { ActionScope } from '../faults/action-scope.ts'
import type { ConsensusView } from '../faults/data-limit.ts'
import type { FaultAction, Trigger } from '../faults/fault-schema.ts'
import { type Deed, Injector } from '../faults/injector.ts'
import { FaultSchedule } from '../faults/schedule.ts'
import type { Simulation } from '../simulation/simulation.ts'
import type { Draws } from '../world/decisions/draws.ts'
import type { RunAccount } from './account.ts'
import type { Scenario } from './language/scenario-schema.ts'
import { diskOf } from './world-of-run.ts'

interface FaultyRun {
  readonly scenario: Scenario
  readonly simulation: Simulation
  readonly cluster: Cluster
  /** By datacenter. */
  readonly invariantsOf: ReadonlyMap<string, Invariants>
  /** `it` is the server that a fault is about. */
  scopeOf(it: string | undefined, draw: Draws): ActionScope
}

interface FaultListeners {
  /** Takes down what a smaller page is made of. */
  readonly account: RunAccount | undefined
  /** A fault was done, or could not be. */
  onDeed(deed: Deed): void
}

/** The faults of one run: when the rules of its page fire, and what is done then, within the limit on lost data. */
export class RunFaults {
  readonly injector: Injector
  readonly #schedule: FaultSchedule
  readonly #account: RunAccount | undefined
  readonly #run: FaultyRun
  /** The time from which no rule could fire any more; undefined: one still can, or this was never asked. */
  #spentAtUs: number | undefined

  constructor(run: FaultyRun, { account, onDeed }: FaultListeners) {
    const { scenario, simulation, cluster } = run
    this.#account = account
    this.#run = run
    this.injector = new Injector(cluster, new Machines(simulation, cluster, diskOf(scenario)), limited(run))
    this.#schedule = new FaultSchedule(scenario.faults ?? [], {
      nowMs: () => simulation.nowUs / 1000,
      after: (delayMs, then) => void simulation.after(delayMs, then),
      decisions: simulation.decisions,
      perform: (action, it, draw) => this.#perform(action, run.scopeOf(it, draw)),
      onFiring: (fired) => account?.fired(fired, simulation.nowUs),
      onDeed,
    })
  }

  start(): void {
    this.#schedule.start()
  }

  /** No fault happens from now on. */
  stop(): void {
    this.#schedule.stop()
  }

  /** Whether no rule can fire any more, whatever happens, and this has been asked for that many milliseconds. */
  areSpentFor(spanMs: number): boolean {
    if (!this.#schedule.isSpent) return false
    this.#spentAtUs ??= this.#run.simulation.nowUs
    return this.#run.simulation.nowUs - this.#spentAtUs >= spanMs * 1000
  }

  /** An event happened at this server. */
  triggered(trigger: Trigger, server: string): void {
    this.#schedule.triggered(trigger, server)
  }

  #perform(action: FaultAction, scope: ActionScope): Deed {
    const witness = this.#account?.witness(action)
    const deed = this.injector.perform(action, { ...scope, witness })
    if (deed.ok) witness?.done()
    return deed
  }
}

/** The limit that keeps a majority's data from being destroyed, unless the scenario lifts it. */
function limited({ scenario, invariantsOf }: FaultyRun): ReadonlyMap<string, ConsensusView> {
  if (scenario.excuses?.['majority lost'] === true) return new Map()
  return new Map([...invariantsOf].map(([datacenter, checks]) => [datacenter, checks.of(configurationChanges)]))
}
