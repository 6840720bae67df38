/** A user event that a client asks an agent to fire. */
export interface FiredEvent {
  /** Name, payload and filters as text; no other event of the run has the same. */
  readonly content: string
  readonly agent: string
  /** Undefined: it has no filter by node name. */
  readonly isForNode: ((node: string) => boolean) | undefined
  /** ID in the agent's answer; undefined: no answer yet. */
  id: string | undefined
  readonly calledUs: number
}

export interface ListedEvent {
  readonly id: string
  readonly content: string
  readonly lamport: number
}

/** A list request that waits for an index other than this. */
export interface EventWait {
  readonly node: string
  readonly boot: number
  /** The name whose events are listed; empty: all events. */
  readonly name: string
  readonly index: string
  readonly waitMs: number
  readonly calledUs: number
}

/** An answer to `GET /v1/event/list`, by an agent whose process did not restart meanwhile. */
export interface EventListing {
  readonly node: string
  readonly boot: number
  /** The name whose events are listed; empty: all events. */
  readonly name: string
  readonly calledUs: number
  readonly wait: EventWait | undefined
  readonly index: string
  readonly events: readonly ListedEvent[]
}

/** A request to an agent that matches an event, to see whether it has received the event. */
export interface EventLook {
  readonly event: FiredEvent
  /** When it was fired. */
  readonly firedUs: number
  readonly node: string
  readonly isThere: boolean
  /** `gossip`: gossip has had its time. `exchange`: besides, every agent has exchanged its state with another since. */
  readonly after: 'gossip' | 'exchange'
}

/** An event that a client with a restricted token asks an agent to fire. */
export interface FewRightsFire {
  readonly content: string
  readonly agent: string
  readonly mayWrite: boolean
  /** Undefined: no answer tells the outcome. */
  outcome: 'fired' | 'refused' | undefined
}

/** What one agent shows for a restricted token, and all that it lists before and after that, as text. */
export interface FewRightsList {
  readonly node: string
  /** The names of the events that the token may read. */
  readonly names: readonly string[]
  readonly before: readonly string[]
  readonly shown: readonly string[]
  readonly after: readonly string[]
}
