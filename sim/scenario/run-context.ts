import type { ConnectionTally } from '../checkers/mesh/connection-tally.ts'
import type { Trigger } from '../faults/fault-schema.ts'
import type { Scenario } from './language/scenario-schema.ts'
import type { StepRun } from './steps/step.ts'
import type { Workload } from './workload.ts'

/** A run, as its workload and its end see it. */
export interface RunContext extends StepRun {
  readonly scenario: Scenario
  readonly tunnels: ConnectionTally
  /** One part for each datacenter; the run itself if there is only one. */
  parts(): readonly RunContext[]
  /** An event happened at a server, for which faults and conditions may wait. */
  triggered(trigger: Trigger, node: string): void
  readonly workload: Workload
}
