/** What a request may leave in the replicated log, recognized by a UUID that only this request has. */
export type LogTrace =
  /** No entry at all: the agent or the leader refuses it. */
  | 'nothing'
  /** At most an entry without effect: the state itself refuses it. */
  | 'refusal'
  /** An entry that has taken effect when the request is answered. */
  | 'effect'

/** A request with one right answer, whatever else happens. */
export interface SettledRequest {
  /** The request and the asked agent, as text. */
  readonly what: string
  /** The UUID. */
  readonly mark: string
  readonly leaves: LogTrace
  /** Trace event of the request. */
  readonly calledIn: number
}

/** The answer to such a request. */
export interface SettledAnswer extends Pick<SettledRequest, 'what' | 'mark' | 'calledIn'> {
  /** From the request to its answer. */
  readonly tookMs: number
  readonly status: number
  readonly body: string
  /** The right status, and what the body must have. */
  readonly right: { readonly status: number; readonly body: RegExp }
  /** The agent was in contact with its leader throughout. */
  readonly isInContact: boolean
  /** And no fault had begun or ended for a while. */
  readonly isCalm: boolean
}
