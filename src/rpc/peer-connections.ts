import type { Connection } from './connection.ts'
import type { LostPeers, PeerWatch } from './lost-peers.ts'
import type { Peer } from './served-requests.ts'

export interface PeerConnectionsParts {
  /** This agent's node ID; empty before it is known. */
  readonly ownId: () => string
  readonly lostPeers: LostPeers
  /** Undefined: no ends of peers are reported. */
  readonly watch: () => PeerWatch | undefined
}

/** The open connections of each peer, by the node ID in the peer's hello. */
export class PeerConnections {
  readonly #parts: PeerConnectionsParts
  /** The accepted connection with the latest message: answers to a peer's notices are returned on it. */
  readonly #accepted = new Map<string, Connection>()
  /** The dialled connection with the latest hello: callers use it to find a peer whose address they do not know. */
  readonly #dialled = new Map<string, Connection>()

  constructor(parts: PeerConnectionsParts) {
    this.#parts = parts
  }

  /**
   * A peer that may act as a server has sent its hello. Messages for a server must not go to a peer that only claims to
   * be one.
   */
  met(connection: Connection, peer: Peer, how: 'accepted' | 'dialled'): void {
    const connections = how === 'accepted' ? this.#accepted : this.#dialled
    connections.set(peer.nodeId, connection)
    this.#parts.lostPeers.met(peer.nodeId)
  }

  /** If this was the last connection with a watched peer, finds out whether the peer has ended. */
  closed(connection: Connection): void {
    const { peer } = connection
    if (peer === undefined) return
    for (const connections of [this.#accepted, this.#dialled]) {
      if (connections.get(peer.nodeId) === connection) connections.delete(peer.nodeId)
    }
    const watch = this.#parts.watch()
    if (watch === undefined || this.to(peer.nodeId) !== undefined) return
    this.#parts.lostPeers.lost(peer, watch)
  }

  /** The connection for messages to this peer, whichever end dialled it. */
  to(peerId: string): Connection | undefined {
    return this.between(this.#dialled.get(peerId), peerId)
  }

  /**
   * The connection for messages to this peer, among the dialled one and the accepted ones. If each has dialed the
   * other, both ends use the one that the lower node ID dialed: traffic in both directions on one connection shows each
   * end that the other is alive.
   */
  between(dialled: Connection | undefined, peerId: string): Connection | undefined {
    const own = dialled?.open === true && dialled.peer !== undefined ? dialled : undefined
    const accepted = this.#accepted.get(peerId)
    if (accepted?.open !== true) return own
    return this.#parts.ownId() < peerId ? (own ?? accepted) : accepted
  }
}
