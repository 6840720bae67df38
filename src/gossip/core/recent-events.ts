import { equalBytes } from '../../base/bytes.ts'
import type { HeardEvents, Message } from './messages.ts'

type UserEvent = Extract<Message, { readonly kind: 'user-event' }>

/** Events of one Lamport time; there are several when several agents fired at once. */
const eventsAtOnceMax = 64

/** Events heard, by Lamport time: each is delivered once, and an exchange passes them to members that were away. */
export class RecentEvents {
  /** Number of Lamport times whose events are remembered. */
  readonly timesMax: number
  /** At most `timesMax`: times that are a multiple of that number apart share a place. */
  readonly #times = new Map<number, HeardEvents>()

  constructor(timesMax: number) {
    this.timesMax = timesMax
  }

  /** False if the event is known already, or its Lamport time has no room left. */
  add({ lamport, name, payload }: UserEvent): boolean {
    const place = lamport % this.timesMax
    const heard = this.#times.get(place)
    if (heard?.lamport !== lamport) {
      this.#times.set(place, { lamport, events: [{ name, payload }] })
      return true
    }
    if (heard.events.length >= eventsAtOnceMax) return false
    if (heard.events.some((other) => other.name === name && equalBytes(other.payload, payload))) return false
    this.#times.set(place, { lamport, events: [...heard.events, { name, payload }] })
    return true
  }

  /** In order of time. */
  all(): readonly HeardEvents[] {
    return [...this.#times.values()].sort((a, b) => a.lamport - b.lamport)
  }
}
