import type { HeldState } from '../checkers/held-state.ts'
import type { Invariants } from '../checkers/invariants.ts'
import type { ConnectionTally } from '../checkers/mesh/connection-tally.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { ActionScope } from '../faults/action-scope.ts'
import type { Trigger } from '../faults/fault-schema.ts'
import type { Injector } from '../faults/injector.ts'
import type { Selector } from '../notation/selector.ts'
import type { StoryLine } from '../report/run-report.ts'
import type { Simulation } from '../world/simulation.ts'
import type { Driver } from './driver.ts'
import type { judge } from './judge.ts'
import type { Scenario } from './language/scenario-schema.ts'

/** A run, for its steps, its workload and its end. */
export interface RunContext {
  readonly scenario: Scenario
  readonly simulation: Simulation
  /** The checkers of the first datacenter. */
  readonly invariants: Invariants
  readonly cluster: Cluster
  readonly injector: Injector
  readonly driver: Driver
  /** Servers by the names that steps gave them. */
  readonly saved: Map<string, readonly string[]>
  /** Remembered states, by the names that steps gave them. */
  readonly remembered: Map<string, HeldState>
  checksOf(datacenter: string): Invariants
  readonly tunnels: ConnectionTally
  /** One part for each datacenter; the run itself if there is only one. */
  parts(): readonly RunContext[]
  /** Whether the run is over because an invariant or an expectation was not met. */
  hasFailed(): boolean
  /** Lets true time pass; returns earlier if the run fails meanwhile. */
  pass(spanMs: number): Promise<void>
  /**
   * Lets time pass until the condition is true, at most for a span; returns earlier if the run fails. False if it is
   * not true in the end.
   */
  passUntil(isSo: () => boolean, spanMs: number): Promise<boolean>
  /** The expectation at this path of the scenario file was not met. */
  fail(path: readonly PropertyKey[], message: string): void
  tell(kind: StoryLine['kind'], text: string): void
  /** An event happened at a server, for which faults and conditions may wait. */
  triggered(trigger: Trigger, node: string): void
  /** What is true instead of the condition; undefined if it holds. */
  judge(condition: Parameters<typeof judge>[0]): string | undefined
  select(selector: Selector): readonly string[]
  stepScope(): ActionScope
  /** Clients that follow keys ask again from their index, and drop the requests under way. */
  askWatchesAnew(): void
  endWatches(): void
  /** The proxies, or those of one datacenter, whose configuration is behind the cluster's, and why. */
  proxiesBehind(datacenter?: string): readonly string[]
  /** Every proxy connects to every other one. */
  proxiesMeet(): void
  switchWorkload(to: 'start' | 'stop'): void
  /** Requests of the workload without an answer yet, in words. */
  openRequests(): readonly string[]
}
