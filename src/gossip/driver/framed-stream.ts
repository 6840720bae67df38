import { err, type Result } from '../../base/result.ts'
import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import type { Endpoint, TcpStream } from '../../env/net.ts'
import { StreamFrameReader, sealFrame } from '../wire/stream-frame.ts'
import type { Sealing } from './sealing.ts'

export interface FramedStreamUse {
  /**
   * The bytes of the other side's one frame, or why there will be none. Called once. The receiver calls `release` once
   * it has read them.
   */
  onFrame(frame: Result<Uint8Array, string>): void
  /** The stream is over. Called once, after `onFrame`. */
  onOver(): void
  /**
   * By how many bytes the memory held for its frame grows, or shrinks if negative. False: there is no room for them.
   */
  onHeld(by: number): boolean
}

/** A stream that carries one frame in each direction, within one deadline for all of it. */
export class FramedStream {
  readonly #env: Pick<Env, 'timers' | 'metrics'>
  readonly #stream: TcpStream
  readonly #use: FramedStreamUse
  readonly #sealing: Sealing
  readonly #reader: StreamFrameReader
  readonly #deadline: Closable
  #answered = false
  #held = 0
  #over = false

  constructor(
    env: Pick<Env, 'timers' | 'metrics'>,
    sealing: Sealing,
    stream: TcpStream,
    deadlineMs: number,
    use: FramedStreamUse,
  ) {
    this.#env = env
    this.#sealing = sealing
    this.#reader = new StreamFrameReader(sealing)
    this.#stream = stream
    this.#use = use
    this.#deadline = env.timers.after(deadlineMs, () => this.close('it took too long'))
    stream.onData((bytes) => this.#receive(bytes))
    stream.onEnd(() => this.#ended())
    stream.onClose(() => this.close('the connection broke'))
  }

  get remote(): Endpoint {
    return this.#stream.remote
  }

  get isOver(): boolean {
    return this.#over
  }

  /** One frame, encoded. */
  write(plain: Uint8Array): void {
    const bytes = this.#sealing.seals ? sealFrame(this.#sealing, plain) : plain
    this.#env.metrics.count('memberlist.tcp.sent', bytes.length)
    this.#stream.write(bytes)
  }

  /** We have finished writing. The stream is over when the other side has finished, too. */
  end(): void {
    this.#stream.end()
  }

  /** Releases the frame's memory. */
  release(): void {
    if (this.#held > 0) this.#use.onHeld(-this.#held)
    this.#held = 0
  }

  close(why: string): void {
    if (this.#over) return
    this.#over = true
    this.#deadline.close()
    this.#stream.close()
    this.release()
    this.#answer(err(why))
    this.#use.onOver()
  }

  #receive(bytes: Uint8Array): void {
    if (this.#over || this.#answered) return
    if (!this.#use.onHeld(bytes.length)) return this.close('too many bytes arrive at once')
    this.#held += bytes.length
    const read = this.#reader.push(bytes)
    if (!read.ok) return this.#answer(read)
    if (read.value !== undefined) this.#answer({ ok: true, value: read.value })
  }

  /**
   * Written bytes must still be sent, so the stream is ended rather than closed. If its frame has arrived, our answer
   * may still follow.
   */
  #ended(): void {
    if (this.#answered) return
    this.#answer(err('the peer closed it early'))
    this.#stream.end()
  }

  #answer(frame: Result<Uint8Array, string>): void {
    if (this.#answered) return
    this.#answered = true
    if (!frame.ok) this.release()
    this.#use.onFrame(frame)
  }
}
