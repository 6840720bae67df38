/** The highest index of any answer when a request began. */
export interface Floor {
  readonly index: number
  readonly era: number
  /** The event of the answer with that index, in the trace; 0: no trace is recorded. */
  readonly event: number
}

/** An answer to a client whose token sees nothing that changes. */
export interface StillAnswer {
  readonly query: string
  /** A name for the token: that of the group of clients. */
  readonly token: string
  readonly agent: string
  readonly index: number
  /** With the status. */
  readonly body: string
}

/** A blocking read that was sent. */
export interface WaitingRead {
  readonly query: string
  readonly agent: string
  /** The server that answers stale reads from its own state: `s1, boot 2`; undefined: the agent asks others. */
  readonly server: string | undefined
  readonly consistency: 'default' | 'consistent' | 'stale'
  /** The index that it waits for; 0: it is not a blocking read. */
  readonly waited: number
  /** The client made up this index, far beyond the state; no answer had it. */
  readonly isAhead: boolean
  readonly waitMs: number
  readonly calledUs: number
  /** The highest index of any answer to this query when it was sent. */
  readonly floor: Floor
}
