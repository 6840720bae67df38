import type { Condition } from './conditions/conditions.ts'
import { conditionText } from './conditions/conditions.ts'
import type { Scenario } from './language/scenario-schema.ts'

interface JudgingRun {
  /** What is true instead of the condition; undefined if it holds. */
  judge(condition: Partial<Condition>): string | undefined
  /** The expectation at this path of the scenario file was not met. */
  fail(path: readonly PropertyKey[], message: string): void
}

/**
 * The conditions that must hold at every moment of a run (`always`), and those that never may (`never`). They are judged
 * between turns, after something changed that they may depend on.
 */
export class StandingConditions {
  readonly #scenario: Pick<Scenario, 'always' | 'never'>
  readonly #run: JudgingRun
  /** Before the first process starts there is nothing to judge. */
  #changed = false

  constructor(scenario: Pick<Scenario, 'always' | 'never'>, run: JudgingRun) {
    this.#scenario = scenario
    this.#run = run
  }

  changed(): void {
    this.#changed = true
  }

  /** Judges them if something changed since the last time. */
  judgeChange(): void {
    if (!this.#changed) return
    this.#changed = false
    const { always = [], never = [] } = this.#scenario
    for (const [at, condition] of always.entries()) {
      const found = this.#run.judge(condition)
      if (found !== undefined) this.#run.fail(['always', at], `always ${conditionText(condition)}: now ${found}`)
    }
    for (const [at, condition] of never.entries()) {
      if (this.#run.judge(condition) === undefined) {
        this.#run.fail(['never', at], `never ${conditionText(condition)}: now it is so`)
      }
    }
  }
}
