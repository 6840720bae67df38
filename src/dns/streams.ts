import { emptyBytes } from '../base/bytes.ts'
import { HeldMemory } from '../base/held-memory.ts'
import { SourceShares } from '../base/source-shares.ts'
import type { Closable } from '../env/async.ts'
import type { Env } from '../env/env.ts'
import { type Endpoint, endpointText, type TcpStream } from '../env/net.ts'
import { framed } from './exchange.ts'
import type { DnsFace } from './face.ts'

/** Connections at once; one more is closed at once. */
const connectionsMax = 512
/** Maximum share of one source; resolvers ask many questions on one connection. */
const connectionsPerSourceMax = connectionsMax / 4
/** Questions of one connection that are being answered; the rest waits unread. */
const inFlightMax = 64
/**
 * How long a connection without a question being answered may take to send a whole question (RFC 7766, section 6.2.3).
 */
const idleMs = 10_000

/**
 * Maximum number of bytes that are held for the clients of all connections. Of one that reads none of its answers they
 * are up to 5 MiB until it is closed.
 */
const heldBytesMax = 64 << 20

/** DNS over TCP (RFC 7766): messages behind two bytes of length, any number of them, answered as they are ready. */
export class DnsStreams implements Closable {
  readonly #env: Env
  readonly #face: DnsFace
  readonly #open = new Set<Conversation>()
  readonly #shares = new SourceShares(connectionsPerSourceMax)
  readonly #memory: HeldMemory<Conversation>

  constructor(env: Env, face: DnsFace) {
    this.#env = env
    this.#face = face
    this.#memory = new HeldMemory(heldBytesMax, (largest, bytes) => {
      const fields = { remote: endpointText(largest.remote), bytes }
      largest.close()
      env.log.write('warn', 'dns', 'closed a connection: too much memory was held for its client', fields, 'sampled')
    })
  }

  accept(stream: TcpStream): void {
    const release = this.#open.size >= connectionsMax ? undefined : this.#shares.take(stream.remote.host)
    if (release === undefined) {
      this.#env.metrics.count('dns.refused_connections')
      stream.close()
      return
    }
    const conversation = new Conversation(this.#env, this.#face, stream, {
      grown: () => this.#memory.grown(conversation),
      over: () => {
        this.#open.delete(conversation)
        this.#memory.gone(conversation)
        release()
      },
    })
    this.#open.add(conversation)
  }

  close(): void {
    for (const conversation of [...this.#open]) conversation.close()
  }
}

interface ConversationUse {
  /** More may be held for the client than before. */
  grown(): void
  over(): void
}

class Conversation {
  readonly #env: Env
  readonly #face: DnsFace
  readonly #stream: TcpStream
  readonly #use: ConversationUse
  /** Received bytes of unprocessed messages. At most one message is incomplete, of at most 65,537 bytes. */
  #pending: Uint8Array = emptyBytes
  #inFlight = 0
  #paused = false
  /** More answers wait to leave than the stream takes. */
  #blocked = false
  /** Messages are being taken: an answer that is ready at once must not take the next one within itself. */
  #isTaking = false
  /** The peer sends no more questions. */
  #ended = false
  #over = false
  #idle: Closable

  constructor(env: Env, face: DnsFace, stream: TcpStream, use: ConversationUse) {
    this.#env = env
    this.#face = face
    this.#stream = stream
    this.#use = use
    this.#idle = env.timers.after(idleMs, () => this.close())
    stream.onData((bytes) => this.#take(bytes))
    stream.onEnd(() => {
      this.#ended = true
      this.#readOn()
    })
    stream.onDrain(() => {
      this.#blocked = false
      this.#readOn()
    })
    stream.onClose(() => {
      this.#over = true
      this.#idle.close()
      use.over()
    })
  }

  get remote(): Endpoint {
    return this.#stream.remote
  }

  get heldBytes(): number {
    return this.#pending.length + this.#stream.queuedBytes()
  }

  close(): void {
    this.#stream.close()
  }

  #take(bytes: Uint8Array): void {
    this.#pending = this.#pending.length === 0 ? bytes : joined(this.#pending, bytes)
    this.#readOn()
  }

  /** Takes whole messages as long as neither too many are being answered nor too many answers wait to leave. */
  #readOn(): void {
    if (this.#over || this.#isTaking) return
    this.#isTaking = true
    while (!this.#full()) {
      const message = this.#next()
      if (message === undefined) break
      this.#inFlight++
      this.#idle.close()
      this.#env.detach(this.#answer(message))
    }
    this.#isTaking = false
    const full = this.#full()
    if (full !== this.#paused) {
      this.#paused = full
      if (full) this.#stream.pause()
      else this.#stream.resume()
    }
    if (this.#ended && this.#inFlight === 0 && !this.#blocked) this.#stream.end()
  }

  #full(): boolean {
    return this.#blocked || this.#inFlight >= inFlightMax
  }

  #next(): Uint8Array | undefined {
    const [high, low] = this.#pending
    if (high === undefined || low === undefined) return undefined
    const end = 2 + high * 256 + low
    if (this.#pending.length < end) return undefined
    const message = this.#pending.slice(2, end)
    this.#pending = this.#pending.subarray(end)
    return message
  }

  async #answer(message: Uint8Array): Promise<void> {
    const from = this.#stream.remote
    const answer = this.#face.known(message, 'tcp', from) ?? (await this.#face.answer(message, 'tcp', from))
    this.#inFlight--
    if (this.#over) return
    if (this.#inFlight === 0) this.#idle = this.#env.timers.after(idleMs, () => this.close())
    if (answer !== undefined && !this.#stream.write(framed(answer))) this.#blocked = true
    this.#use.grown()
    this.#readOn()
  }
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const out = new Uint8Array(a.length + b.length)
  out.set(a)
  out.set(b, a.length)
  return out
}
