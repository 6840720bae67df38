/** How fresh a caller of kept answers wants them. Reference: http-reads.md#cache-control. */
export interface Freshness {
  /** Ask anew, whatever is kept. */
  readonly revalidate: boolean
  readonly maxAgeMs?: number
  /** How old an answer may be where asking anew fails. */
  readonly staleIfErrorMs?: number
}

export interface CallOptions {
  /** The secret of the token that the call is made with; empty or absent: the agent's default token, else the anonymous one. */
  readonly token?: string
  /** The client's address, unless this agent itself is the caller: the requests of each client are bounded. */
  readonly client?: string
  /** Another datacenter, which a write is for; a read says it among its options. */
  readonly datacenter?: string
  /** Ends the call early: the client went away. */
  onAbort?(use: () => void): void
}
