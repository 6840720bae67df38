import type { Closable } from '../../env/async.ts'
import type { LeaderDuty, RunningDuty } from '../../features/contract/duty.ts'
import type { WithConsensus } from '../../features/contract/server-context.ts'
import type { WithEnv, WithRelease } from '../../features/contract/surroundings.ts'
import type { Member, Pool } from '../../gossip/pool.ts'
import { hasBehaviour } from '../../model/release.ts'
import type { ClusterHealth } from '../../model/server-health.ts'
import { serverIn } from '../../raft/core/configuration.ts'
import type { ConfigurationChange, ServerId } from '../../raft/core/types.ts'
import { aliveServers, knownServers, type PoolServer, serverOf } from '../pool/pool-servers.ts'
import type { AgentConfig, AutopilotConfig } from '../settings/agent-config.ts'
import { CleanUp } from './clean-up.ts'
import type { Introductions } from './introductions.ts'
import { LostServers } from './lost-servers.ts'
import { type MembershipView, mayPromote, memberChange, memberOf } from './member-changes.ts'
import { ReportedProblems } from './reported-problems.ts'
import { nameOf, type ServerDirectory, type ServerRecord } from './server-directory.ts'
import { HealthRecord } from './server-health.ts'

/** The server as far as this duty uses it. */
type ServerMembershipServer = WithEnv & WithRelease & WithConsensus

/** Interval at which the leader checks its servers. Reference: configuration.md#server-health-poll. */
const pollMs = 2_000

export interface ServerMembershipParts {
  readonly directory: ServerDirectory
  readonly introductions: Introductions
  readonly pool: Pool
  readonly config: Pick<AgentConfig, 'raft' | 'datacenter'>
  /** The present settings: operators may change them. */
  settings(): AutopilotConfig
  /** Called at each check, to set the gauges of everything that the leader checks. */
  measure(): void
}

/** The duty, and the health of the servers while it runs here. */
export interface ServerMembershipDuty extends LeaderDuty<RunningDuty, ServerMembershipServer> {
  /** Undefined: this server does not lead, or has not checked yet. */
  health(): ClusterHealth | undefined
}

/**
 * Manages the members of the Raft configuration, like the field's autopilot: a server that has introduced itself is
 * added without a vote, and gets one when it has been healthy for the stabilization time; one that came back under
 * another address or name is changed accordingly; dead ones are removed when there are enough others.
 */
export function serverMembership(parts: ServerMembershipParts): ServerMembershipDuty {
  let running: ServerMembership | undefined
  return {
    name: 'server-membership',
    start(server) {
      const duty = new ServerMembership(server, parts)
      running = duty
      duty.poll()
      return {
        close: () => {
          duty.close()
          if (running === duty) running = undefined
        },
      }
    },
    health: () => running?.health(),
  }
}

class ServerMembership implements Closable {
  readonly #server: ServerMembershipServer
  readonly #parts: ServerMembershipParts
  readonly #health: HealthRecord
  #looked = false
  readonly #lost: LostServers
  readonly #cleanUp: CleanUp
  /** Changes that are impossible at present, by what they are about. */
  readonly #told = new ReportedProblems({ max: toldMax })
  readonly #watching: Closable
  #timer: Closable | undefined
  #polling = false
  #closed = false

  constructor(server: ServerMembershipServer, parts: ServerMembershipParts) {
    this.#server = server
    this.#parts = parts
    const { heartbeatTimeoutMs } = parts.config.raft
    this.#health = new HealthRecord(() => ({ ...parts.settings(), heartbeatTimeoutMs }))
    this.#lost = new LostServers({
      raft: server.raft,
      nowMs: () => server.env.clock.monoMs(),
      memberOf: (one) => memberOf(one, this.#known()),
      serverStabilizationMs: () => parts.settings().serverStabilizationMs,
    })
    this.#cleanUp = new CleanUp({
      server,
      lost: this.#lost,
      settings: parts.settings,
      view: () => this.#view(),
      isHealthy: (id) => this.#health.isHealthy(id),
      isClosed: () => this.#closed,
      change: (change) => this.#change(change),
      kept: (ids, why) => this.#tellOnce(cleanUpTopic, 'dead servers are not removed', ids.join(','), why),
      nothingDead: () => this.#told.isOver(cleanUpTopic),
    })
    this.#watching = parts.pool.onChange((changes) => {
      if (changes.some(({ member }) => this.#standsAgain(member))) this.#pollSoon()
    })
  }

  health(): ClusterHealth | undefined {
    return this.#looked ? this.#health.cluster() : undefined
  }

  poll(): void {
    this.#server.env.detach(this.#pollAndRest())
  }

  close(): void {
    this.#closed = true
    this.#watching.close()
    this.#timer?.close()
  }

  /** A server that was removed while the pool considered it failed, and is alive again, is added without a pause. */
  #standsAgain(member: Member): boolean {
    const server = member.status === 'alive' ? serverOf(member) : undefined
    if (server?.datacenter !== this.#parts.config.datacenter) return false
    const record = this.#parts.directory.get(server.id)
    return record !== undefined && serverIn(this.#view().configuration, nameOf(record)) === undefined
  }

  /** A poll under way is followed by the next one within `pollMs` anyway. */
  #pollSoon(): void {
    if (this.#polling || this.#closed) return
    this.#timer?.close()
    this.poll()
  }

  async #pollAndRest(): Promise<void> {
    this.#polling = true
    await this.#pollOnce()
    this.#polling = false
    if (!this.#closed) this.#timer = this.#server.env.timers.after(pollMs, () => this.poll())
  }

  async #pollOnce(): Promise<void> {
    const records = await this.#ask()
    if (this.#closed) return
    this.#look(records)
    await this.#considerSelf()
    if (this.#closed) return
    for (const record of records) {
      // It may have left while the servers before it were handled.
      if (!this.#parts.directory.isAlive(record.id)) continue
      await this.#consider(record)
      if (this.#closed) return
    }
    await this.#cleanUp.runIfDue()
  }

  /** The present record of each living server; a server that does not answer has none. */
  async #ask(): Promise<readonly ServerRecord[]> {
    const { directory, introductions } = this.#parts
    const known = directory.all()
    const answers = await Promise.all(known.map(({ address }) => introductions.introduceTo(address)))
    return answers.flatMap((record, at) => (record !== undefined && record.id === known[at]?.id ? [record] : []))
  }

  #look(records: readonly ServerRecord[]): void {
    const { clock, metrics } = this.#server.env
    const { configuration, leader, lastIndex, lastTerm } = this.#server.raft.status()
    const known = this.#known()
    const now = clock.monoMs()
    const facts = configuration.servers.map((server) => {
      const member = memberOf(server, known)
      return { server, member, said: records.find(({ id }) => id === member?.id) }
    })
    this.#lost.look(configuration.servers)
    this.#health.look(facts, { id: leader?.id, lastIndex, lastTerm, monoMs: now, wallMs: clock.wallMs() })
    this.#looked = true
    const { healthy, failureTolerance } = this.#health.cluster()
    metrics.gauge('autopilot.healthy', healthy ? 1 : 0)
    metrics.gauge('autopilot.failure_tolerance', failureTolerance)
    this.#parts.measure()
  }

  /** At most one change for each server and poll: Raft takes one at a time. */
  async #consider(record: ServerRecord): Promise<void> {
    const planned = memberChange(record, this.#view())
    if (planned.kind === 'none') return
    if (planned.kind === 'refuse') return this.#tellOnce(record.id, 'a server is not added', record.name, planned.why)
    if (planned.kind === 'promote' && !this.#isDue(planned.change.id)) return
    if (planned.kind === 'replace' && this.#isHere(planned.change.id)) return
    await this.#change(planned.change)
  }

  /**
   * A server whose entry has the address of another one has moved if it still replicates, or if it is this leader, which
   * hears nothing from itself: its own entry is about to follow it.
   */
  #isHere(id: ServerId): boolean {
    return id === nameOf(this.#parts.introductions.ownRecord()) || this.#lost.showsLife(id)
  }

  /** A leader that was restarted at another address announces it itself. */
  async #considerSelf(): Promise<void> {
    const own = this.#parts.introductions.ownRecord()
    const { configuration } = this.#view()
    const named = serverIn(configuration, nameOf(own))
    if (named === undefined || named.address === own.address) return
    await this.#consider(own)
  }

  #view(): MembershipView {
    const { datacenter, raft } = this.#parts.config
    const alive = aliveServers(this.#parts.pool.members(), datacenter)
    return {
      configuration: this.#server.raft.status().configuration,
      leaderProtocol: raft.protocol,
      lowestProtocol: Math.min(raft.protocol, ...alive.map(({ raftProtocol }) => raftProtocol)),
    }
  }

  #isDue(id: ServerId): boolean {
    const { servers } = this.#server.raft.status().configuration
    if (!this.#isStable(id)) return false
    const stable = servers.filter((server) => server.suffrage === 'nonvoter' && this.#isStable(server.id)).length
    const voters = servers.filter(({ suffrage }) => suffrage === 'voter').length
    return mayPromote(stable, voters, hasBehaviour(this.#server.release, 'promotion-one-by-one'))
  }

  #isStable(id: ServerId): boolean {
    const forMs = this.#health.healthyForMs(id, this.#server.env.clock.monoMs())
    return forMs !== undefined && forMs >= this.#parts.settings().serverStabilizationMs
  }

  #known(): readonly PoolServer[] {
    const { pool, config } = this.#parts
    return knownServers(pool.members(), config.datacenter)
  }

  async #change(change: ConfigurationChange): Promise<void> {
    const result = await this.#server.raft.changeConfiguration(change)
    const fields = { change: change.kind, id: change.id }
    const { log } = this.#server.env
    if (result.ok) {
      this.#told.isOver(change.id)
      return log.write('info', 'autopilot', 'changed the Raft configuration', fields)
    }
    if (result.error.kind !== 'invalid-change') {
      return log.write('debug', 'autopilot', 'change refused for now', { ...fields, why: result.error.kind })
    }
    const text = 'a server waits, because this change of the Raft configuration is impossible'
    this.#tellOnce(change.id, text, change.id, result.error.message)
  }

  #tellOnce(topic: string, text: string, server: string, why: string): void {
    if (!this.#told.isNew(topic, why)) return
    this.#server.env.log.write('warn', 'autopilot', text, { server, why }, 'sampled')
  }
}

const cleanUpTopic = 'dead servers'
const toldMax = 512
