import type { RunFailure, RunResult } from '../report/run-report.ts'
import type { Simulation } from '../simulation/simulation.ts'
import type { RunAccount } from './account.ts'
import { missedInRun } from './demands.ts'
import type { LoadedScenario } from './language/load.ts'
import type { RunChecks } from './run-checks.ts'

/** Where a run ends that need not come to rest, for whatever is looked for comes before. */
export interface EarlyEnd {
  /** This long after the last rule of faults has fired that can, in milliseconds; absent: when its time is over. */
  readonly afterFaultsMs?: number | undefined
  /** At this time, in microseconds, whatever is still to come; what comes to light later is no failure. */
  readonly atUs?: number | undefined
}

export interface RunOutcomeParts {
  readonly loaded: LoadedScenario
  readonly seed: number
  readonly simulation: Simulation
  readonly checks: RunChecks
  readonly areLooksOver: () => boolean
  readonly account?: RunAccount | undefined
  readonly ends?: EarlyEnd | undefined
}

/** What fails in a run, whether more of it is wanted, and what came of it. */
export class RunOutcome {
  readonly #parts: RunOutcomeParts
  /** Of steps and demands; the checkers keep what breaks an invariant. */
  readonly #failures: RunFailure[] = []

  constructor(parts: RunOutcomeParts) {
    this.#parts = parts
  }

  /** Something has failed, or everything that was to be looked at has been. */
  isDecided(): boolean {
    return this.#failures.length > 0 || this.#parts.checks.hasViolations || this.#parts.areLooksOver()
  }

  /** The time of an early end has come. */
  isOver(): boolean {
    const atUs = this.#parts.ends?.atUs
    return atUs !== undefined && this.#parts.simulation.nowUs >= atUs
  }

  /** In no order. */
  failures(): readonly RunFailure[] {
    return [...this.#parts.checks.failures(), ...this.#failures]
  }

  fail(path: readonly PropertyKey[], message: string): void {
    const { loaded, simulation, account } = this.#parts
    const place = loaded.document.placeOfKey(path)
    this.#failures.push({ atUs: simulation.nowUs, place, message })
    account?.unmet(path)
    simulation.tellViolation(place, message)
  }

  /** What the run has shown so far. */
  result(): RunResult {
    const { loaded, seed, simulation, checks } = this.#parts
    const { scenario, file } = loaded
    const checked = checks.result(`${scenario.scenario} (${file}), seed ${seed}`)
    if (!this.isDecided() && !this.isOver()) {
      for (const { path, message } of missedInRun(scenario.demands, checked)) this.fail(path, message)
    }
    const failures = [...checked.failures, ...this.#failures]
    failures.sort((a, b) => a.atUs - b.atUs)
    const trace = simulation.finish()
    return {
      ...checked,
      scenario: scenario.scenario,
      file,
      seed,
      failures,
      virtualUs: simulation.nowUs,
      events: simulation.turns,
      trace,
    }
  }
}
