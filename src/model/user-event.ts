/**
 * A user event for agents to act on. Filters are regular expressions; '' matches all. Reference:
 * events.md#firing-an-event, events.md#filters.
 */
export interface UserEvent {
  /** A UUID. */
  readonly id: string
  readonly name: string
  readonly payload: Uint8Array
  readonly nodeFilter: string
  readonly serviceFilter: string
  readonly tagFilter: string
  /** Lamport time of the pool's; 0 before it is fired. */
  readonly lamport: number
}
