import { isNamedById } from '../../src/raft/protocol.ts'
import type { Network } from '../world/network/network.ts'
import { agentName } from './cluster-node.ts'
import type { ClusterNodes } from './cluster-nodes.ts'
import { furtherHosts } from './node-identity.ts'
import type { Processes } from './processes.ts'

/** Ends of the names that an agent may get besides that of its machine. */
const nameEnds = ['', '-a', '-b'] as const

/**
 * Agents that come back with the data of before, but under another name, as after an edit of `node_name`, or at another
 * address, as a container does. The process is killed first, and the next one is started at once.
 */
export class IdentityChanges {
  readonly #nodes: ClusterNodes
  readonly #processes: Processes
  readonly #network: Network

  constructor(nodes: ClusterNodes, processes: Processes, network: Network) {
    this.#nodes = nodes
    this.#processes = processes
    this.#network = network
  }

  /** The names that its agent may get: no other agent has one of them, and it may have had them before. */
  otherNames(node: string): readonly string[] {
    const present = agentName(this.#nodes.of(node))
    return nameEnds.map((end) => `${node}${end}`).filter((name) => name !== present)
  }

  rename(node: string, to: string): void {
    const machine = this.#nodes.of(node)
    const from = agentName(machine)
    this.#processes.crash(machine, 'kept')
    machine.settings = { ...machine.settings, node_name: to }
    machine.formerNames.add(from)
    machine.formerNames.delete(to)
    this.#nodes.checksOf(machine).tell('agent renamed', { node, id: machine.identity.id, from })
    this.#processes.start(machine)
  }

  /**
   * The free addresses to which its machine may move: its own, and those that others of its datacenter have left. Empty
   * for a server whose ID in the consensus group is its address: elsewhere it would be another server.
   */
  freeHosts(node: string): readonly string[] {
    const { identity, node: machine } = this.#nodes.of(node)
    const config = this.#nodes.configOf(this.#nodes.of(node), machine.facts)
    if (identity.kind === 'server' && !(config.ok && isNamedById(config.value.raft.protocol))) return []
    const beside = this.#nodes.names.filter((name) => this.#nodes.of(name).identity.datacenter === identity.datacenter)
    const left = beside.map((name) => this.#nodes.of(name).plannedHost)
    const hosts = [...left, ...furtherHosts({ ...identity, host: this.#nodes.of(node).plannedHost })]
    return hosts.filter((host) => this.#network.hostOf(host) === undefined)
  }

  move(node: string, host: string): void {
    const machine = this.#nodes.of(node)
    this.#processes.crash(machine, 'kept')
    this.#network.move(node, host)
    machine.identity = { ...machine.identity, host }
    this.#nodes.checksOf(machine).tell('agent moved', { node, id: machine.identity.id, host })
    this.#processes.start(machine)
  }
}
