import type { LogIndex, Term } from '../../model/log-position.ts'
import type { ClusterHealth, ServerHealth } from '../../model/server-health.ts'
import { quorumOf } from '../../raft/core/quorum.ts'
import type { Server, ServerId } from '../../raft/core/types.ts'
import type { PoolServer } from '../pool/pool-servers.ts'
import type { AutopilotConfig } from '../settings/agent-config.ts'
import type { ServerRecord } from './server-directory.ts'

/** Longest time between messages of an idle leader, as a share of the heartbeat timeout. */
const heartbeatShare = 1 / 5

/** One server of the Raft configuration, and what is known about it now. */
export interface ServerFacts {
  readonly server: Server
  /** Undefined: the pool does not know it. */
  readonly member: PoolServer | undefined
  /** The record that it has just sent; undefined: it did not answer. */
  readonly said: Pick<ServerRecord, 'lastContactMs' | 'lastIndex' | 'lastTerm'> | undefined
}

/** The judging leader. */
export interface Judge {
  readonly id: ServerId | undefined
  readonly lastIndex: LogIndex
  readonly lastTerm: Term
  readonly monoMs: number
  readonly wallMs: number
}

export interface HealthRules extends Pick<AutopilotConfig, 'lastContactThresholdMs' | 'maxTrailingLogs'> {
  readonly heartbeatTimeoutMs: number
}

interface Judged extends ServerHealth {
  readonly stableSinceMonoMs: number
}

/**
 * The health of the servers as one leader sees it over time. A server is healthy while the pool considers it alive, it
 * hears from the leader, its log ends in the leader's term, and it is not far behind. Reference:
 * operator.md#when-a-server-is-healthy.
 *
 * The field's leader sends its followers something every 50 to 100 ms; this one sends heartbeats as rarely as Raft's
 * timing allows. Silence of up to that long means nothing, and is added to the threshold.
 */
export class HealthRecord {
  readonly #rules: () => HealthRules
  #servers: ReadonlyMap<ServerId, Judged> = new Map()

  /** `rules` is called at each look, because operators may change them. */
  constructor(rules: () => HealthRules) {
    this.#rules = rules
  }

  /** `facts` describes all servers of the configuration. */
  look(facts: readonly ServerFacts[], judge: Judge): void {
    const rules = this.#rules()
    this.#servers = new Map(facts.map((each) => [each.server.id, this.#judged(each, judge, rules)]))
  }

  isHealthy(id: ServerId): boolean {
    return this.#servers.get(id)?.healthy === true
  }

  /** For how long it has been healthy without a break; undefined: it is not healthy, or not known. */
  healthyForMs(id: ServerId, monoMs: number): number | undefined {
    const server = this.#servers.get(id)
    return server?.healthy === true ? monoMs - server.stableSinceMonoMs : undefined
  }

  cluster(): ClusterHealth {
    const servers = [...this.#servers.values()].map(({ stableSinceMonoMs: _, ...health }) => health)
    const voters = servers.filter(({ voter }) => voter)
    const healthyVoters = voters.filter(({ healthy }) => healthy).length
    return {
      healthy: servers.every(({ healthy }) => healthy),
      failureTolerance: Math.max(0, healthyVoters - quorumOf(voters.length)),
      servers,
    }
  }

  #judged({ server, member, said }: ServerFacts, judge: Judge, rules: HealthRules): Judged {
    const leader = server.id === judge.id
    const lastContactMs = leader ? 0 : said === undefined || said.lastContactMs < 0 ? undefined : said.lastContactMs
    const lastTerm = leader ? judge.lastTerm : (said?.lastTerm ?? 0)
    const lastIndex = leader ? judge.lastIndex : (said?.lastIndex ?? 0)
    const healthy =
      member?.status === 'alive' &&
      lastContactMs !== undefined &&
      lastContactMs <= rules.lastContactThresholdMs + rules.heartbeatTimeoutMs * heartbeatShare &&
      lastTerm === judge.lastTerm &&
      lastIndex + rules.maxTrailingLogs >= judge.lastIndex
    const before = this.#servers.get(server.id)
    const since = before?.healthy === healthy ? before : undefined
    return {
      id: server.id,
      name: member?.name ?? '',
      address: server.address,
      poolStatus: member?.status ?? 'none',
      release: member?.release ?? '',
      leader,
      voter: server.suffrage === 'voter',
      lastContactMs,
      lastTerm,
      lastIndex,
      healthy,
      stableSinceMs: since?.stableSinceMs ?? judge.wallMs,
      stableSinceMonoMs: since?.stableSinceMonoMs ?? judge.monoMs,
    }
  }
}
