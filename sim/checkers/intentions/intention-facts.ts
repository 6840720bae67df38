import type { SaidIntention } from './intention-judge.ts'

/** An intention, as the replicated state has it. */
export interface HeldIntention extends SaidIntention {
  readonly id: string
  readonly description: string
}

/** `perhaps`: what nothing may say. `description` is its alone. */
export interface WantedIntention extends Omit<HeldIntention, 'id' | 'action'> {
  readonly action: SaidIntention['action'] | 'perhaps'
}

/** A client asked for a change of intentions, and was answered. */
export interface IntentionChange {
  readonly agent: string
  readonly kind: 'create' | 'update' | 'delete'
  /** Empty: of one that was not made. */
  readonly id: string
  /** Of a deletion nothing. */
  readonly wanted: WantedIntention | undefined
  /** `duplicate`: refused, because there is one for this pair. */
  readonly outcome: 'done' | 'duplicate' | 'refused'
  readonly calledUs: number
  readonly endedUs: number
}

/** A client asked whether one service may connect to another. */
export interface IntentionDecision {
  readonly agent: string
  /** By the leader, or by what the agent keeps. */
  readonly how: 'check' | 'authorize'
  readonly source: string
  readonly destination: string
  readonly isAllowed: boolean
  readonly calledUs: number
  readonly endedUs: number
}
