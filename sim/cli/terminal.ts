import type { Disk } from '../../src/env/disk.ts'
import type { Workshop } from '../self-test/workshop.ts'
import type { Platform } from '../world/platform.ts'

/** Exit codes. Of several runs the gravest counts, see `graver`. */
export const exits = {
  passed: 0,
  /** An expectation or an invariant was not met; a history is not linearizable. */
  failed: 1,
  /** Bad usage, or a scenario or history that cannot be read. */
  usage: 2,
  /** The same seed gave two different runs. */
  notDeterministic: 3,
  /** Nothing failed, but a history of keys could not be decided within the bound of the search. */
  undecided: 4,
} as const

/** The exit code of two runs together: what is not deterministic says nothing, then come usage, failures, open verdicts. */
export function graver(one: number, other: number): number {
  const order: readonly number[] = [exits.passed, exits.undecided, exits.failed, exits.usage, exits.notDeterministic]
  return order.indexOf(one) >= order.indexOf(other) ? one : other
}

/** What the commands of the simulator need of the real world. */
export interface SimTerminal {
  readonly out: (text: string) => void
  readonly error: (text: string) => void
  /** Real files: scenarios to read, traces to write. */
  readonly disk: Disk
  /** Milliseconds of the real clock, to tell how fast a run was. */
  readonly wallMs: () => number
  /** What one run needs of the machine. */
  readonly createPlatform: () => Platform
  /** Where copies of this program are made. */
  readonly createWorkshop: () => Workshop
  readonly version: string
}
