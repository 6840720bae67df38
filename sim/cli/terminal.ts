import type { Disk } from '../../src/env/disk.ts'
import type { Workshop } from '../self-test/workshop.ts'
import type { Platform } from '../world/platform.ts'

/** Exit codes. */
export const exits = {
  passed: 0,
  /** An expectation or an invariant was not met; a history is not linearizable, or the search for it was given up. */
  failed: 1,
  /** Bad usage, or a scenario or history that cannot be read. */
  usage: 2,
  /** The same seed gave two different runs. */
  notDeterministic: 3,
} as const

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
