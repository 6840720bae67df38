import type { SaidIntention } from './intention-judge.ts'

/** An intention in the replicated state. */
export interface HeldIntention extends SaidIntention {
  readonly id: string
  readonly description: string
}

/** The intention that a client wanted. `perhaps`: it may have been created. `description` is unique to it. */
export interface WantedIntention extends Omit<HeldIntention, 'id' | 'action'> {
  readonly action: SaidIntention['action'] | 'perhaps'
}

/** A client requested a change of intentions, and got an answer. */
export interface IntentionChange {
  readonly agent: string
  readonly kind: 'create' | 'update' | 'delete'
  /** Empty if the intention was not created. */
  readonly id: string
  /** Undefined for a deletion. */
  readonly wanted: WantedIntention | undefined
  /** `duplicate`: refused, because an intention for this pair exists. */
  readonly outcome: 'done' | 'duplicate' | 'refused'
  readonly calledUs: number
  readonly endedUs: number
}

/** A client asked whether one service may connect to another. */
export interface IntentionDecision {
  readonly agent: string
  /** `check`: the leader decided; `authorize`: the agent decided by its cached intentions. */
  readonly how: 'check' | 'authorize'
  readonly source: string
  readonly destination: string
  readonly isAllowed: boolean
  /** How old the cached intentions are, as the agent says, in seconds; undefined: it has fetched them for this answer. */
  readonly ageS?: number | undefined
  readonly calledUs: number
  readonly endedUs: number
}
