import type { z } from 'zod'
import type { HeldState } from '../../checkers/held-state.ts'
import type { Invariants } from '../../checkers/invariants.ts'
import type { ActionScope } from '../../faults/action-scope.ts'
import type { Injector } from '../../faults/injector.ts'
import type { StoryLine } from '../../report/run-report.ts'
import type { Simulation } from '../../simulation/simulation.ts'
import type { AskingRun } from '../conditions/condition.ts'
import type { Condition } from '../conditions/conditions.ts'
import type { Expectation } from './expectation.ts'

/** A run, as its steps see it. */
export interface StepRun extends AskingRun {
  readonly simulation: Simulation
  /** The checkers of the first datacenter. */
  readonly invariants: Invariants
  readonly injector: Injector
  /** Remembered states, by the names that steps gave them. */
  readonly remembered: Map<string, HeldState>
  checksOf(datacenter: string): Invariants
  /** Lets true time pass; returns earlier if the run fails meanwhile. */
  pass(spanMs: number): Promise<void>
  /** The expectation at this path of the scenario file was not met. */
  fail(path: readonly PropertyKey[], message: string): void
  tell(kind: StoryLine['kind'], text: string): void
  /** What is true instead of the condition; undefined if it holds. */
  judge(condition: Partial<Condition>): string | undefined
  stepScope(): ActionScope
  readonly workload: { switch(to: 'start' | 'stop'): void }
}

/** Where a step stands in the scenario file. */
export type Path = readonly PropertyKey[]

/** What stands beside the action of a step. */
interface Beside {
  readonly expect?: Expectation | undefined
}

/** Something that a step can do besides changing the cluster, by its key. */
export interface StepKind<Schema extends z.ZodType = z.ZodType> {
  /** What stands behind the key in a file, and what the language page says of it. */
  readonly schema: Schema
  /** Does it; what is not met fails the run with the place of the step. */
  perform(run: StepRun, given: z.output<Schema>, path: Path, beside: Beside): Promise<void> | void
  /** Names under which it saves nodes or answers. */
  saves(given: z.output<Schema>): readonly string[]
}

export function step<Schema extends z.ZodType>(
  schema: Schema,
  perform: StepKind<Schema>['perform'],
  saves: StepKind<Schema>['saves'] = () => [],
): StepKind<Schema> {
  return { schema, perform, saves }
}
