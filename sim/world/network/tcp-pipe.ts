import { emptyBytes } from '../../../src/base/bytes.ts'
import type { Lane } from '../decisions/identity.ts'
import type { EndOfTurn, Kernel } from '../kernel.ts'
import type { Link } from './link.ts'
import { carriedKinds, type Passage } from './passage.ts'
import { Flight } from './tcp-flight.ts'
import { KeepAlive } from './tcp-keep-alive.ts'
import { Retries } from './tcp-retries.ts'
import { type Direction, type PipeEnd, ResetEvent, type Segment } from './tcp-segment.ts'
import { TcpWindow } from './tcp-window.ts'
import { ToldPipe } from './told-pipe.ts'
import { WaitingBytes } from './waiting-bytes.ts'

const segmentBytesMax = 64 << 10
/**
 * One direction of a connection, with both kernels' part in it. Bytes arrive in order: lost bytes, and all after them,
 * are resent after a time that doubles. (Real stacks resend only what was lost. The peer's application sees no
 * difference, because it gets nothing beyond a hole either way.)
 */
export class TcpPipe implements EndOfTurn, Lane {
  ended = false
  /** The end was sent, and everything before it. */
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
  readonly #window = new TcpWindow()
  readonly #flight: Flight
  readonly #retries: Retries
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
    this.#flight = this.#newFlight()
    this.#retries = this.#newRetries()
    this.#keeper = new KeepAlive(
      kernel,
      this,
      () => this.#isAnswered(),
      () => from.broke('timeout'),
    )
  }

  /** Number of written bytes that the network has not taken yet. */
  get waitingBytes(): number {
    return this.#waiting.length
  }

  /** Probes at intervals whether the other end is still there, until `restsAlive`. */
  keepAlive(): void {
    this.#keeper.start()
  }

  restsAlive(): void {
    this.#keeper.stop()
  }

  /** The dialler confirms the connection: with its first bytes, if it writes any in this turn. */
  open(): void {
    this.#opening = true
    this.#flushLater()
  }

  /** Sent at the end of the turn, together with everything else that the turn writes. */
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

  /** Drops bytes that were not sent. `loud`: notifies the peer, after the bytes that are under way. */
  abort(loud: boolean): void {
    if (this.#aborted) return
    this.#aborted = true
    this.#waiting.clear()
    if (loud) this.#reset(this.#link, this.#to, Math.max(this.#kernel.nowUs, this.#flight.lastArrivalUs))
  }

  endOfTurn(): void {
    this.#dirty = false
    this.#flush()
  }

  /** The peer's application has read this many bytes. */
  consumed(bytes: number): void {
    if (bytes === 0 || this.#aborted) return
    if (!this.#back.isWhole) return this.#loseWord(bytes)
    const atUs = this.#kernel.nowUs + this.#back.leastUs
    this.#window.read(bytes, atUs)
    if (this.#isBlocked()) this.#wakeAt(atUs)
  }

  #newFlight(): Flight {
    return new Flight({
      kernel: this.#kernel,
      lane: this,
      number: this.#number,
      link: this.#link,
      back: this.#back,
      to: this.#to,
      told: this.#told,
      stalled: (cause) => this.#retries.stall(cause),
      wordLost: () => this.#loseWord(0),
      refused: () => this.#answerReset(),
    })
  }

  #newRetries(): Retries {
    return new Retries({
      kernel: this.#kernel,
      lane: this,
      isWanted: () => !this.#aborted,
      getsThrough: () => this.#getsThrough(),
      goOn: () => this.#goOn(),
      giveUp: () => {
        this.abort(false)
        this.#from.broke('timeout')
      },
    })
  }

  /** Whether a probe sent now is answered. Data that waits for an acknowledgement has a timeout of its own. */
  #isAnswered(): boolean {
    if (this.#retries.isStalled) return true
    if (!this.#link.isWhole || !this.#back.isWhole) return false
    if (this.#to.isForgotten) this.#reset(this.#back, this.#from, this.#kernel.nowUs)
    return true
  }

  /** The other end no longer knows the connection, and resets it, unless the reset is lost. */
  #answerReset(): void {
    this.#reset(this.#back, this.#from, this.#kernel.nowUs)
    this.#retries.stall()
  }

  /** The peer's acknowledgement, or its window update, is lost. */
  #loseWord(bytesRead: number): void {
    this.#window.lostWord(bytesRead)
    this.#retries.stall()
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

  /** Whether bytes wait for space in the window. */
  #isBlocked(): boolean {
    return this.#waiting.length > 0 && !this.#retries.isStalled
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
    if (this.#aborted) return
    if (this.#retries.isStalled) {
      this.#told?.tellHeldBack(this.#retries.stalledBy)
      return
    }
    this.#window.update(this.#kernel.nowUs)
    while (this.#waiting.length > 0 && !this.#retries.isStalled) {
      const room = Math.min(segmentBytesMax, this.#window.room)
      if (room <= 0) break
      const bytes = this.#waiting.take(room)
      this.#sendPiece(bytes, this.ended && this.#waiting.length === 0)
    }
    if (this.#waiting.length > 0) {
      const { opensAtUs } = this.#window
      if (opensAtUs !== undefined) this.#wakeAt(opensAtUs)
      return
    }
    if (this.#opening || (this.ended && !this.endSent)) this.#sendPiece(emptyBytes, this.ended)
    this.#from.emptied()
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
    this.#flight.add(segment)
    this.#window.sent(bytes.length)
    if (!this.#retries.isStalled) this.#flight.launch(segment, this.#retries.tries)
  }

  /** Whether a retransmitted packet arrives and its answer returns. */
  #getsThrough(): boolean {
    const first = this.#flight.firstLost
    const hears = this.#back.isWhole
    if (!hears || first === undefined) return hears
    return this.#link.lets(this.#link.passageOfPart(carriedKinds.again, first.of, first.part))
  }

  #goOn(): void {
    this.#window.heard()
    if (this.#flight.relaunch(this.#retries.tries)) this.#flush()
  }
}
