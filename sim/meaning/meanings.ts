import type { SealCrypto } from '../../src/gossip/wire/sealed.ts'
import { dnsPort, httpPort, lanPort, serverPort, wanPort } from '../cluster/node-identity.ts'
import type { Meaning } from '../report/meaning.ts'
import type { TracedBytes } from '../report/trace-record.ts'
import { dnsMeaning } from './dns.ts'
import { packetMeanings } from './gossip.ts'
import { PoolKeys } from './pool-keys.ts'
import { logMeanings } from './raft.ts'
import { Connections, type StreamProtocol } from './streams.ts'

/** The DNS interface asks servers of other domains at their own port. */
const upstreamDnsPort = 53
const protocolOf: ReadonlyMap<number, StreamProtocol> = new Map([
  [lanPort, 'gossip'],
  [wanPort, 'gossip'],
  [serverPort, 'rpc'],
  [httpPort, 'http'],
  [dnsPort, 'dns'],
  [upstreamDnsPort, 'dns'],
])

const noMeanings: readonly Meaning[] = []

/**
 * Decodes the bytes of one run, by the agent's decoders. Bytes are decoded on demand, each object once: what arrives is
 * what was sent, unless it was corrupted under way. It never throws: undecodable bytes are `unknown`.
 */
export class Meanings {
  readonly keys: PoolKeys
  readonly #connections: Connections
  readonly #known = new WeakMap<Uint8Array, readonly Meaning[]>()

  constructor(crypto: Pick<SealCrypto, 'openAesGcm'>) {
    this.keys = new PoolKeys(crypto)
    this.#connections = new Connections(this.keys)
  }

  of(traced: TracedBytes): readonly Meaning[] {
    const known = this.#known.get(traced.payload)
    if (known !== undefined) return known
    const means = this.#read(traced)
    // Empty messages share one object of empty bytes.
    if (traced.payload.length > 0) this.#known.set(traced.payload, means)
    return means
  }

  #read({ kind, from, port, stream: number, payload: bytes }: TracedBytes): readonly Meaning[] {
    switch (kind) {
      case 'datagram':
        return this.#datagram(port, bytes)
      case 'diskWrite':
        return logMeanings(bytes) ?? noMeanings
      case 'segment':
        return this.#connections.push({ number, from, protocol: protocolOf.get(port), bytes })
    }
  }

  #datagram(port: number, bytes: Uint8Array): readonly Meaning[] {
    if (bytes.length === 0) return noMeanings
    return protocolOf.get(port) === 'gossip' ? packetMeanings(bytes, this.keys) : [dnsMeaning(bytes)]
  }
}
