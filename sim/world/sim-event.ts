import type { Caused, CauseList } from '../report/trace-record.ts'
import type { Boot } from './boot.ts'
import type { Lane } from './decisions/identity.ts'

/**
 * Something that happens at an instant of true time, in a turn of its own. Kinds are subclasses, so that the queue is
 * filled without a closure for each of the common ones.
 */
export abstract class SimEvent implements Caused {
  // Declared here and set in the constructor: an initialiser defines a property, and where the subclasses are many
  // engines do that a hundred times more slowly than they set one.

  /** Microseconds of true time, an integer. Set by the queue. */
  declare timeUs: number
  /** In the queue, where cancelling it leaves it until it is due. */
  declare queued: boolean
  declare cancelled: boolean
  /**
   * Number of the event in the trace that led to it; 0: what delivered the turn in which it is put into the queue. The
   * queue fills that in only where somebody reads the trace.
   */
  declare cause: number
  /** All of them, where there are several and somebody reads the trace. */
  declare causes: CauseList | undefined
  declare readonly lane: Lane | undefined
  /** That of its lane; of an event without a lane a part of its own identity. */
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

  /** The process that it happens to. It never happens when that is dead, and waits while that is paused. */
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

  /** It will never happen: the machine had no room for it, or the process it waited for died. */
  dropped(): void {}

  /** What it takes of the memory that a machine has for a paused process; beyond the bound it is lost. */
  backlogBytes(): number {
    return 0
  }
}
