import { invariant } from '../../src/base/invariant.ts'
import type { Trace } from '../report/trace.ts'
import type { Identity } from './decisions/identity.ts'
import { wordOf } from './decisions/identity.ts'
import type { SimEvent } from './sim-event.ts'

/** Cancelled events stay until they are due, or until there are this many of them and more than live ones. */
const cancelledKeptMax = 256

/**
 * Maximum number of events of an instant among which an order is drawn; if there are thousands, as after a long pause,
 * further ones wait for their turn.
 */
const drawnAmongMax = 256

/**
 * Events by (time, sequence): a binary heap with an inlined comparison, because it is the hottest code of a run. The
 * compared numbers are in arrays beside the events, which are of many kinds and slow to access.
 */
export class EventQueue {
  #events: SimEvent[] = []
  #times: number[] = []
  #sequences: number[] = []
  #sequence = 0
  #cancelled = 0
  /** By tie, the number of events of the instant that were delivered. */
  readonly #taken = new Map<number, number>()
  #takenAtUs = -1
  readonly #pendingMax: number
  readonly #trace: Pick<Trace, 'cause' | 'teller'>

  /** `trace`: has the event that began the turn, which causes the events that the turn queues. */
  constructor(pendingMax: number, trace: Pick<Trace, 'cause' | 'teller'> = { cause: 0, teller: undefined }) {
    this.#pendingMax = pendingMax
    this.#trace = trace
  }

  /** Number of events that may still happen. */
  get pending(): number {
    return this.#events.length - this.#cancelled
  }

  get isFull(): boolean {
    return this.#events.length - this.#cancelled > this.#pendingMax
  }

  /** When the next event is due; undefined if there is none. */
  nextTimeUs(): number | undefined {
    return this.#head()?.timeUs
  }

  push(event: SimEvent, timeUs: number): void {
    invariant(Number.isSafeInteger(timeUs), 'an instant is a whole number of microseconds', { timeUs })
    event.timeUs = timeUs
    event.queued = true
    const { teller } = this.#trace
    if (teller !== undefined && event.cause === 0) {
      event.cause = this.#trace.cause
      event.causes = teller.now
    }
    this.#insert(event, timeUs, this.#sequence++)
  }

  pop(): SimEvent | undefined {
    const head = this.#head()
    if (head === undefined) return undefined
    head.queued = false
    this.#removeHead()
    return head
  }

  /**
   * Takes one of the events of the earliest instant. The candidates are the first event of each lane; the one with the
   * smallest number by `order` comes, which depends on the instant, its identity, and how many events of its lane were
   * delivered. Other events of the instant do not change which of two comes first.
   */
  popDrawn(order: Identity): SimEvent | undefined {
    const first = this.#head()
    if (first === undefined) return undefined
    const sequence = this.#sequences[0] as number
    this.#removeHead()
    const drawn = this.#head()?.timeUs === first.timeUs ? this.#drawnOf(first, sequence, order) : first
    drawn.queued = false
    return drawn
  }

  /** Chooses among `first` and the queued events of the same instant. */
  #drawnOf(first: SimEvent, sequence: number, order: Identity): SimEvent {
    const tied = [first]
    const sequences = [sequence]
    for (let next = this.#head(); next?.timeUs === first.timeUs; next = this.#head()) {
      if (tied.length === drawnAmongMax) break
      tied.push(next)
      sequences.push(this.#sequences[0] as number)
      this.#removeHead()
    }
    const at = this.#firstOf(tied, first.timeUs, order)
    for (const [other, event] of tied.entries()) {
      if (other !== at) this.#insert(event, event.timeUs, sequences[other] as number)
    }
    const drawn = tied[at] as SimEvent
    this.#taken.set(drawn.tie, (this.#taken.get(drawn.tie) ?? 0) + 1)
    return drawn
  }

  /** Events that may still happen, in no order. */
  live(): readonly SimEvent[] {
    return this.#events.filter(({ cancelled }) => !cancelled)
  }

  cancel(event: SimEvent): void {
    if (event.cancelled) return
    event.cancelled = true
    if (!event.queued) return
    this.#cancelled++
    if (this.#cancelled > cancelledKeptMax && this.#cancelled > this.#events.length / 2) this.keep(() => true)
  }

  /** Removes events that do not pass. If `passes` changes the time of an event, the event is due at the new time. */
  keep(passes: (event: SimEvent) => boolean): void {
    const [events, sequences] = [this.#events, this.#sequences]
    this.#events = []
    this.#times = []
    this.#sequences = []
    this.#cancelled = 0
    for (const [at, event] of events.entries()) {
      if (!event.cancelled && passes(event)) this.#insert(event, event.timeUs, sequences[at] as number)
    }
  }

  #firstOf(tied: readonly SimEvent[], timeUs: number, order: Identity): number {
    if (timeUs !== this.#takenAtUs) this.#taken.clear()
    this.#takenAtUs = timeUs
    const ofInstant = { a: order.a ^ timeUs, b: order.b }
    const lanes = new Set<object>()
    let [best, least] = [0, Number.POSITIVE_INFINITY]
    for (const [at, { tie, lane }] of tied.entries()) {
      if (lane !== undefined && lanes.has(lane)) continue
      if (lane !== undefined) lanes.add(lane)
      const word = wordOf(ofInstant, tie + (this.#taken.get(tie) ?? 0))
      if (word < least) [best, least] = [at, word]
    }
    return best
  }

  #head(): SimEvent | undefined {
    for (let head = this.#events[0]; head !== undefined; head = this.#events[0]) {
      if (!head.cancelled) return head
      this.#removeHead()
      this.#cancelled--
    }
    return undefined
  }

  #insert(event: SimEvent, timeUs: number, sequence: number): void {
    const events = this.#events
    const times = this.#times
    const sequences = this.#sequences
    let at = events.length
    events.push(event)
    times.push(timeUs)
    sequences.push(sequence)
    while (at > 0) {
      const parent = (at - 1) >> 1
      const above = times[parent] as number
      if (timeUs > above || (timeUs === above && sequence > (sequences[parent] as number))) break
      events[at] = events[parent] as SimEvent
      times[at] = above
      sequences[at] = sequences[parent] as number
      at = parent
    }
    events[at] = event
    times[at] = timeUs
    sequences[at] = sequence
  }

  #removeHead(): void {
    const events = this.#events
    const times = this.#times
    const sequences = this.#sequences
    const last = events.pop() as SimEvent
    const lastTime = times.pop() as number
    const lastSequence = sequences.pop() as number
    const { length } = events
    if (length === 0) return
    const half = length >> 1
    let at = 0
    while (at < half) {
      let child = 2 * at + 1
      if (child + 1 < length && this.#isBefore(child + 1, child)) child++
      const below = times[child] as number
      if (below > lastTime || (below === lastTime && (sequences[child] as number) > lastSequence)) break
      events[at] = events[child] as SimEvent
      times[at] = below
      sequences[at] = sequences[child] as number
      at = child
    }
    events[at] = last
    times[at] = lastTime
    sequences[at] = lastSequence
  }

  #isBefore(a: number, b: number): boolean {
    const first = this.#times[a] as number
    const second = this.#times[b] as number
    return first < second || (first === second && (this.#sequences[a] as number) < (this.#sequences[b] as number))
  }
}
