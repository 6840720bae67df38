import { traceKinds } from '../../report/trace-kinds.ts'
import type { Boot } from '../boot.ts'
import type { Lane } from '../decisions/identity.ts'
import type { Kernel } from '../kernel.ts'
import { SimEvent } from '../sim-event.ts'
import type { Link } from './link.ts'
import type { Passage } from './passage.ts'
import type { Told } from './told-pipe.ts'

/** Identity of one direction of a connection. */
export interface Direction {
  /** Number of the connection in the trace. */
  readonly number: number
  /** The port that the dialler has dialled. */
  readonly port: number
  readonly tie: number
}

/** One end of a pipe, in the pipe's view. */
export interface PipeEnd {
  readonly boot: Boot
  /** Accepts no more data: its process is dead, or it was closed. */
  readonly isGone: boolean
  /** Its machine does not answer for it any more either. */
  readonly isForgotten: boolean
  receive(segment: Segment): void
  /** All written bytes have been sent. */
  emptied(): void
  broke(why: 'reset' | 'timeout'): void
}

export interface Segment {
  readonly bytes: Uint8Array
  /** The bytes of one write, and which part of them this is. */
  readonly of: Passage
  readonly part: 0 | 1
  /** The first of all: the dialler's confirmation of the connection. */
  readonly opens: boolean
  /** The last of all. */
  readonly ends: boolean
  onItsWay: boolean
  /** The peer's machine has received it, but its process is paused. */
  reached: boolean
  /** For readers of the trace. */
  readonly told: Told | undefined
  /** Number of the event of its sending. */
  sentBy: number
}

/**
 * Handles a segment. `epoch`: the pipe's when it was sent; if the pipe's present one differs, the segment no longer
 * counts.
 */
export interface SegmentTaker {
  /** Of the direction of the connection. */
  readonly lane: Lane
  /** The machine receives it while its process is paused. False if it did not arrive. */
  reach(segment: Segment, epoch: number): boolean
  arrive(segment: Segment, epoch: number): void
}

export class SegmentEvent extends SimEvent {
  readonly #taker: SegmentTaker
  readonly #to: PipeEnd
  readonly #segment: Segment
  readonly #epoch: number

  constructor(taker: SegmentTaker, to: PipeEnd, segment: Segment, epoch: number) {
    super(taker.lane, taker.lane.tie)
    this.#taker = taker
    this.#to = to
    this.#segment = segment
    this.#epoch = epoch
  }

  /** If the process has ended, the machine answers by itself. */
  holder(): Boot | undefined {
    return this.#to.boot.alive ? this.#to.boot : undefined
  }

  override waits(): boolean {
    return this.#taker.reach(this.#segment, this.#epoch)
  }

  deliver(): void {
    this.#taker.arrive(this.#segment, this.#epoch)
  }
}

export class ResetEvent extends SimEvent {
  readonly #kernel: Kernel
  readonly #link: Link
  readonly #end: PipeEnd
  readonly #number: number

  constructor(kernel: Kernel, link: Link, end: PipeEnd, number: number, tie: number) {
    super(undefined, tie)
    this.#kernel = kernel
    this.#link = link
    this.#end = end
    this.#number = number
  }

  holder(): Boot | undefined {
    return this.#end.boot
  }

  deliver(): void {
    const whole = this.#link.isWhole
    const text = whole ? 'reset' : 'reset lost'
    this.#kernel.trace.addText(traceKinds.streamControl, this.#end.boot.node, 0, this.#number, 0, text)
    if (whole) this.#end.broke('reset')
  }
}
