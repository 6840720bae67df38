import { InvariantViolation } from '../../src/base/invariant.ts'
import type { Result } from '../../src/base/result.ts'
import type { FileConfig } from '../../src/config/schema.ts'
import type { Failure } from '../../src/model/failure.ts'
import type { Release } from '../../src/model/release.ts'
import type { Raft } from '../../src/raft/raft.ts'
import { settingsTold } from '../checkers/reads/settings-told.ts'
import { type EndingSignal, peersJsonText, serverAddress } from './cluster-node.ts'
import type { ClusterNodes } from './cluster-nodes.ts'
import type { Operators } from './operator.ts'
import type { Processes } from './processes.ts'

/**
 * The orders of operators to agents, by name: leave, reload settings, run another release, hand over leadership, or be
 * removed from the Raft configuration. The checkers are told first what such an order permits.
 */
export class Orders {
  readonly #nodes: ClusterNodes
  readonly #processes: Processes
  readonly #operators: Operators

  constructor(nodes: ClusterNodes, processes: Processes, operators: Operators) {
    this.#nodes = nodes
    this.#processes = processes
    this.#operators = operators
  }

  /** Has it removed from the Raft configuration, as by `svc operator raft remove-peer`. */
  removePeer(name: string): void {
    const { datacenter, id } = this.#nodes.of(name).identity
    this.mayGo(name, 'operator')
    this.#operators.of(datacenter).removePeer(id)
  }

  /** An operator wants it removed from the catalog, or from the Raft configuration. */
  mayGo(name: string, why: 'left' | 'replaced' | 'operator'): void {
    const server = this.#nodes.of(name)
    this.#nodes.checksOf(server).tell('removal allowed', { node: name, id: server.identity.id, why })
  }

  transferLeadership(from: string, to: string | undefined): void {
    const { agent } = this.#nodes.of(from)
    const raft = agent?.raft
    if (agent === undefined || raft === undefined) return
    const id =
      to === undefined ? undefined : raft.memberName(this.#nodes.of(to).identity.id, serverAddress(this.#nodes.of(to)))
    const { node } = this.#nodes.of(from)
    node.run(() => agent.env.detach(this.#transfer(raft, from, id === undefined ? undefined : to, id)))
  }

  async #transfer(raft: Raft, from: string, to: string | undefined, id: string | undefined): Promise<void> {
    const checks = this.#nodes.checksOf(this.#nodes.of(from))
    const { term } = raft.status()
    const handed = await raft.transferLeadership(id)
    const failure = handed.ok ? undefined : 'message' in handed.error ? handed.error.message : handed.error.kind
    checks.tell('transfer answered', { node: from, to, term, failure })
  }

  /** Asks the running agent to leave gracefully; its process then ends. */
  leave(name: string): void {
    const server = this.#nodes.of(name)
    const { agent, node } = server
    if (agent === undefined) throw new InvariantViolation('an agent that leaves must run', { name })
    this.mayGo(name, 'left')
    server.leaving = true
    node.run(() => agent.env.detach(agent.leave()))
  }

  /** Whether this signal makes the agent leave before it ends, by the settings that its process has read. */
  leavesBy(name: string, signal: EndingSignal): boolean {
    const config = this.#nodes.checksOf(this.#nodes.of(name)).of(settingsTold).leavingOf(name)
    return signal === 'SIGTERM' ? config?.leaveOnTerminate === true : config?.skipLeaveOnInterrupt === false
  }

  /** Sends a signal to the running process: it ends gracefully, and may leave first. */
  signal(name: string, signal: EndingSignal): void {
    const server = this.#nodes.of(name)
    if (server.signal === undefined) throw new InvariantViolation('an agent that has a signal must be up', { name })
    if (this.leavesBy(name, signal)) {
      this.mayGo(name, 'left')
      server.leaving = true
    }
    server.node.run(() => server.signal?.(signal))
  }

  /** Changes settings as an editor changes the file, and makes the agent reload it. `told` receives the result. */
  reload(name: string, changes: FileConfig, told: (verdict: Result<undefined, Failure>) => void): boolean {
    const server = this.#nodes.of(name)
    const { agent } = server
    if (agent === undefined) return false
    server.settings = { ...server.settings, ...changes }
    server.node.run(() => agent.env.detach(agent.reload().then(told)))
    return true
  }

  /**
   * Ends its process as kill does, and starts another on the same disk: of this release, with edited settings. Returns
   * why that one does not start, if it refuses its configuration.
   */
  upgrade(name: string, release: Release | undefined, edit: (settings: FileConfig) => FileConfig): string | undefined {
    const server = this.#nodes.of(name)
    this.#processes.crash(server, 'kept')
    server.release = release ?? server.release
    server.settings = edit(server.settings)
    const read = this.#nodes.configOf(server, server.node.facts)
    if (!read.ok) return read.error
    this.#processes.start(server)
    return undefined
  }

  /** Its next process finds a `peers.json` that names these servers, by their IDs or only by their addresses. */
  leavePeersJson(name: string, servers: readonly string[], form: 'ids' | 'addresses'): void {
    const named = servers.map((server) => this.#nodes.of(server))
    this.#nodes.of(name).peersJson = peersJsonText(named, form)
  }
}
