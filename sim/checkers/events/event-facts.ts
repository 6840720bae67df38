/** A user event that a client asks an agent to fire. */
export interface FiredEvent {
  /** Name, payload and filters in words; no other event of the run has these. */
  readonly content: string
  readonly agent: string
  /** Undefined: its filter is not by name of nodes. */
  readonly isForNode: ((node: string) => boolean) | undefined
  /** By the agent's answer; undefined: there is none yet. */
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
  /** What is listed: a name, or everything if empty. */
  readonly name: string
  readonly index: string
  readonly waitMs: number
  readonly calledUs: number
}

/** An answer to `GET /v1/event/list`, of an agent whose process was one and the same meanwhile. */
export interface EventListing {
  readonly node: string
  readonly boot: number
  /** What is listed: a name, or everything if empty. */
  readonly name: string
  readonly calledUs: number
  readonly wait: EventWait | undefined
  readonly index: string
  readonly events: readonly ListedEvent[]
}

/** An agent that an event is for was asked whether it has come. */
export interface EventLook {
  readonly event: FiredEvent
  /** When it was fired. */
  readonly firedUs: number
  readonly node: string
  readonly isThere: boolean
  /** Gossip has had its time; `exchange`: and every agent has exchanged its state with another since. */
  readonly after: 'gossip' | 'exchange'
}
