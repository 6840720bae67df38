/** A user event that a client asks an agent to fire. */
export interface FiredEvent {
  /** Name, payload and filters in words; no other event of the run has these. */
  readonly content: string
  readonly agent: string
  /** Undefined: its filter is not by name of nodes. */
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

/** A list that waits for another index than this. */
export interface EventWait {
  readonly node: string
  readonly boot: number
  /** The name whose events are listed; empty: all events. */
  readonly name: string
  readonly index: string
  readonly waitMs: number
  readonly calledUs: number
}

/** An answer to `GET /v1/event/list`, of an agent whose process was one and the same meanwhile. */
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

/** An agent that matches an event was asked whether it has received the event. */
export interface EventLook {
  readonly event: FiredEvent
  /** When it was fired. */
  readonly firedUs: number
  readonly node: string
  readonly isThere: boolean
  /** Gossip has had its time; `exchange`: and every agent has exchanged its state with another since. */
  readonly after: 'gossip' | 'exchange'
}

/** An event that a token with few rights asks an agent to fire. */
export interface FewRightsFire {
  readonly content: string
  readonly agent: string
  readonly mayWrite: boolean
  /** Undefined: there is no answer that tells. */
  outcome: 'fired' | 'refused' | undefined
}

/** What one agent shows to a token with few rights, and all that it lists before and after that, in words. */
export interface FewRightsList {
  readonly node: string
  /** The token may read events of these names alone. */
  readonly names: readonly string[]
  readonly before: readonly string[]
  readonly shown: readonly string[]
  readonly after: readonly string[]
}
