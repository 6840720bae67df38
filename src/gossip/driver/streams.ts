import { done, err, ok, type Result } from '../../base/result.ts'
import { SourceShares } from '../../base/source-shares.ts'
import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import { type Endpoint, endpointText, type TcpStream } from '../../env/net.ts'
import type { FullState } from '../core/messages.ts'
import type { JoinFailure } from '../pool.ts'
import { openFrame, openProbe } from '../wire/frame-opening.ts'
import { writeFullState } from '../wire/full-state.ts'
import { type Sliced, wholly } from '../wire/sliced.ts'
import { encodeStreamFrame, type StreamFrame } from '../wire/stream-frame.ts'
import { FramedStream } from './framed-stream.ts'
import type { Sealing } from './sealing.ts'
import { answerFrame, type StreamUse } from './stream-answers.ts'
import { StreamWork } from './stream-work.ts'

/**
 * Maximum number of streams of others that are served at the same time; further ones are closed at once. Source:
 * memberlist, push/pull requests.
 */
const inboundMax = 128
/**
 * Maximum share of one source: a quarter. A member holds a stream for the milliseconds of an exchange, so that a
 * hundred members have room behind one address. A source that opens streams and stays silent, each until its timeout,
 * leaves three quarters to the others.
 */
const inboundPerSourceMax = inboundMax / 4
/** Maximum number of our own streams, for all purposes. */
const outboundMax = 64
/** Maximum number of bytes of unfinished frames, over all streams. */
const heldBytesMax = 64 << 20

/** The use of a stream's only frame. */
interface FrameUse {
  /** The frame, or why there is none. Called once. */
  onFrame(frame: Result<StreamFrame, string>): Sliced<void>
  onOver(): void
}

/** Exchanges of full states, and pings, over streams. */
export class Streams {
  readonly #env: Env
  readonly #sealing: Sealing
  readonly #timeoutMs: number
  readonly #use: StreamUse
  readonly #open = new Set<FramedStream>()
  #inbound = 0
  readonly #shares = new SourceShares(inboundPerSourceMax)
  #outbound = 0
  #held = 0
  #stopped = false
  readonly #work: StreamWork

  constructor(env: Env, sealing: Sealing, timeoutMs: number, use: StreamUse) {
    this.#env = env
    this.#sealing = sealing
    this.#timeoutMs = timeoutMs
    this.#use = use
    this.#work = new StreamWork(env)
  }

  accept(stream: TcpStream): void {
    const isFull = this.#stopped || this.#inbound >= inboundMax
    const release = isFull ? undefined : this.#shares.take(stream.remote.host)
    if (release === undefined) {
      if (!this.#stopped) this.#env.metrics.count('gossip.dropped.stream')
      stream.close()
      return
    }
    this.#env.metrics.count('memberlist.tcp.accept')
    this.#inbound++
    const framed: FramedStream = this.#frame(stream, this.#timeoutMs, {
      onFrame: (frame) => this.#answer(framed, frame),
      onOver: () => {
        this.#inbound--
        release()
      },
    })
  }

  /**
   * Exchanges full states with the agent at this address; `take` receives the other's state, and returns why it was
   * refused.
   */
  async exchange(
    to: Endpoint,
    own: () => FullState,
    take: (state: FullState) => Sliced<string | undefined>,
  ): Promise<Result<undefined, JoinFailure>> {
    this.#env.metrics.count('memberlist.tcp.connect')
    const { promise, resolve } = this.#env.deferred<Result<undefined, JoinFailure>>()
    const problem = await this.#dial(to, this.#timeoutMs, {
      request: () => writeFullState(own()),
      onAnswer: function* (frame) {
        if (!frame.ok) return resolve(failed(frame.error))
        if (frame.value.kind === 'full-state') {
          const refusal = yield* take(frame.value.state)
          return resolve(refusal === undefined ? done : refused(refusal))
        }
        if (frame.value.kind === 'error') return resolve(refused(`it refuses: ${frame.value.text}`))
        resolve(failed('its answer is not a state'))
      },
    })
    return problem === undefined ? promise : failed(problem)
  }

  /** Whether the agent at this address has this name and answers. */
  async ping(to: Endpoint, node: string, sequence: number, timeoutMs: number): Promise<boolean> {
    const { promise, resolve } = this.#env.deferred<boolean>()
    const problem = await this.#dial(to, timeoutMs, {
      // biome-ignore lint/correctness/useYield: it is too small for slices.
      request: function* () {
        return encodeStreamFrame({ kind: 'ping', sequence, node })
      },
      // biome-ignore lint/correctness/useYield: an acknowledgement is too small for slices.
      onAnswer: function* (frame) {
        resolve(frame.ok && frame.value.kind === 'ack' && frame.value.sequence === sequence)
      },
    })
    return problem === undefined ? promise : false
  }

  stop(): void {
    this.#stopped = true
    for (const stream of [...this.#open]) stream.close('the pool has stopped')
    this.#work.stop()
  }

  /**
   * Dials, or returns why that is not possible. `request` is made when the stream is open, so that it holds what we
   * know then.
   */
  async #dial(
    to: Endpoint,
    timeoutMs: number,
    use: { request(): Sliced<Uint8Array>; onAnswer(frame: Result<StreamFrame, string>): Sliced<void> },
  ): Promise<string | undefined> {
    if (this.#stopped) return 'the pool has stopped'
    if (this.#outbound >= outboundMax) return 'too many streams are under way'
    this.#outbound++
    const startedMs = this.#env.clock.monoMs()
    const stream = await this.#env.tcp.dial(to, { timeoutMs })
    if (!stream.ok || this.#stopped) {
      this.#outbound--
      if (!stream.ok) return `cannot reach ${endpointText(to)}: ${stream.error.kind}`
      stream.value.close()
      return 'the pool has stopped'
    }
    const leftMs = timeoutMs - (this.#env.clock.monoMs() - startedMs)
    const framed: FramedStream = this.#frame(stream.value, leftMs, {
      onFrame: function* (frame) {
        yield* use.onAnswer(frame)
        framed.end()
      },
      onOver: () => {
        this.#outbound--
      },
    })
    this.#work.add(
      undefined,
      (function* () {
        framed.write(yield* use.request())
      })(),
    )
    return undefined
  }

  #frame(stream: TcpStream, deadlineMs: number, use: FrameUse): FramedStream {
    let job: Closable | undefined
    let isSettled = false
    const settle = function* (frame: Result<StreamFrame, string>): Sliced<void> {
      if (isSettled) return
      isSettled = true
      yield* use.onFrame(frame)
    }
    const framed: FramedStream = new FramedStream(this.#env, this.#sealing, stream, deadlineMs, {
      onFrame: (frame) => {
        if (!frame.ok) return wholly(settle(frame))
        const probe = openProbe(frame.value, this.#sealing)
        if (probe !== undefined) {
          framed.release()
          return wholly(settle(ok(probe)))
        }
        job = this.#work.add(stream.remote.host, this.#opened(frame.value, framed, settle))
      },
      onHeld: (by) => {
        if (by > 0 && this.#held + by > heldBytesMax) return false
        this.#held += by
        return true
      },
      onOver: () => {
        this.#open.delete(framed)
        if (!isSettled) {
          job?.close()
          this.#env.metrics.count('gossip.dropped.late')
          wholly(settle(err('it took too long')))
        }
        use.onOver()
      },
    })
    this.#open.add(framed)
    return framed
  }

  *#opened(
    bytes: Uint8Array,
    framed: FramedStream,
    settle: (frame: Result<StreamFrame, string>) => Sliced<void>,
  ): Sliced<void> {
    const frame = yield* openFrame(bytes, this.#sealing)
    framed.release()
    if (!this.#stopped) yield* settle(frame)
  }

  *#answer(stream: FramedStream, frame: Result<StreamFrame, string>): Sliced<void> {
    if (!this.#stopped) yield* answerFrame(this.#env, this.#use, stream, frame)
  }
}

const refused = (message: string): Result<never, JoinFailure> => err({ kind: 'refused', message })
const failed = (message: string): Result<never, JoinFailure> => err({ kind: 'failed', message })
