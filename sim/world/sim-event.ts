import type { Boot } from './boot.ts'

/**
 * Something that happens at an instant of true time, in a turn of its own. Kinds are subclasses, so that the queue is
 * filled without a closure for each of the common ones.
 */
export abstract class SimEvent {
  /** Microseconds of true time, an integer. Set by the queue. */
  timeUs = 0
  /** Order among events of one instant. Set by the queue. */
  sequence = 0
  /** In the queue, where cancelling it leaves it until it is due. */
  queued = false
  cancelled = false
  /** Events of one lane keep their order whatever is drawn: a stream's bytes, a process's timers. */
  readonly lane: object | undefined

  constructor(lane: object | undefined) {
    this.lane = lane
  }

  /** The process that it happens to. It never happens when that is dead, and waits while that is paused. */
  abstract holder(): Boot | undefined

  abstract deliver(): void

  /** It is due, but its process is paused. False when it has nothing to wait with. */
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
