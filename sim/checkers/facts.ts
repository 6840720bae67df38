import type { ClientFacts } from './client-facts.ts'
import type { LogFacts } from './log-facts.ts'
import type { MeshEvent } from './mesh/mesh-facts.ts'
import type { OfNode, ProcessFacts } from './process-facts.ts'
import type { StateFacts } from './state-facts.ts'
import type { TelemetryFacts } from './telemetry/telemetry-facts.ts'

/** Events of one server that faults and steps can wait for. */
export type NodeTrigger =
  | 'leader elected'
  | 'leader stepped down'
  | 'vote given'
  | 'entry appended'
  | 'entry committed'
  | 'snapshot installed'
  | 'members changed'
  | MeshEvent

/**
 * Every fact that is reported to the checkers of a run, by name. Times are true times, in microseconds since the run
 * began.
 */
export interface Facts extends ProcessFacts, LogFacts, StateFacts, ClientFacts, TelemetryFacts {}

export type FactName = keyof Facts

/** A fact about one node. */
export type NodeFact = { [Name in FactName]: Facts[Name] extends OfNode ? Name : never }[FactName]
