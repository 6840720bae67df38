import type { Env } from '../../env/env.ts'
import type { TimerName } from '../core/events.ts'
import type { RaftMessage } from '../core/messages.ts'
import type { RaftCore } from '../core/state.ts'
import type { RoleName, ServerId } from '../core/types.ts'

const rpcNames: Partial<Record<RaftMessage['kind'], string>> = {
  'append-request': 'raft.rpc.appendEntries',
  'vote-request': 'raft.rpc.requestVote',
  'snapshot-chunk': 'raft.rpc.installSnapshot',
}

/** Raft's metrics, by the names of the field. Reference: telemetry.md#server-metrics. */
export class Meters {
  readonly #env: Pick<Env, 'metrics' | 'clock'>
  readonly #peerNames = new Map<ServerId, string>()

  constructor(env: Pick<Env, 'metrics' | 'clock'>) {
    this.#env = env
  }

  /** A request of another server was handled since `startedMs`. */
  served(message: RaftMessage, startedMs: number): void {
    const name = rpcNames[message.kind]
    if (name === undefined) return
    const tookMs = this.#env.clock.monoMs() - startedMs
    this.#env.metrics.sample(name, tookMs)
    const isHeartbeat = message.kind === 'append-request' && message.entries.length === 0
    if (isHeartbeat) this.#env.metrics.sample('raft.rpc.processHeartbeat', tookMs)
  }

  sent(to: ServerId, message: RaftMessage): void {
    if (message.kind === 'append-request' && message.entries.length > 0) {
      this.#env.metrics.count(this.#peerName(to), message.entries.length)
    }
  }

  enteredRole(role: RoleName): void {
    if (role !== 'pre-candidate') this.#env.metrics.count(`raft.state.${role}`)
  }

  /** A timer fired and was handled; `before` is the role until then. */
  timerFired(timer: TimerName, before: RoleName, { role }: RaftCore): void {
    if (role.kind !== before) {
      if (timer === 'election' && before === 'follower') this.#env.metrics.count('raft.transition.heartbeat_timeout')
      if (timer === 'quorum') this.#env.metrics.count('raft.transition.leader_lease_timeout')
    } else if (timer === 'quorum' && role.kind === 'leader') {
      const nowMs = this.#env.clock.monoMs()
      for (const { heardMs } of role.progress.values()) {
        this.#env.metrics.sample('raft.leader.lastContact', nowMs - heardMs)
      }
    }
  }

  /** Names of the members of a cluster; those of former servers are removed when there are too many. */
  #peerName(to: ServerId): string {
    let name = this.#peerNames.get(to)
    if (name !== undefined) return name
    if (this.#peerNames.size >= 256) this.#peerNames.clear()
    name = `raft.replication.appendEntries.logs.${to}`
    this.#peerNames.set(to, name)
    return name
  }
}
