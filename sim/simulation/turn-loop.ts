import { invariant } from '../../src/base/invariant.ts'
import type { Identity } from '../world/decisions/identity.ts'
import type { Kernel } from '../world/kernel.ts'
import type { RunEnd, RunLimits } from '../world/run-end.ts'
import type { SimEvent } from '../world/sim-event.ts'
import type { SimNode } from './node.ts'

/**
 * After this many turns that seemed to touch no promise, the queues are drained nevertheless; it is a bug if anything
 * happens then.
 */
const auditedTurns = 256

export interface TurnLoopOptions {
  readonly limits: RunLimits
  readonly nodeAt: (number: number) => SimNode | undefined
  readonly onError: (node: SimNode, error: unknown) => void
  /** Called with the number of the turn that begins, counted from 1, and that of the event that it delivers. */
  readonly beforeTurn: ((turn: number, event: number) => void) | undefined
  readonly afterTurn: ((node: SimNode | undefined) => void) | undefined
  /** Determines the order of events of one instant; undefined: they happen in the order in which they were created. */
  readonly ties: Identity | undefined
}

/**
 * One turn: take the next event, arm the tripwire, deliver the event, let every promise job finish if the turn touched
 * promises, disarm, check. Turns that touch none follow one another without a break.
 */
export class TurnLoop {
  readonly #kernel: Kernel
  readonly #options: TurnLoopOptions
  #untilUs = 0
  #predicate: (() => boolean) | undefined
  #end: RunEnd | undefined
  #running = false
  /** Whether a turn is open whose promise jobs are running. */
  #open = false
  #turnOf: SimNode | undefined
  #sinceAudit = 0
  /** Number of turns when true time last advanced. */
  #turnsBefore = 0
  /** Number of Env calls when a turn without promises had ended; undefined if no such turn is being drained. */
  #auditCalls: number | undefined

  constructor(kernel: Kernel, options: TurnLoopOptions) {
    this.#kernel = kernel
    this.#options = options
  }

  stop(end: RunEnd): void {
    this.#end ??= end
  }

  async run(untilUs: number, predicate: (() => boolean) | undefined): Promise<RunEnd> {
    invariant(!this.#running, 'one run at a time')
    this.#running = true
    this.#untilUs = untilUs
    this.#predicate = predicate
    this.#end = undefined
    this.#kernel.endTurn()
    this.#checkEnd()
    try {
      const { platform, trace } = this.#kernel
      if (this.#end === undefined) {
        await platform.pump(
          (last) => this.#step(last),
          () => trace.settled(),
        )
      }
    } finally {
      this.#running = false
      this.#kernel.turn.holder = undefined
      this.#kernel.trace.flush()
    }
    return this.#end ?? { kind: 'stopped', message: 'nothing more to do' }
  }

  #step(last: boolean): boolean {
    if (this.#open) this.#closeTurn()
    if (last) return this.#end === undefined
    while (this.#end === undefined) {
      // The reader of the trace comes first, at the end of the round.
      if (this.#kernel.trace.isHeld) return true
      const event = this.#next()
      if (event === undefined) continue
      if (this.#deliver(event)) return true
      this.#closeTurn()
    }
    return false
  }

  /** The next event to deliver; undefined if there is none, or it does not happen. */
  #next(): SimEvent | undefined {
    const kernel = this.#kernel
    const dueUs = kernel.queue.nextTimeUs()
    if (dueUs === undefined || dueUs > this.#untilUs) {
      this.#advance(this.#untilUs)
      this.#end = { kind: 'time', message: `the time is over at ${this.#untilUs / 1_000_000} s` }
      return undefined
    }
    const { ties } = this.#options
    const event = ties === undefined ? kernel.queue.pop() : kernel.queue.popDrawn(ties)
    if (event === undefined) return undefined
    const holder = event.holder()
    if (holder?.alive === false) {
      event.dropped()
      return undefined
    }
    if (holder?.paused === true) {
      this.#advance(event.timeUs)
      this.#options.nodeAt(holder.node)?.hold(event)
      return undefined
    }
    this.#turnOf = holder === undefined ? undefined : this.#options.nodeAt(holder.node)
    return event
  }

  #advance(timeUs: number): void {
    if (timeUs === this.#kernel.nowUs) return
    this.#kernel.nowUs = timeUs
    this.#turnsBefore = this.#kernel.turns
    this.#kernel.trace.setTime(timeUs)
  }

  /** True if promise jobs must run before the turn can be closed. */
  #deliver(event: SimEvent): boolean {
    const kernel = this.#kernel
    const { turn } = kernel
    this.#advance(event.timeUs)
    kernel.turns++
    this.#options.beforeTurn?.(kernel.turns, kernel.trace.last + 1)
    turn.touched = false
    turn.holder = this.#turnOf?.name ?? 'the driver'
    this.#open = true
    kernel.trace.begin(event)
    try {
      event.deliver()
    } catch (error) {
      this.#failed(error)
    }
    if (turn.touched) {
      this.#sinceAudit = 0
      return true
    }
    this.#sinceAudit++
    if (this.#sinceAudit < auditedTurns) return false
    this.#sinceAudit = 0
    this.#auditCalls = kernel.calls
    return true
  }

  #closeTurn(): void {
    const kernel = this.#kernel
    this.#open = false
    if (this.#auditCalls !== undefined) this.#audit(this.#auditCalls)
    kernel.endTurn()
    kernel.turn.holder = undefined
    const unhandled = kernel.platform.takeUnhandled()
    if (unhandled !== undefined) this.#failed(unhandled.reason)
    try {
      this.#options.afterTurn?.(this.#turnOf)
    } catch (error) {
      const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
      kernel.fail({ kind: 'checker-error', message, ...(error instanceof Error ? { error } : {}) })
    }
    // Output of the checkers or the driver between turns is sent now, too.
    kernel.endTurn()
    kernel.trace.flush()
    this.#checkEnd()
  }

  #audit(callsBefore: number): void {
    this.#auditCalls = undefined
    if (this.#kernel.calls === callsBefore) return
    const node = this.#turnOf?.name ?? 'the driver'
    const message = `${node} went on after a turn that had touched no promise of its Env: some code settles promises by other means`
    this.#kernel.fail({ kind: 'async-leak', node, message })
  }

  /** An exception in a turn is an error of the node whose turn it was, or of the driver. */
  #failed(error: unknown): void {
    const node = this.#turnOf
    if (node !== undefined) {
      this.#options.onError(node, error)
      return
    }
    const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
    this.#kernel.fail({ kind: 'checker-error', message, ...(error instanceof Error ? { error } : {}) })
  }

  #checkEnd(): void {
    const { failure, queue, turns } = this.#kernel
    const { limits } = this.#options
    if (failure !== undefined) this.#end = { kind: 'failed', message: failure.message, failure }
    else if (this.#predicate?.() === true) this.#end ??= { kind: 'predicate', message: 'what was waited for is there' }
    else if (turns >= limits.turns) this.#end ??= { kind: 'limit', message: `${turns} events, the most of a run` }
    else if (turns - this.#turnsBefore >= limits.turnsAtOneInstant) this.#end ??= this.#standstill()
    else if (queue.isFull)
      this.#end ??= { kind: 'limit', message: `${queue.pending} events wait, more than a run may have` }
  }

  #standstill(): RunEnd {
    const { turnsAtOneInstant: count } = this.#options.limits
    const node = this.#turnOf?.name ?? 'the driver'
    const message = `${count} events at ${this.#kernel.nowUs / 1_000_000} s, and time does not go on; the last was of ${node}`
    return { kind: 'limit', message }
  }
}
