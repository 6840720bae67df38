import type { EvidenceKind } from '../checkers/evidence.ts'
import type { TraceRecord } from '../report/trace-record.ts'

/** What an event is on the way to a violation. */
export type Part = EvidenceKind | 'fault' | 'life' | 'lost' | 'step' | 'violation'

/** An event that helps to understand a violation. */
export interface ChainEvent {
  readonly event: TraceRecord
  readonly part: Part
  /** It led to the violation, as the causes of the trace have it; otherwise it is an earlier fact of the same thing. */
  readonly isCause: boolean
  /** It is about other things than the violation. */
  readonly isStranger: boolean
  /** How little it tells: the least first where not all can be shown. */
  readonly cost: number
  /** Microseconds for which it was under way, or held back; only where that is remarkable. */
  readonly lateUs?: number
}
