import { invariant } from '../../src/base/invariant.ts'
import type { RandomStream } from '../../src/env/random.ts'
import type { SimEvent } from './sim-event.ts'

/** Cancelled events stay until they are due, or until there are this many of them and more than live ones. */
const cancelledKeptMax = 1024

function before(a: SimEvent, b: SimEvent): boolean {
  return a.timeUs < b.timeUs || (a.timeUs === b.timeUs && a.sequence < b.sequence)
}

/** Events by (time, sequence): a binary heap, with the comparison written out, for it is the hottest thing of a run. */
export class EventQueue {
  #heap: SimEvent[] = []
  #sequence = 0
  #cancelled = 0
  readonly #pendingMax: number

  constructor(pendingMax: number) {
    this.#pendingMax = pendingMax
  }

  /** Events that may still happen. */
  get pending(): number {
    return this.#heap.length - this.#cancelled
  }

  get isFull(): boolean {
    return this.#heap.length - this.#cancelled > this.#pendingMax
  }

  /** When the next event is due; undefined when there is none. */
  nextTimeUs(): number | undefined {
    return this.#head()?.timeUs
  }

  push(event: SimEvent, timeUs: number): void {
    invariant(Number.isSafeInteger(timeUs), 'an instant is a whole number of microseconds', { timeUs })
    event.timeUs = timeUs
    event.sequence = this.#sequence++
    event.queued = true
    this.#heap.push(event)
    this.#rise(this.#heap.length - 1)
  }

  pop(): SimEvent | undefined {
    const head = this.#head()
    if (head === undefined) return undefined
    head.queued = false
    this.#removeHead()
    return head
  }

  /**
   * One of the events of the earliest instant, drawn. Of one lane only the first can be drawn. Where there is no choice
   * nothing is drawn.
   */
  popDrawn(draw: RandomStream): SimEvent | undefined {
    const first = this.pop()
    if (first === undefined) return undefined
    const tied = [first]
    for (let next = this.#head(); next !== undefined && next.timeUs === first.timeUs; next = this.#head()) {
      this.#removeHead()
      tied.push(next)
    }
    let at = tied.length === 1 ? 0 : draw.below(tied.length)
    const { lane } = tied[at] as SimEvent
    if (lane !== undefined) at = tied.findIndex((each) => each.lane === lane)
    const [drawn] = tied.splice(at, 1) as [SimEvent]
    first.queued = true
    drawn.queued = false
    for (const other of tied) {
      this.#heap.push(other)
      this.#rise(this.#heap.length - 1)
    }
    return drawn
  }

  cancel(event: SimEvent): void {
    if (event.cancelled) return
    event.cancelled = true
    if (!event.queued) return
    this.#cancelled++
    if (this.#cancelled > cancelledKeptMax && this.#cancelled > this.#heap.length / 2) this.keep(() => true)
  }

  /** Drops what does not pass. May change times: the order is made anew. */
  keep(passes: (event: SimEvent) => boolean): void {
    const kept = this.#heap.filter((event) => !event.cancelled && passes(event))
    this.#cancelled = 0
    this.#heap = []
    for (const event of kept) {
      this.#heap.push(event)
      this.#rise(this.#heap.length - 1)
    }
  }

  #head(): SimEvent | undefined {
    for (let head = this.#heap[0]; head !== undefined; head = this.#heap[0]) {
      if (!head.cancelled) return head
      this.#removeHead()
      this.#cancelled--
    }
    return undefined
  }

  #rise(from: number): void {
    const heap = this.#heap
    const event = heap[from] as SimEvent
    let at = from
    while (at > 0) {
      const parent = (at - 1) >> 1
      const above = heap[parent] as SimEvent
      if (!before(event, above)) break
      heap[at] = above
      at = parent
    }
    heap[at] = event
  }

  #removeHead(): void {
    const heap = this.#heap
    const last = heap.pop() as SimEvent
    const { length } = heap
    if (length === 0) return
    const half = length >> 1
    let at = 0
    while (at < half) {
      let child = 2 * at + 1
      if (child + 1 < length && before(heap[child + 1] as SimEvent, heap[child] as SimEvent)) child++
      const below = heap[child] as SimEvent
      if (!before(below, last)) break
      heap[at] = below
      at = child
    }
    heap[at] = last
  }
}
