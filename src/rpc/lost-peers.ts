import type { Env } from '../env/env.ts'
import { pause } from '../model/pause.ts'
import type { Hello } from './frame.ts'

/**
 * Maximum number of peers that are looked for at the same time. Only watched peers are, of which an agent has a few.
 */
const searchesMax = 64
/**
 * Maximum number of dials of one search. Only one that was cut short is followed by another, because a process that is
 * just ending, whose listener is closed after its connections, looks like that. The pauses double: five dials within
 * 0.4 s.
 */
const dialsMax = 5
const firstPauseMs = 25

/**
 * `cut-short`: the machine answered, and the connection broke before the peer sent its hello. `failed`: no answer, or
 * any other failure.
 */
export type DialOutcome = 'connected' | 'refused' | 'cut-short' | 'failed'

/** Peers whose processes are watched, and the callback for those that are gone. */
export interface PeerWatch {
  /** Called when the last connection with a peer has closed. */
  isWatched(peer: Hello): boolean
  /**
   * The last connection with this peer closed, its announced address was dialled again, and that was refused: no
   * process listens there. Called once for each loss; never if the dial succeeded or was not answered.
   */
  onGone(peer: Hello): void
}

interface LostPeersParts {
  readonly env: Pick<Env, 'detach' | 'deferred' | 'timers'>
  readonly dial: (address: string) => Promise<DialOutcome>
}

/**
 * Dials once when the last connection with a peer has closed, to distinguish a broken connection from a process that
 * has ended.
 */
export class LostPeers {
  readonly #parts: LostPeersParts
  /** The search under way, by node ID. A replaced or removed search reports nothing. */
  readonly #searches = new Map<string, object>()

  constructor(parts: LostPeersParts) {
    this.#parts = parts
  }

  lost(peer: Hello, watch: PeerWatch): void {
    if (peer.address === '' || this.#searches.size >= searchesMax || !watch.isWatched(peer)) return
    const search = {}
    this.#searches.set(peer.nodeId, search)
    this.#parts.env.detach(this.#search(peer, watch, search))
  }

  /** The peer has sent its hello on a new connection: the result of an earlier dial is outdated. */
  met(nodeId: string): void {
    this.#searches.delete(nodeId)
  }

  stop(): void {
    this.#searches.clear()
  }

  async #search(peer: Hello, watch: PeerWatch, search: object): Promise<void> {
    let pauseMs = firstPauseMs
    for (let dials = 1; ; dials++) {
      const outcome = await this.#parts.dial(peer.address)
      if (this.#searches.get(peer.nodeId) !== search) return
      if (outcome === 'cut-short' && dials < dialsMax) {
        await pause(this.#parts.env, pauseMs)
        pauseMs *= 2
        if (this.#searches.get(peer.nodeId) === search) continue
        return
      }
      this.#searches.delete(peer.nodeId)
      if (outcome === 'refused') watch.onGone(peer)
      return
    }
  }
}
