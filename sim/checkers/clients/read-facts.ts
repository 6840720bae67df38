/** The highest index of any answer when a request began. */
export interface Floor {
  readonly index: number
  readonly era: number
  /** Of the answer that came so high, in the trace; 0: nobody reads. */
  readonly event: number
}

/** A blocking read that was sent. */
export interface WaitingRead {
  readonly query: string
  readonly agent: string
  /** It answers stale reads from a state of its own: `s1, boot 2`; undefined: it asks others. */
  readonly server: string | undefined
  readonly consistency: 'default' | 'consistent' | 'stale'
  /** The index that it waits for; 0: it does not wait. */
  readonly waited: number
  /** The client made this index up, far beyond the state; no answer had it. */
  readonly isAhead: boolean
  readonly waitMs: number
  readonly calledUs: number
  /** What answers to this query had come to when it was sent. */
  readonly floor: Floor
}
