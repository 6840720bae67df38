import type { ServerContext } from '../../features/contract/server-context.ts'
import { serverIn } from '../../raft/core/configuration.ts'
import type { ConfigurationChange, ServerId } from '../../raft/core/types.ts'
import { isNamedById } from '../../raft/protocol.ts'
import type { AutopilotConfig } from '../settings/agent-config.ts'
import { judgeDeadServers } from './dead-servers.ts'
import type { LostServers } from './lost-servers.ts'
import type { MembershipView } from './member-changes.ts'

/** Interval at which the leader removes dead servers. Reference: configuration.md#autopilot-interval. */
const cleanUpMs = 10_000

export interface CleanUpParts {
  readonly server: ServerContext
  readonly lost: LostServers
  settings(): AutopilotConfig
  view(): MembershipView
  isHealthy(id: ServerId): boolean
  isClosed(): boolean
  change(change: ConfigurationChange): Promise<void>
  /** There are dead servers, and they are not removed. */
  kept(ids: readonly ServerId[], why: string): void
  nothingDead(): void
}

/** Removes dead servers from the Raft configuration periodically, unless operators have turned that off. */
export class CleanUp {
  readonly #parts: CleanUpParts
  #nextMs: number

  constructor(parts: CleanUpParts) {
    this.#parts = parts
    this.#nextMs = parts.server.env.clock.monoMs() + cleanUpMs
  }

  async runIfDue(): Promise<void> {
    const now = this.#parts.server.env.clock.monoMs()
    if (now < this.#nextMs) return
    this.#nextMs = now + cleanUpMs
    await this.#run()
  }

  async #run(): Promise<void> {
    const { cleanUpDeadServers, minQuorum } = this.#parts.settings()
    const { configuration, leaderProtocol, lowestProtocol } = this.#parts.view()
    if (!cleanUpDeadServers || !isNamedById(Math.min(leaderProtocol, lowestProtocol))) return
    const isDead = (id: ServerId): boolean => this.#isDead(id)
    const isHealthy = (id: ServerId): boolean => this.#parts.isHealthy(id)
    const judged = judgeDeadServers({ configuration, isDead, isHealthy, minQuorum })
    if (judged.kind === 'none') return this.#parts.nothingDead()
    if (judged.kind === 'keep') return this.#parts.kept(judged.ids, judged.why)
    for (const id of judged.ids) {
      // Checked again each time: the change before took a while, and the server may have been heard from meanwhile.
      if (this.#parts.isClosed() || !isDead(id)) return
      await this.#parts.change({ kind: 'remove', id })
    }
  }

  #isDead(id: ServerId): boolean {
    const server = serverIn(this.#parts.server.raft.status().configuration, id)
    return server !== undefined && this.#parts.lost.isLost(server)
  }
}
