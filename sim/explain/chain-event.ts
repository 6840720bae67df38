import type { EvidenceKind } from '../checkers/evidence.ts'
import type { TraceRecord } from '../report/trace-record.ts'

/** The role of an event on the way to a violation. */
export type Part = EvidenceKind | 'fault' | 'life' | 'lost' | 'step' | 'violation'

/** An event that helps to understand a violation. */
export interface ChainEvent {
  readonly event: TraceRecord
  readonly part: Part
  /**
   * It led to the violation according to the causes of the trace; otherwise it is an earlier fact about the same thing.
   */
  readonly isCause: boolean
  /** It is about other things than the violation. */
  readonly isStranger: boolean
  /** How little it explains: if not all can be shown, those with the least cost are. */
  readonly cost: number
  /** Microseconds for which it was under way, or held back; only if that is remarkable. */
  readonly lateUs?: number
}
