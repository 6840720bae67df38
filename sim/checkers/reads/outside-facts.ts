import type { OfNode } from '../process-facts.ts'

/** What recursors say of a name. */
export interface OutsideTruth {
  readonly rcode: 'NOERROR' | 'NXDOMAIN'
  readonly addresses: readonly string[]
}

/** A client begins to ask an agent for a name that does not belong to the cluster, and that is asked for only once. */
export interface OutsideQuestion extends OfNode {
  readonly name: string
  /** Addresses and ports of the recursors of the run. An agent may have others in its configuration, which are down. */
  readonly recursors: readonly string[]
}

/** A recursor has been asked for a name by the agent. */
export interface RecursorAsked extends OfNode {
  readonly name: string
  /** Address and port of the recursor. */
  readonly recursor: string
  /** Milliseconds until it sends an answer that says that the name exists, or that it does not; undefined: it does not. */
  readonly verdictInMs: number | undefined
}

/** What the client got. */
export interface OutsideAnswer extends OfNode {
  readonly name: string
  readonly calledUs: number
  /** Undefined: it waited in vain. */
  readonly rcode: string | undefined
  readonly addresses: readonly string[]
  /** Some of them may be missing. */
  readonly truncated: boolean
  readonly truth: OutsideTruth
  /** From the question to the answer, the agent was in contact with its leader, and no fault began or ended. */
  readonly isCalm: boolean
}
