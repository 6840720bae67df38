import type { WithConsensus } from '../../features/contract/server-context.ts'
import type { WithEnv } from '../../features/contract/surroundings.ts'
import { serverIn } from '../../raft/core/configuration.ts'
import { quorumOf } from '../../raft/core/quorum.ts'
import type { Configuration, ConfigurationChange, ServerId } from '../../raft/core/types.ts'
import { isNamedById } from '../../raft/protocol.ts'
import type { AutopilotConfig } from '../settings/agent-config.ts'
import type { LostServers } from './lost-servers.ts'
import type { MembershipView } from './member-changes.ts'

/** Interval at which the leader removes dead servers. Reference: configuration.md#autopilot-interval. */
const cleanUpMs = 10_000

interface CleanUpParts {
  readonly server: WithEnv & WithConsensus
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

interface DeadServersView {
  readonly configuration: Configuration
  /** Whether the pool considers the server failed, or has not known it for a long time. */
  isDead(id: ServerId): boolean
  isHealthy(id: ServerId): boolean
  /** Minimum number of voters that a removal must leave; 0: any number that has a quorum. */
  readonly minQuorum: number
}

type DeadServers =
  | { readonly kind: 'none' }
  | { readonly kind: 'remove'; readonly ids: readonly ServerId[] }
  /** The dead servers are kept, because the others could not do without them. */
  | { readonly kind: 'keep'; readonly ids: readonly ServerId[]; readonly why: string }

/**
 * Decides which servers of the Raft configuration are dead and may be removed. They are removed all together or not at
 * all, and only while they are fewer than half of the voters, rounded down (Reference:
 * operator.md#removal-of-dead-servers): of three voters none is removed, because that would leave two, of which none
 * may fail; once a fourth server has its vote, the dead one is removed. Beyond the field's rule, the remaining servers
 * must have a healthy quorum of their own, so that a removal never costs availability.
 */
export function judgeDeadServers(view: DeadServersView): DeadServers {
  const { servers } = view.configuration
  const dead = servers.filter(({ id }) => view.isDead(id))
  if (dead.length === 0) return { kind: 'none' }
  const ids = dead.map(({ id }) => id)
  const voters = servers.filter(({ suffrage }) => suffrage === 'voter')
  const remaining = voters.filter(({ id }) => !ids.includes(id))
  const healthy = remaining.filter(({ id }) => view.isHealthy(id)).length
  if (dead.length >= Math.floor(voters.length / 2)) {
    return { kind: 'keep', ids, why: `${dead.length} dead of ${voters.length} voters are too many` }
  }
  if (remaining.length < view.minQuorum) {
    return { kind: 'keep', ids, why: `${remaining.length} voters would be fewer than min_quorum ${view.minQuorum}` }
  }
  if (healthy < quorumOf(remaining.length)) {
    return { kind: 'keep', ids, why: `of ${remaining.length} remaining voters only ${healthy} are healthy` }
  }
  return { kind: 'remove', ids }
}
