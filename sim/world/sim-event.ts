import type { Caused, CauseList } from '../report/trace-record.ts'
import type { Boot } from './boot.ts'
import type { Lane } from './decisions/identity.ts'

/**
 * An event at an instant of true time, in a turn of its own. Kinds are subclasses, so that the common ones need no
 * closure each.
 */
export abstract class SimEvent implements Caused {
  // Declared here and set in the constructor: an initialiser defines a property, which engines do a hundred times more
  // slowly than setting one if there are many subclasses.

  /** Microseconds of true time, an integer. Set by the queue. */
  declare timeUs: number
  /** It is in the queue, where it stays until it is due even if it is cancelled. */
  declare queued: boolean
  declare cancelled: boolean
  /**
   * Number of the trace event that led to it; 0: the event that delivered the turn in which it was queued. The queue
   * sets that only if the trace has a reader.
   */
  declare cause: number
  /** All causes, if there are several and the trace has a reader. */
  declare causes: CauseList | undefined
  declare readonly lane: Lane | undefined
  /** That of its lane; for an event without a lane, a part of its own identity. */
  declare readonly tie: number

  constructor(lane: Lane | undefined, tie: number) {
    this.timeUs = 0
    this.queued = false
    this.cancelled = false
    this.cause = 0
    this.causes = undefined
    this.lane = lane
    this.tie = tie
  }

  /** The process to which it happens. It never happens when that is dead, and waits while that is paused. */
  abstract holder(): Boot | undefined

  abstract deliver(): void

  /** Sets its cause to this event, whatever the turn is. */
  causedByAlone(cause: number): void {
    this.cause = cause
    this.causes = undefined
  }

  /** Adds this event as a further cause. */
  causedBy(cause: number): void {
    this.causes = [...(this.causes ?? [this.cause]), cause]
  }

  /** It is due, but its process is paused. Returns false if it cannot wait. */
  waits(): boolean {
    return true
  }

  /** It will never happen: the machine had no space for it, or its process died. */
  dropped(): void {}

  /** How much of the machine's memory for a paused process it takes; beyond the limit it is lost. */
  backlogBytes(): number {
    return 0
  }
}
