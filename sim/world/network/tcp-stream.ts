import { invariant } from '../../../src/base/invariant.ts'
import {
  type Endpoint,
  highWaterBytes,
  type PeerCertificate,
  type StreamEnd,
  type TcpStream,
} from '../../../src/env/net.ts'
import type { Boot, ProcessPart } from '../boot.ts'
import type { Kernel } from '../kernel.ts'
import type { TcpPipe } from './tcp-pipe.ts'
import type { PipeEnd, Segment } from './tcp-segment.ts'

/** A writer that queues this much after `write` returned false ignores back-pressure, which is a bug. */
const queuedBytesMax = 64 << 20
/** How long a machine remembers a connection that its process closed after its end (Linux: net.ipv4.tcp_fin_timeout). */
const orphanUs = 60_000_000

/** One end of a connection, as its process has it. */
export class SimTcpStream implements TcpStream, PipeEnd, ProcessPart {
  readonly local: Endpoint
  readonly remote: Endpoint
  readonly boot: Boot
  /** Set before the process gets the stream. */
  peer: PeerCertificate | undefined
  /** Called when the connection is open; set on the listener's end. */
  opened: (() => void) | undefined
  readonly #kernel: Kernel
  #out: TcpPipe | undefined
  #in: TcpPipe | undefined
  #first: (() => void) | undefined
  #data: ((bytes: Uint8Array) => void) | undefined
  #end: (() => void) | undefined
  #close: ((why: StreamEnd) => void) | undefined
  #drain: (() => void) | undefined
  readonly #inbox: Uint8Array[] = []
  #endArrived = false
  /** When the end of the peer arrived; undefined: it has not. */
  endedByPeerUs: number | undefined
  #endDelivered = false
  #paused = false
  #reading = false
  #wantsDrain = false
  #over: StreamEnd | undefined
  /** Closed after its own end: its machine answers probes until then. */
  #orphanUntilUs = 0
  /** `onClose` has been called. */
  #told = false

  constructor(kernel: Kernel, boot: Boot, local: Endpoint, remote: Endpoint) {
    this.#kernel = kernel
    this.boot = boot
    this.local = local
    this.remote = remote
  }

  /** Connects this end with the two directions of its connection. */
  connect(outgoing: TcpPipe, incoming: TcpPipe): void {
    this.#out = outgoing
    this.#in = incoming
  }

  /** From here on the process owns it, and loses it when it dies. */
  established(): void {
    this.boot.parts.add(this)
    this.outgoing.keepAlive()
  }

  /** The pipe out of this end. */
  get outgoing(): TcpPipe {
    invariant(this.#out !== undefined, 'a stream has its pipes')
    return this.#out
  }

  get isGone(): boolean {
    return !this.boot.alive || (this.#over !== undefined && this.#over !== 'ended')
  }

  get isForgotten(): boolean {
    return this.isGone && (!this.boot.alive || this.#kernel.nowUs >= this.#orphanUntilUs)
  }

  /**
   * Calls `use` when the first bytes have come, which are then delivered to the handler that it may set; an end without
   * any bytes closes.
   */
  beforeData(use: () => void): void {
    this.#first = use
  }

  onData(use: (bytes: Uint8Array) => void): void {
    this.#data = use
    this.#readLater()
  }

  onEnd(use: () => void): void {
    this.#end = use
  }

  onClose(use: (why: StreamEnd) => void): void {
    this.#close = use
    if (this.#over !== undefined && this.#told) this.#tell(this.#over)
  }

  onDrain(use: () => void): void {
    this.#drain = use
  }

  /** What is to be sent soon is sent now: the network delays it in any case. */
  write(bytes: Uint8Array): boolean {
    const { outgoing } = this
    if (!this.#kernel.enter(this.boot) || this.#over !== undefined || outgoing.ended) return false
    outgoing.write(bytes)
    invariant(outgoing.waitingBytes <= queuedBytesMax, 'a writer heeds back-pressure', {
      queued: outgoing.waitingBytes,
    })
    if (outgoing.waitingBytes <= highWaterBytes) return true
    this.#wantsDrain = true
    return false
  }

  queuedBytes(): number {
    return this.outgoing.waitingBytes
  }

  pause(): void {
    this.#paused = true
  }

  resume(): void {
    if (!this.#paused) return
    this.#paused = false
    this.#readLater()
  }

  end(): void {
    if (this.#kernel.enter(this.boot) && this.#over === undefined) this.outgoing.end()
  }

  close(): void {
    if (!this.#kernel.enter(this.boot) || this.#over !== undefined) return
    // After its end a connection is not reset: the peer hears nothing more until it sends something itself.
    if (this.outgoing.endSent && this.#inbox.length === 0) this.#orphanUntilUs = this.#kernel.nowUs + orphanUs
    else this.outgoing.abort(true)
    this.#finish('closed')
  }

  processEnded(loud: boolean): void {
    this.outgoing.abort(loud)
    this.outgoing.restsAlive()
    this.#over ??= 'closed'
  }

  /** The connection breaks in both directions, and both ends are notified. */
  tear(): void {
    if (this.#over !== undefined) return
    this.outgoing.abort(true)
    this.#finish('reset')
  }

  receive(segment: Segment): void {
    if (segment.opens) {
      this.established()
      this.opened?.()
    }
    if (segment.ends) {
      this.#endArrived = true
      this.endedByPeerUs ??= this.#kernel.nowUs
    }
    const first = this.#first
    if (first !== undefined && segment.bytes.length > 0) {
      this.#first = undefined
      first()
    } else if (first !== undefined && segment.ends) return this.close()
    if (segment.bytes.length > 0) {
      if (this.#data === undefined || this.#paused || this.#inbox.length > 0) {
        this.#inbox.push(segment.bytes)
        return
      }
      this.#data(segment.bytes)
      this.#in?.consumed(segment.bytes.length)
    }
    if (this.#endArrived && this.#data !== undefined && this.#inbox.length === 0) this.#deliverEnd()
  }

  emptied(): void {
    if (this.#wantsDrain && this.#over === undefined) {
      this.#wantsDrain = false
      this.#kernel.after(this.boot, undefined, 0, 'drained', () => {
        if (this.#over === undefined) this.#drain?.()
      })
    }
    this.#finishIfEnded()
  }

  broke(why: 'reset' | 'timeout'): void {
    if (this.#over !== undefined || !this.boot.alive) return
    this.outgoing.abort(false)
    this.#finish(why)
  }

  #readLater(): void {
    if (this.#reading || this.#data === undefined || (this.#inbox.length === 0 && !this.#endArrived)) return
    this.#reading = true
    this.#kernel.after(this.boot, this.#in, 0, 'reads on', () => {
      this.#reading = false
      this.#read()
    })
  }

  #read(): void {
    while (!this.#paused && this.#over === undefined && this.#data !== undefined) {
      const bytes = this.#inbox.shift()
      if (bytes === undefined) break
      this.#data(bytes)
      this.#in?.consumed(bytes.length)
    }
    if (this.#endArrived && this.#over === undefined && this.#inbox.length === 0) this.#deliverEnd()
  }

  /** Also while it is paused: an end is no data, and waits only for what came before it. */
  #deliverEnd(): void {
    if (this.#endDelivered || this.#over !== undefined) return
    this.#endDelivered = true
    this.#end?.()
    this.#finishIfEnded()
  }

  /** In order: both directions have ended, and what was written was sent. */
  #finishIfEnded(): void {
    if (this.#over === undefined && this.#endDelivered && this.outgoing.endSent) this.#finish('ended')
  }

  #finish(why: StreamEnd): void {
    this.#over = why
    this.#inbox.length = 0
    this.boot.parts.delete(this)
    this.outgoing.restsAlive()
    this.#kernel.after(this.boot, undefined, 0, 'stream is over', () => {
      this.#told = true
      this.#close?.(why)
    })
  }

  /** Notifies a handler that was set when the stream was over already. */
  #tell(why: StreamEnd): void {
    this.#kernel.after(this.boot, undefined, 0, 'stream is over', () => this.#close?.(why))
  }
}
