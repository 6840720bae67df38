import { equalBytes } from '../../base/bytes.ts'
import { invariant } from '../../base/invariant.ts'
import type { HeardEvents, Message } from './messages.ts'

type UserEvent = Extract<Message, { readonly kind: 'user-event' }>

/** Events of one Lamport time; there are several when several agents fired at once. */
const eventsAtOnceMax = 64

/**
 * Maximum size of all events together: twice what 512 of the largest that agents fire take. Each exchange of states
 * carries them, beside the members of a large pool, and a state that is too large is refused.
 */
const bytesMax = 1 << 20
/** More than an event takes besides its name and its payload. */
const eventBytes = 64

/** Events heard, by Lamport time: each is delivered once, and an exchange passes them to members that were away. */
export class RecentEvents {
  /** Number of Lamport times whose events are remembered. */
  readonly timesMax: number
  /** At most `timesMax`: times that are a multiple of that number apart share a place. */
  readonly #times = new Map<number, HeardEvents>()
  #bytes = 0
  /** The newest time whose events were forgotten for want of room. */
  #forgotten = -1

  constructor(timesMax: number) {
    this.timesMax = timesMax
  }

  /** Whether events of this time may have been known once, and were forgotten since. */
  isForgotten(lamport: number): boolean {
    return lamport <= this.#forgotten
  }

  /** False if the event is known already, or its Lamport time has no room left. */
  add({ lamport, name, payload }: UserEvent): boolean {
    const place = lamport % this.timesMax
    const heard = this.#times.get(place)
    const isOfTime = heard?.lamport === lamport
    const known = isOfTime ? heard.events : []
    if (known.length >= eventsAtOnceMax) return false
    if (known.some((other) => other.name === name && equalBytes(other.payload, payload))) return false
    if (heard !== undefined && !isOfTime) this.#bytes -= bytesOf(heard)
    const added = { lamport, events: [...known, { name, payload }] }
    this.#times.set(place, added)
    this.#bytes += bytesOf({ lamport, events: added.events.slice(-1) })
    while (this.#bytes > bytesMax) this.#forgetOldest()
    return true
  }

  #forgetOldest(): void {
    let oldest: HeardEvents | undefined
    for (const heard of this.#times.values()) if (heard.lamport < (oldest?.lamport ?? Infinity)) oldest = heard
    invariant(oldest !== undefined, 'what takes room is there')
    this.#times.delete(oldest.lamport % this.timesMax)
    this.#bytes -= bytesOf(oldest)
    this.#forgotten = Math.max(this.#forgotten, oldest.lamport)
  }

  /** In order of time. */
  all(): readonly HeardEvents[] {
    return [...this.#times.values()].sort((a, b) => a.lamport - b.lamport)
  }
}

function bytesOf({ events }: HeardEvents): number {
  return events.reduce((sum, { name, payload }) => sum + eventBytes + 3 * name.length + payload.length, 0)
}
