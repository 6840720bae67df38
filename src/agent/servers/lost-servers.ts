import type { Server, ServerId } from '../../raft/core/types.ts'
import type { Raft } from '../../raft/raft.ts'
import type { PoolServer } from '../pool/pool-servers.ts'

/** A server unknown to the pool counts as lost after this time: a leader that has just started knows no member. */
const unknownIsLostMs = 120_000

export interface LostServersParts {
  readonly raft: Pick<Raft, 'silenceMs'>
  nowMs(): number
  /** What the pool now says about a server of the Raft configuration. */
  memberOf(server: Server): PoolServer | undefined
  serverStabilizationMs(): number
}

/**
 * Which servers of the Raft configuration are lost, as far as the leader can tell: the pool considers a server failed,
 * or has not listed it for a long time, *and* the leader has received no reply of its term from it for the
 * server-stabilization time.
 *
 * Gossip alone is no ground for a removal. After a partition heals, the pool considers a member failed until it
 * reconnects with it, which takes half a minute and more, while the server already acknowledges appends again. Removing
 * such a server would cost its vote for nothing.
 */
export class LostServers {
  readonly #parts: LostServersParts
  /** Servers of the configuration that the pool does not know, and since when. */
  readonly #unknownSinceMs = new Map<ServerId, number>()

  constructor(parts: LostServersParts) {
    this.#parts = parts
  }

  /** `servers` are all servers of the configuration. */
  look(servers: readonly Server[]): void {
    for (const server of servers) {
      if (this.#parts.memberOf(server) !== undefined) this.#unknownSinceMs.delete(server.id)
      else if (!this.#unknownSinceMs.has(server.id)) this.#unknownSinceMs.set(server.id, this.#parts.nowMs())
    }
    const ids = new Set(servers.map(({ id }) => id))
    for (const id of [...this.#unknownSinceMs.keys()]) if (!ids.has(id)) this.#unknownSinceMs.delete(id)
  }

  isLost(server: Server): boolean {
    return this.#isMissed(server) && !this.showsLife(server.id)
  }

  /**
   * Whether the leader has heard from the server within the stabilization time; `silenceMs` says what counts as heard.
   */
  showsLife(id: ServerId): boolean {
    const silenceMs = this.#parts.raft.silenceMs(id)
    return silenceMs !== undefined && silenceMs < this.#parts.serverStabilizationMs()
  }

  #isMissed(server: Server): boolean {
    const member = this.#parts.memberOf(server)
    if (member !== undefined) return member.status === 'failed'
    const since = this.#unknownSinceMs.get(server.id)
    return since !== undefined && this.#parts.nowMs() - since >= unknownIsLostMs
  }
}
