import { type Meaning, meaningsMax } from '../report/meaning.ts'
import { DnsStream } from './dns.ts'
import { GossipStream } from './gossip.ts'
import { type HttpConversation, HttpStream, looksLikeHttp } from './http.ts'
import type { PoolKeys } from './pool-keys.ts'
import { AskedRequests, RpcStream } from './rpc.ts'
import { unknown } from './unknown.ts'

/** Maximum number of followed connections; the one that was silent for longest is forgotten first. */
const connectionsMax = 4_096
/** Maximum number of bytes of unfinished frames that all connections hold together. */
const heldBytesMax = 64 << 20
/** Maximum number of bytes that one direction may hold. */
const heldByOneMax = 16 << 20

/** One direction of a connection, which assembles frames. */
interface StreamReader {
  /** Number of bytes of an unfinished frame. */
  readonly held: number
  push(bytes: Uint8Array): readonly Meaning[]
}

/** Protocols of connections, by which both of their directions are decoded. */
export type StreamProtocol = 'gossip' | 'rpc' | 'http' | 'dns'

/** One connection of a run. */
class Connection {
  /** The dialler sends first, if only to confirm the connection. */
  readonly #dialler: string
  #protocol: StreamProtocol | undefined
  #ways: readonly [StreamReader, StreamReader] | undefined
  /** Directions that had a frame over the limit. */
  readonly #lost: [boolean, boolean] = [false, false]

  constructor(dialler: string, protocol: StreamProtocol | undefined) {
    this.#dialler = dialler
    this.#protocol = protocol
  }

  get held(): number {
    return this.#ways === undefined ? 0 : this.#ways[0].held + this.#ways[1].held
  }

  /**
   * A machine's connection to itself has one name at both ends, and is decoded as one direction: questions and answers
   * alternate there.
   */
  push(from: string, bytes: Uint8Array, keys: PoolKeys): readonly Meaning[] {
    this.#protocol ??= looksLikeHttp(bytes) ? 'http' : undefined
    if (this.#protocol === undefined) return [unknown(bytes.length, 'no protocol of the agent')]
    this.#ways ??= waysOf(this.#protocol, keys)
    const at = from === this.#dialler ? 0 : 1
    const way = this.#ways[at]
    if (!this.#lost[at] && way.held + bytes.length <= heldByOneMax) return way.push(bytes)
    // After a gap, the beginning of the next frame is unknown.
    this.#lost[at] = true
    return [unknown(bytes.length, 'a frame of this stream is larger than what is kept')]
  }
}

function waysOf(protocol: StreamProtocol, keys: PoolKeys): readonly [StreamReader, StreamReader] {
  switch (protocol) {
    case 'gossip':
      return [new GossipStream(keys), new GossipStream(keys)]
    case 'rpc': {
      const [there, back] = [new AskedRequests(), new AskedRequests()]
      return [new RpcStream(there, back), new RpcStream(back, there)]
    }
    case 'http': {
      const conversation: HttpConversation = { last: undefined }
      return [new HttpStream(conversation), new HttpStream(conversation)]
    }
    case 'dns':
      return [new DnsStream(), new DnsStream()]
  }
}

/** Bytes of one direction of a connection. */
export interface StreamBytes {
  /** Of the connection. */
  readonly number: number
  readonly from: string
  /** The protocol of its port, if it has one. */
  readonly protocol: StreamProtocol | undefined
  readonly bytes: Uint8Array
}

/** The open connections of a run. Bytes of a direction come in their order, each once. */
export class Connections {
  readonly #keys: PoolKeys
  /** By number; the connection that sent last is last. */
  readonly #byNumber = new Map<number, Connection>()
  #held = 0

  constructor(keys: PoolKeys) {
    this.#keys = keys
  }

  push({ number, from, protocol, bytes }: StreamBytes): readonly Meaning[] {
    const connection = this.#byNumber.get(number) ?? new Connection(from, protocol)
    this.#byNumber.delete(number)
    this.#byNumber.set(number, connection)
    if (bytes.length === 0) return []
    const before = connection.held
    const means = connection.push(from, bytes, this.#keys)
    this.#held += connection.held - before
    this.#forget()
    if (means.length <= meaningsMax) return means
    return [...means.slice(0, meaningsMax - 1), unknown(0, `${means.length - meaningsMax + 1} more frames`)]
  }

  /**
   * Enforces both limits; later bytes of a forgotten connection are decoded as if it began there, and mostly cannot be.
   */
  #forget(): void {
    for (const [number, connection] of this.#byNumber) {
      if (this.#byNumber.size <= connectionsMax && this.#held <= heldBytesMax) return
      this.#held -= connection.held
      this.#byNumber.delete(number)
    }
  }
}
