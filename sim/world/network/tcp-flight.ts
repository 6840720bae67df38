import { traceKinds } from '../../report/trace-kinds.ts'
import type { Lane } from '../decisions/identity.ts'
import type { Kernel } from '../kernel.ts'
import type { Link } from './link.ts'
import { carriedKinds } from './passage.ts'
import { type PipeEnd, type Segment, SegmentEvent, type SegmentTaker } from './tcp-segment.ts'
import type { ToldPipe } from './told-pipe.ts'

export interface FlightParts {
  readonly kernel: Kernel
  readonly lane: Lane
  /** Number of the connection in the trace. */
  readonly number: number
  readonly link: Link
  /** The direction on which the peer's acknowledgements return. */
  readonly back: Link
  readonly to: PipeEnd
  readonly told: ToldPipe | undefined
  /** Nothing arrives, and the sender waits. `cause`: number of the event that shows it. */
  readonly stalled: (cause?: number) => void
  /** A segment has arrived, but its acknowledgement is lost. */
  readonly wordLost: () => void
  /** The other end no longer knows the connection, and resets it. */
  readonly refused: () => void
}

/**
 * The segments of one direction of a connection that were sent and have not arrived. They arrive in order: those after
 * a lost one do not count, and all of them are resent.
 */
export class Flight implements SegmentTaker {
  readonly lane: Lane
  readonly #parts: FlightParts
  readonly #segments: Segment[] = []
  /** Incremented when something is lost under way, so that what was sent before no longer counts. */
  #epoch = 0
  #lastArrivalUs = 0

  constructor(parts: FlightParts) {
    this.#parts = parts
    this.lane = parts.lane
  }

  /** When the last sent segment arrives, or would have arrived. */
  get lastArrivalUs(): number {
    return this.#lastArrivalUs
  }

  /** The first lost segment; undefined: all are under way. */
  get firstLost(): Segment | undefined {
    return this.#segments.find((segment) => !segment.onItsWay)
  }

  /** Queues a segment; `launch` sends it. */
  add(segment: Segment): void {
    this.#segments.push(segment)
  }

  /** False if it was lost at once. `tries`: number of retries since the sender stalled. */
  launch(segment: Segment, tries: number): boolean {
    const { kernel, link, number, to, told } = this.#parts
    const passage = link.passageOfPart(carriedKinds.segment, segment.of, segment.part)
    if (!link.lets(passage)) {
      told?.next(segment, link.lossBy)
      kernel.trace.add(traceKinds.segmentLost, link.from.number, link.to.number, number, tries)
      this.#parts.stalled(kernel.trace.last)
      return false
    }
    // Strictly later than the one before, so that no drawn order can swap them.
    const atUs = Math.max(kernel.nowUs + passage.delayUs(), this.#lastArrivalUs + 1)
    this.#lastArrivalUs = atUs
    segment.onItsWay = true
    told?.next(segment)
    kernel.trace.add(traceKinds.segmentSent, link.from.number, link.to.number, number, segment.bytes.length)
    segment.sentBy = kernel.trace.last
    const event = new SegmentEvent(this, to, segment, this.#epoch)
    event.cause = segment.sentBy
    kernel.queue.push(event, atUs)
    return true
  }

  /** Resends what was lost, up to the first segment that is lost at once; false if there was one. */
  relaunch(tries: number): boolean {
    for (const segment of this.#segments) {
      if (!segment.onItsWay && !this.launch(segment, tries)) return false
    }
    return true
  }

  reach(segment: Segment, epoch: number): boolean {
    if (epoch !== this.#epoch) return false
    segment.reached = this.#parts.link.isWhole
    if (!segment.reached) this.arrive(segment, epoch)
    return segment.reached
  }

  arrive(segment: Segment, epoch: number): void {
    const { kernel, link, back, number, to, told } = this.#parts
    if (epoch !== this.#epoch && !segment.reached) return
    if (!segment.reached && !link.isWhole) {
      told?.lost(segment, [segment.sentBy, link.lossBy])
      this.#lose()
      this.#parts.stalled()
      return
    }
    kernel.tellNext(segment.told?.means)
    kernel.trace.addBytes(traceKinds.segment, link.to.number, link.from.number, number, 0, segment.bytes)
    if (to.isGone) {
      this.#lose()
      this.#parts.refused()
      return
    }
    if (this.#segments[0] === segment) this.#segments.shift()
    if (!back.isWhole) this.#parts.wordLost()
    to.receive(segment)
  }

  /** Segments under way are ignored when they arrive. */
  #lose(): void {
    this.#epoch++
    for (const segment of this.#segments) segment.onItsWay = segment.reached
  }
}
