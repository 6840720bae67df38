import { err, ok, type Result } from '../../base/result.ts'
import type { Env } from '../../env/env.ts'
import { type Endpoint, endpointText, type TcpStream } from '../../env/net.ts'
import type { FullState, Message } from '../core/messages.ts'
import type { StreamFrame } from '../wire/stream-frame.ts'
import { FramedStream, type OutgoingFrame } from './framed-stream.ts'
import type { Sealing } from './sealing.ts'

/** Streams of others that are served at the same time; more are closed at once. Source: memberlist, push/pull requests. */
const inboundMax = 128
/** Streams of ours, of all purposes. */
const outboundMax = 64
/** Bytes of unfinished frames, over all streams. */
const heldBytesMax = 64 << 20

export interface StreamUse {
  /** What a request is answered with. */
  onRequest(from: Endpoint, state: FullState): Result<FullState, string>
  /** The answer to a ping that names this node; undefined: it means another one. */
  onPing(node: string, sequence: number): Uint8Array | undefined
  onMessage(from: Endpoint, message: Message): void
}

/** Exchanges of whole states, and pings, over streams. */
export class Streams {
  readonly #env: Env
  readonly #sealing: Sealing
  readonly #timeoutMs: number
  readonly #use: StreamUse
  readonly #open = new Set<FramedStream>()
  #inbound = 0
  #outbound = 0
  #held = 0
  #stopped = false

  constructor(env: Env, sealing: Sealing, timeoutMs: number, use: StreamUse) {
    this.#env = env
    this.#sealing = sealing
    this.#timeoutMs = timeoutMs
    this.#use = use
  }

  accept(stream: TcpStream): void {
    if (this.#stopped || this.#inbound >= inboundMax) {
      if (!this.#stopped) this.#env.metrics.count('gossip.dropped.stream')
      stream.close()
      return
    }
    this.#env.metrics.count('memberlist.tcp.accept')
    this.#inbound++
    const framed: FramedStream = this.#frame(stream, this.#timeoutMs, {
      onFrame: (frame) => {
        if (!this.#stopped) this.#serve(framed, frame)
      },
      onOver: () => {
        this.#inbound--
      },
    })
  }

  /** Our whole state for that of the agent at this address. */
  async exchange(to: Endpoint, own: () => FullState): Promise<Result<FullState, string>> {
    this.#env.metrics.count('memberlist.tcp.connect')
    const frame = await this.#ask(to, () => ({ kind: 'full-state', state: own() }), this.#timeoutMs)
    if (!frame.ok) return frame
    if (frame.value.kind === 'full-state') return ok(frame.value.state)
    return err(frame.value.kind === 'error' ? `it refuses: ${frame.value.text}` : 'it does not answer with a state')
  }

  /** Whether the agent at this address has this name and answers. */
  async ping(to: Endpoint, node: string, sequence: number, timeoutMs: number): Promise<boolean> {
    const frame = await this.#ask(to, () => ({ kind: 'ping', sequence, node }), timeoutMs)
    return frame.ok && frame.value.kind === 'ack' && frame.value.sequence === sequence
  }

  stop(): void {
    this.#stopped = true
    for (const stream of [...this.#open]) stream.close('the pool has stopped')
  }

  /** `own` is asked for when the stream is there: what we say is what we know then. */
  async #ask(to: Endpoint, own: () => OutgoingFrame, timeoutMs: number): Promise<Result<StreamFrame, string>> {
    if (this.#stopped) return err('the pool has stopped')
    if (this.#outbound >= outboundMax) return err('too many streams are under way')
    this.#outbound++
    const startedMs = this.#env.clock.monoMs()
    const stream = await this.#env.tcp.dial(to, { timeoutMs })
    if (!stream.ok || this.#stopped) {
      this.#outbound--
      if (!stream.ok) return err(`cannot reach ${endpointText(to)}: ${stream.error.kind}`)
      stream.value.close()
      return err('the pool has stopped')
    }
    const answer = this.#env.deferred<Result<StreamFrame, string>>()
    const leftMs = timeoutMs - (this.#env.clock.monoMs() - startedMs)
    const framed: FramedStream = this.#frame(stream.value, leftMs, {
      onFrame: (frame) => {
        answer.resolve(frame)
        framed.end()
      },
      onOver: () => {
        this.#outbound--
      },
    })
    framed.write(own())
    return answer.promise
  }

  #frame(
    stream: TcpStream,
    deadlineMs: number,
    use: { onFrame(frame: Result<StreamFrame, string>): void; onOver(): void },
  ): FramedStream {
    const framed: FramedStream = new FramedStream(this.#env, this.#sealing, stream, deadlineMs, {
      onFrame: use.onFrame,
      onHeld: (by) => {
        if (by > 0 && this.#held + by > heldBytesMax) return false
        this.#held += by
        return true
      },
      onOver: () => {
        this.#open.delete(framed)
        use.onOver()
      },
    })
    this.#open.add(framed)
    return framed
  }

  #serve(stream: FramedStream, frame: Result<StreamFrame, string>): void {
    if (!frame.ok) return this.#refuse(stream, frame.error)
    switch (frame.value.kind) {
      case 'full-state': {
        const answer = this.#use.onRequest(stream.remote, frame.value.state)
        if (answer.ok) stream.write({ kind: 'full-state', state: answer.value })
        else stream.write({ kind: 'error', text: answer.error })
        break
      }
      case 'ping': {
        const { node, sequence } = frame.value
        const payload = this.#use.onPing(node, sequence)
        if (payload !== undefined) stream.write({ kind: 'ack', sequence, payload })
        break
      }
      case 'message':
        if (frame.value.message === undefined) this.#env.metrics.count('gossip.ignored.message')
        else this.#use.onMessage(stream.remote, frame.value.message)
        break
      case 'ack':
      case 'error':
        return this.#refuse(stream, 'it does not begin with a request')
    }
    stream.end()
  }

  /** The other side is told, as in the field. */
  #refuse(stream: FramedStream, reason: string): void {
    this.#env.metrics.count('gossip.dropped.stream')
    this.#env.log.write('debug', 'memberlist', 'refusing a stream', { from: endpointText(stream.remote), reason })
    stream.write({ kind: 'error', text: reason })
    stream.end()
  }
}
