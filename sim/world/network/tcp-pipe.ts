import { emptyBytes } from '../../../src/base/bytes.ts'
import { traceKinds } from '../../report/trace-kinds.ts'
import type { EndOfTurn, Kernel } from '../kernel.ts'
import type { Link } from './link.ts'
import { carriedKinds, type Passage } from './passage.ts'
import { KeepAlive } from './tcp-keep-alive.ts'
import { type PipeEnd, ResetEvent, type Segment, SegmentEvent, type SegmentTaker } from './tcp-segment.ts'
import { ToldPipe } from './told-pipe.ts'
import { WaitingBytes } from './waiting-bytes.ts'

/** Bytes on their way or not yet read by the peer, of one direction. */
const windowBytes = 256 << 10
const segmentBytesMax = 64 << 10
/** RFC 6298, and the least that systems use. */
const firstRetryUs = 200_000
/** Without progress for this long a connection is given up: net.ipv4.tcp_retries2 at about 6. */
const giveUpUs = 15_000_000

/** What a direction of a connection is known by. */
export interface Direction {
  /** Of the connection, in the trace. */
  readonly number: number
  /** That the dialler has dialled. */
  readonly port: number
  readonly tie: number
}

/**
 * One direction of a connection, both kernels' part in it. Bytes arrive in order: what was lost, and all behind it, is
 * sent again after a time that doubles. (Real stacks send only what was lost; the peer's application sees no
 * difference, for it gets nothing beyond a hole either way.)
 */
export class TcpPipe implements EndOfTurn, SegmentTaker {
  ended = false
  /** The end has left, and with it all before. */
  endSent = false
  readonly #kernel: Kernel
  readonly #link: Link
  readonly #back: Link
  readonly #from: PipeEnd
  readonly #to: PipeEnd
  readonly #number: number
  readonly #port: number
  readonly tie: number
  readonly #keeper: KeepAlive
  readonly #waiting = new WaitingBytes()
  /** Sent, and not arrived. */
  readonly #flight: Segment[] = []
  /** Bytes that take room in the window, and those of them that get free, in order of time. */
  #used = 0
  readonly #freed: { readonly atUs: number; readonly bytes: number }[] = []
  /** Read by the peer, whose word of it was lost. */
  #unheard = 0
  #wordLost = false
  /** Rises when something is lost under way: what was sent before no longer counts. */
  #epoch = 0
  #lastArrivalUs = 0
  #stalledSinceUs = -1
  /** Number of the event since which it waits. */
  #stalledBy = 0
  #retryUs = firstRetryUs
  #tries = 0
  #waking = false
  #opening = false
  #dirty = false
  #aborted = false
  readonly #told: ToldPipe | undefined

  constructor(kernel: Kernel, direction: Direction, link: Link, back: Link, from: PipeEnd, to: PipeEnd) {
    this.#kernel = kernel
    this.#number = direction.number
    this.#port = direction.port
    this.tie = direction.tie
    this.#link = link
    this.#back = back
    this.#from = from
    this.#to = to
    const { trace } = kernel
    if (trace.teller !== undefined) this.#told = new ToldPipe(trace, trace.teller, link, direction)
    this.#keeper = new KeepAlive(
      kernel,
      this,
      () => this.#isAnswered(),
      () => from.broke('timeout'),
    )
  }

  /** Bytes that were written, and that the network has not taken yet. */
  get waitingBytes(): number {
    return this.#waiting.length
  }

  /** Asks the other end now and then whether it is still there, until `restsAlive`. */
  keepAlive(): void {
    this.#keeper.start()
  }

  restsAlive(): void {
    this.#keeper.stop()
  }

  /** The dialler's word that the connection stands: with its first bytes, if it has some in this turn. */
  open(): void {
    this.#opening = true
    this.#flushLater()
  }

  /** Leaves at the end of the turn, together with what else the turn writes. */
  write(bytes: Uint8Array): void {
    if (bytes.length === 0) return
    this.#waiting.push(bytes)
    this.#told?.wrote(bytes)
    this.#flushLater()
  }

  end(): void {
    if (this.ended) return
    this.ended = true
    this.#flushLater()
  }

  /** Drops what has not left. `loud`: tells the peer, behind what is on its way. */
  abort(loud: boolean): void {
    if (this.#aborted) return
    this.#aborted = true
    this.#waiting.clear()
    if (loud) this.#reset(this.#link, this.#to, Math.max(this.#kernel.nowUs, this.#lastArrivalUs))
  }

  endOfTurn(): void {
    this.#dirty = false
    this.#flush()
  }

  /** The peer's application has read this many bytes. */
  consumed(bytes: number): void {
    if (bytes === 0 || this.#aborted) return
    if (!this.#back.isWhole) {
      this.#unheard += bytes
      this.#wordLost = true
      this.#stall()
      return
    }
    const atUs = this.#kernel.nowUs + this.#back.leastUs
    this.#freed.push({ atUs, bytes })
    if (this.#isBlocked()) this.#wakeAt(atUs)
  }

  /** The machine takes it while its process is paused. False when it did not get there. */
  reach(segment: Segment, epoch: number): boolean {
    if (epoch !== this.#epoch) return false
    segment.reached = this.#link.isWhole
    if (!segment.reached) this.arrive(segment, epoch)
    return segment.reached
  }

  arrive(segment: Segment, epoch: number): void {
    const { trace } = this.#kernel
    if (epoch !== this.#epoch && !segment.reached) return
    if (!segment.reached && !this.#link.isWhole) {
      this.#told?.lost(segment, [segment.sentBy, this.#link.lossBy])
      this.#lose()
      this.#stall()
      return
    }
    this.#kernel.tellNext(segment.told?.means)
    trace.addBytes(traceKinds.segment, this.#link.to.number, this.#link.from.number, this.#number, 0, segment.bytes)
    if (this.#to.isGone) {
      this.#answerReset()
      return
    }
    if (this.#flight[0] === segment) this.#flight.shift()
    if (!this.#back.isWhole) {
      this.#wordLost = true
      this.#stall()
    }
    this.#to.receive(segment)
  }

  /** Whether a probe that is sent now comes back. What waits for its own word has a limit of its own. */
  #isAnswered(): boolean {
    if (this.#stalledSinceUs >= 0) return true
    if (!this.#link.isWhole || !this.#back.isWhole) return false
    if (this.#to.isGone) this.#reset(this.#back, this.#from, this.#kernel.nowUs)
    return true
  }

  /** A connection of which nothing is left at the other end: that end says so, if its word gets through. */
  #answerReset(): void {
    this.#lose()
    this.#reset(this.#back, this.#from, this.#kernel.nowUs)
    this.#stall()
  }

  /** What is under way will not count when it arrives. */
  #lose(): void {
    this.#epoch++
    for (const segment of this.#flight) segment.onItsWay = segment.reached
  }

  #reset(link: Link, end: PipeEnd, afterUs: number): void {
    const passage = link.passage(carriedKinds.reset, this.#port, emptyBytes)
    if (!link.lets(passage)) return link.tellLost(this.#kernel.trace, 'reset', this.#number)
    const atUs = Math.max(this.#kernel.nowUs + passage.delayUs(), afterUs + 1)
    this.#kernel.queue.push(new ResetEvent(this.#kernel, link, end, this.#number, passage.a), atUs)
  }

  #flushLater(): void {
    if (this.#dirty) return
    this.#dirty = true
    this.#kernel.atEndOfTurn(this)
  }

  /** Something waits for room in the window. */
  #isBlocked(): boolean {
    return this.#waiting.length > 0 && this.#stalledSinceUs < 0
  }

  #wakeAt(atUs: number): void {
    if (this.#waking) return
    this.#waking = true
    this.#kernel.after(undefined, this, Math.max(0, atUs - this.#kernel.nowUs), 'window opens', () => {
      this.#waking = false
      this.#flush()
    })
  }

  #flush(): void {
    if (this.#aborted || this.#stalledSinceUs >= 0) {
      if (!this.#aborted) this.#told?.tellHeldBack(this.#stalledBy)
      return
    }
    this.#forgetFreed()
    while (this.#waiting.length > 0 && this.#stalledSinceUs < 0) {
      const room = Math.min(segmentBytesMax, windowBytes - this.#used)
      if (room <= 0) break
      const bytes = this.#waiting.take(room)
      this.#sendPiece(bytes, this.ended && this.#waiting.length === 0)
    }
    if (this.#waiting.length > 0) {
      const [next] = this.#freed
      if (next !== undefined) this.#wakeAt(next.atUs)
      return
    }
    if (this.#opening || (this.ended && !this.endSent)) this.#sendPiece(emptyBytes, this.ended)
    this.#from.emptied()
  }

  #forgetFreed(): void {
    while (this.#freed.length > 0) {
      const first = this.#freed[0] as { atUs: number; bytes: number }
      if (first.atUs > this.#kernel.nowUs) return
      this.#used -= first.bytes
      this.#freed.shift()
    }
  }

  #sendPiece(bytes: Uint8Array, ends: boolean): void {
    const piece = this.#link.passage(carriedKinds.piece, this.#port, bytes)
    const split = piece.splitAt(bytes.length)
    if (split > 0) this.#send(bytes.subarray(0, split), false, piece, 0)
    if (split > 0) this.#send(bytes.subarray(split), ends, piece, 1)
    else this.#send(bytes, ends, piece, 0)
  }

  #send(bytes: Uint8Array, ends: boolean, of: Passage, part: 0 | 1): void {
    const told = this.#told?.take(bytes.length)
    const opens = this.#opening
    const segment: Segment = { bytes, of, part, opens, ends, onItsWay: false, reached: false, told, sentBy: 0 }
    this.#opening = false
    if (ends) this.endSent = true
    this.#flight.push(segment)
    this.#used += bytes.length
    if (this.#stalledSinceUs < 0) this.#launch(segment)
  }

  /** False when it was lost at once. */
  #launch(segment: Segment): boolean {
    const kernel = this.#kernel
    const { from, to } = this.#link
    const passage = this.#link.passageOfPart(carriedKinds.segment, segment.of, segment.part)
    if (!this.#link.lets(passage)) {
      this.#told?.next(segment, this.#link.lossBy)
      kernel.trace.add(traceKinds.segmentLost, from.number, to.number, this.#number, this.#tries)
      this.#stall(kernel.trace.last)
      return false
    }
    // Strictly later than the one before, so that no drawn order can swap them.
    const atUs = Math.max(kernel.nowUs + passage.delayUs(), this.#lastArrivalUs + 1)
    this.#lastArrivalUs = atUs
    segment.onItsWay = true
    this.#told?.next(segment)
    kernel.trace.add(traceKinds.segmentSent, from.number, to.number, this.#number, segment.bytes.length)
    segment.sentBy = kernel.trace.last
    const event = new SegmentEvent(this, this.#to, segment, this.#epoch)
    event.cause = segment.sentBy
    kernel.queue.push(event, atUs)
    return true
  }

  /** No progress: tries again later, and in the end gives up. */
  #stall(cause = this.#kernel.trace.cause): void {
    if (this.#stalledSinceUs >= 0 || this.#aborted) return
    this.#stalledSinceUs = this.#kernel.nowUs
    this.#stalledBy = cause
    this.#retryUs = firstRetryUs
    this.#tries = 0
    this.#retryLater(cause)
  }

  #retryLater(cause = this.#kernel.trace.cause): void {
    const leftUs = this.#stalledSinceUs + giveUpUs - this.#kernel.nowUs
    const delayUs = Math.min(this.#retryUs, Math.max(leftUs, 0))
    this.#kernel.after(undefined, this, delayUs, 'retry', () => this.#retry()).causedByAlone(cause)
    this.#retryUs *= 2
  }

  #retry(): void {
    if (this.#aborted) return
    const sinceUs = this.#stalledSinceUs
    if (this.#kernel.nowUs - sinceUs >= giveUpUs) {
      this.abort(false)
      this.#from.broke('timeout')
      return
    }
    this.#tries++
    const first = this.#flight.find((segment) => !segment.onItsWay)
    const hears = this.#back.isWhole
    if (!hears || (first !== undefined && !this.#link.lets(this.#again(first)))) {
      this.#retryLater()
      return
    }
    this.#stalledSinceUs = -1
    if (this.#wordLost) this.#heard()
    for (const segment of this.#flight) {
      if (segment.onItsWay) continue
      if (!this.#launch(segment)) return
    }
    this.#flush()
  }

  /** The packet that tries again whether anything gets through. */
  #again({ of, part }: Segment): Passage {
    return this.#link.passageOfPart(carriedKinds.again, of, part)
  }

  /** The peer's word of what it read gets through again. */
  #heard(): void {
    this.#wordLost = false
    this.#used -= this.#unheard
    this.#unheard = 0
  }
}
