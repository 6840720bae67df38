import type { Outgoing } from '../core/messages.ts'
import type { Configuration, ServerId } from '../core/types.ts'
import type { RaftObserver, RaftTransport } from '../raft.ts'
import type { Meters } from './meters.ts'

/** Former members are forgotten when there are more than this. */
const knownMax = 512

/** Addresses of servers, by the newest configuration that named them: a removed server is still notified of that. */
export class Addresses {
  #known = new Map<ServerId, string>()
  #members: ReadonlySet<ServerId> = new Set()

  learn({ servers }: Configuration): void {
    if (this.#known.size > knownMax) this.#known = new Map()
    for (const { id, address } of servers) this.#known.set(id, address)
    this.#members = new Set(servers.map(({ id }) => id))
  }

  /** This server's name in the newest configuration: its node ID, or its address; undefined: it is not a member. */
  nameOf(nodeId: string, address: string): ServerId | undefined {
    if (this.#members.has(nodeId)) return nodeId
    return this.#members.has(address) ? address : undefined
  }

  /** Empty for a server that no configuration has named here yet. */
  of(id: ServerId): string {
    return this.#known.get(id) ?? ''
  }
}

export interface SenderParts {
  readonly meters: Meters
  readonly observer: RaftObserver | undefined
  readonly transport: RaftTransport
  readonly addresses: Addresses
}

/** Passes the core's messages to the transport, with the newest known address of their receiver. */
export class Sender {
  readonly #parts: SenderParts

  constructor(parts: SenderParts) {
    this.#parts = parts
  }

  send({ to, message }: Outgoing): void {
    const { meters, observer, transport, addresses } = this.#parts
    const address = addresses.of(to)
    meters.sent(to, message)
    observer?.sent(to, address, message)
    transport.send(to, address, message)
  }
}
