import { Heap } from '../base/heap.ts'
import { invariant } from '../base/invariant.ts'
import type { Closable } from '../env/async.ts'
import type { Clock, Timers } from '../env/clock.ts'
import { nodeDelay } from './async.ts'

/** Closed timers stay in the queue until they are due, or until there are this many of them and more than live ones. */
const closedKeptMax = 4096

interface Timer {
  readonly dueMs: number
  readonly sequence: number
  fire: (() => void) | undefined
  queued: boolean
}

const earlier = (a: Timer, b: Timer): boolean => a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.sequence < b.sequence)

/**
 * Timers in the order of their exact due time, on one timer of Node. Node itself orders by whole milliseconds, with
 * timers of different delays in lists of their own, so that two of them may fire in the wrong order; and it may fire up
 * to a millisecond too early by the monotonic clock.
 */
export class HostTimers implements Timers {
  readonly #clock: Clock
  #queue = new Heap<Timer>(earlier)
  #sequence = 0
  #closed = 0
  #armed: { readonly handle: NodeJS.Timeout; readonly dueMs: number } | undefined
  #stopped = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  after(delayMs: number, fire: () => void): Closable {
    invariant(!Number.isNaN(delayMs), 'a timer needs a delay', { delayMs })
    if (this.#stopped) return { close: () => undefined }
    const nowMs = this.#clock.monoMs()
    const timer: Timer = { dueMs: nowMs + Math.max(0, delayMs), sequence: this.#sequence++, fire, queued: true }
    if (delayMs <= 0 && !this.#isDue(nowMs)) return this.#atOnce(timer)
    this.#queue.push(timer)
    if (this.#armed === undefined || timer.dueMs < this.#armed.dueMs) this.#arm()
    return { close: () => this.#close(timer) }
  }

  /** Drops all timers for good: none fires any more, and none is accepted. */
  stop(): void {
    this.#stopped = true
    this.#queue = new Heap<Timer>(earlier)
    clearTimeout(this.#armed?.handle)
    this.#armed = undefined
  }

  /** Whether a timer that was set earlier is due and was not fired yet. */
  #isDue(nowMs: number): boolean {
    const head = this.#queue.peek()
    return head !== undefined && head.dueMs <= nowMs
  }

  /** Node's own timers take at least a millisecond, which is long for work that only yields to others. */
  #atOnce(timer: Timer): Closable {
    timer.queued = false
    setImmediate(() => this.#fire(timer))
    return { close: () => this.#close(timer) }
  }

  #close(timer: Timer): void {
    if (timer.fire === undefined) return
    timer.fire = undefined
    if (!timer.queued) return
    this.#closed++
    if (this.#closed > closedKeptMax && this.#closed > this.#queue.size / 2) this.#compact()
  }

  #compact(): void {
    const live = new Heap<Timer>(earlier)
    for (let timer = this.#queue.pop(); timer !== undefined; timer = this.#queue.pop()) {
      if (timer.fire !== undefined) live.push(timer)
    }
    this.#queue = live
    this.#closed = 0
  }

  #arm(): void {
    clearTimeout(this.#armed?.handle)
    this.#armed = undefined
    this.#dropClosedHead()
    const head = this.#queue.peek()
    if (head === undefined || head.dueMs === Number.POSITIVE_INFINITY) return
    // If it is woken early, because the delay was too long for Node or Node fired too soon, it finds nothing due and
    // arms again.
    const handle = setTimeout(() => this.#wake(), nodeDelay(head.dueMs - this.#clock.monoMs()))
    this.#armed = { handle, dueMs: head.dueMs }
  }

  #dropClosedHead(): void {
    for (let head = this.#queue.peek(); head !== undefined && head.fire === undefined; head = this.#queue.peek()) {
      this.#queue.pop()
      this.#closed--
    }
  }

  /** Fires due timers, each in a turn of its own: between two immediates, Node runs the pending promise jobs. */
  #wake(): void {
    this.#armed = undefined
    const nowMs = this.#clock.monoMs()
    for (let head = this.#queue.peek(); head !== undefined && head.dueMs <= nowMs; head = this.#queue.peek()) {
      this.#queue.pop()
      const due = head
      due.queued = false
      if (due.fire === undefined) this.#closed--
      else setImmediate(() => this.#fire(due))
    }
    this.#arm()
  }

  #fire(timer: Timer): void {
    const fire = timer.fire
    timer.fire = undefined
    if (!this.#stopped) fire?.()
  }
}
