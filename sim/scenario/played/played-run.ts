import type { StepRun } from '../steps/step.ts'

/** A run, as acts see it. */
export interface PlayedRun extends Omit<StepRun, 'workload'> {
  passUntil(isSo: () => boolean, spanMs: number): Promise<boolean>
}
