import type { Agent } from '../../src/agent/assembly/agent.ts'
import type { SeenState } from '../../src/agent/boot/observer.ts'
import type { FileConfig } from '../../src/config/schema.ts'
import type { Release } from '../../src/model/release.ts'
import type { ReadTransaction } from '../../src/store/types.ts'
import { leadership } from '../checkers/raft/leadership.ts'
import { stateMachineSafety } from '../checkers/raft/state-machine-safety.ts'
import type { ManagerMachine } from '../secrets-manager/manager-machine.ts'
import type { SimNode } from '../simulation/node.ts'
import type { Simulation } from '../simulation/simulation.ts'
import type { ApiServer } from './api-server.ts'
import { agentName, highest } from './cluster-node.ts'
import { type ClusterNodeParts, ClusterNodes } from './cluster-nodes.ts'
import { tellDisk } from './disk-looks.ts'
import { IdentityChanges } from './identity-changes.ts'
import { type NodeIdentity, replacement } from './node-identity.ts'
import { type LeadingProcess, Operators } from './operator.ts'
import { Orders } from './orders.ts'
import { type ClusterTrigger, Processes } from './processes.ts'
import { harmedLog, rottingPlaces } from './rotting-places.ts'
import { WebServers } from './web-servers.ts'

/** All agents: started, crashed and observed by name. */
export class Cluster {
  readonly simulation: Simulation
  readonly serverNames: readonly string[]
  readonly clientNames: readonly string[]
  /** Servers, then clients. */
  readonly nodeNames: readonly string[]
  readonly webServers = new WebServers()
  /** Where the certificate authority of a mesh may have its root; undefined: the run has none. */
  secretsManager: ManagerMachine | undefined
  /** Where agents may look for the pool; undefined: the run has none. */
  apiServer: ApiServer | undefined
  readonly #operators: Operators
  readonly #nodes: ClusterNodes
  #replacements = 0
  readonly datacenterNames: readonly string[]
  /** The orders of operators to agents. */
  readonly orders: Orders
  /** Agents get other names, and machines other addresses. */
  readonly changes: IdentityChanges
  readonly #processes: Processes

  constructor(parts: ClusterNodeParts & { readonly onTrigger: (trigger: ClusterTrigger, node: string) => void }) {
    this.simulation = parts.simulation
    this.#nodes = new ClusterNodes(parts)
    this.datacenterNames = Object.keys(parts.plan)
    this.nodeNames = this.#nodes.names
    this.serverNames = this.#nodes.namesOf('server')
    this.clientNames = this.#nodes.namesOf('client')
    this.#processes = new Processes({
      simulation: parts.simulation,
      webServers: this.webServers,
      arePods: () => this.apiServer !== undefined,
      checksOf: (server) => this.#nodes.checksOf(server),
      configOf: (server, machine) => this.#nodes.configOf(server, machine),
      onTrigger: parts.onTrigger,
      replace: (name) => this.replace(name, 'wipe'),
    })
    this.#operators = new Operators((datacenter) => ({
      after: (delayMs, then) => void this.simulation.after(delayMs, then),
      leader: () => this.#leadingProcess(datacenter),
      agents: () => this.#serversOf(datacenter).flatMap((name) => this.#nodes.of(name).agent ?? []),
    }))
    this.orders = new Orders(this.#nodes, this.#processes, this.#operators)
    this.changes = new IdentityChanges(this.#nodes, this.#processes, this.simulation.network)
  }

  /** Whether this machine runs an agent. Others run the proxies of the mesh, and whatever else the agents talk to. */
  hasAgent(machine: string): boolean {
    return this.#nodes.has(machine)
  }

  identityOf(server: string): NodeIdentity {
    return this.#nodes.of(server).identity
  }

  /** What other agents and the catalog call the agent on this machine. */
  agentNameOf(node: string): string {
    return agentName(this.#nodes.of(node))
  }

  /** Names that the agent on this machine has had, and has no longer. */
  formerNamesOf(node: string): readonly string[] {
    return [...this.#nodes.of(node).formerNames]
  }

  datacenterOf(server: string): string {
    return this.#nodes.of(server).identity.datacenter
  }

  nodeOf(server: string): SimNode {
    return this.#nodes.of(server).node
  }

  rateOf(server: string): number {
    return this.#nodes.of(server).rate
  }

  /** Whether its process runs, even if it is paused. */
  isRunning(server: string): boolean {
    return this.#nodes.of(server).node.running
  }

  /** Number of this server's present or last process, counted from 1. */
  bootOf(server: string): number {
    return this.#nodes.of(server).node.boots
  }

  /** Why its process ended by itself, or did not start; undefined if it runs or was crashed. */
  whyDown(server: string): string | undefined {
    return this.#nodes.of(server).ended
  }

  /** Servers that believe they lead, in order of name. */
  leaders(): readonly string[] {
    return this.serverNames.filter((server) =>
      this.#nodes.checksOf(this.#nodes.of(server)).of(leadership).leading.has(server),
    )
  }

  /**
   * The server that leads; if several believe so, the one with the highest term. Without a name, in the first
   * datacenter.
   */
  leader(datacenter = this.datacenterNames[0] ?? ''): string | undefined {
    return highest(this.#nodes.invariantsOf(datacenter).of(leadership).leading)
  }

  #serversOf(datacenter: string): readonly string[] {
    return this.serverNames.filter((name) => this.datacenterOf(name) === datacenter)
  }

  #leadingProcess(datacenter: string): LeadingProcess | undefined {
    const leader = this.leader(datacenter)
    const { node, agent } = leader === undefined ? { node: undefined, agent: undefined } : this.#nodes.of(leader)
    return node === undefined || agent === undefined ? undefined : { agent, run: (act) => node.run(act) }
  }

  /** Whether it has been asked to leave, and its process still runs. */
  isLeaving(node: string): boolean {
    return this.#nodes.of(node).leaving && this.isRunning(node)
  }

  /** Whether its process, which still runs, is ending: a signal has told it to, or its agent has left. */
  isEnding(node: string): boolean {
    const { signalled, isLeft } = this.#nodes.of(node)
    return (signalled || isLeft) && this.isRunning(node)
  }

  /** Whether it left gracefully, or has not joined yet, and was not started since: its absence is no fault. */
  hasLeft(node: string): boolean {
    return this.#nodes.of(node).left
  }

  /** The running agent; undefined while it starts, and when its process does not run. */
  agentOf(node: string): Agent | undefined {
    return this.#nodes.of(node).agent
  }

  appliedIndex(server: string): number {
    return this.#nodes.checksOf(this.#nodes.of(server)).of(stateMachineSafety).appliedIndex(server)
  }

  releaseOf(node: string): Release {
    return this.#nodes.of(node).release
  }

  /** The configuration file of its next process. */
  settingsOf(node: string): FileConfig {
    return this.#nodes.of(node).settings
  }

  /** The digest of its whole state; undefined if it does not run. */
  stateDigest(server: string): ReturnType<SeenState['digest']> {
    return this.#nodes.of(server).agent?.state?.digest()
  }

  /** Its replicated state; undefined if it does not run. */
  stateOf(server: string): ReadTransaction | undefined {
    return this.#nodes.of(server).agent?.state?.read()
  }

  start(name: string): void {
    this.#processes.start(this.#nodes.of(name))
  }

  /** A power cut: the process ends, and unsynced data may be lost. `kept`: only the process dies, as by kill -9. */
  crash(name: string, disk: 'power' | 'kept' = 'power'): void {
    this.#processes.crash(this.#nodes.of(name), disk)
  }

  /**
   * The machine is lost with all its data. Another one with its name and address, an empty disk and a new node ID
   * exists, and is not started yet. `wipe`: an operator removes the lost machine's ID from the Raft group and the
   * catalog as soon as there is a leader; `reimage`: no operator does anything.
   */
  replace(name: string, how: 'wipe' | 'reimage'): void {
    this.crash(name)
    const server = this.#nodes.of(name)
    server.node.disk.replace(['/data'])
    this.#nodes.checksOf(server).tell('machine replaced', { node: name })
    this.orders.mayGo(name, how === 'wipe' ? 'operator' : 'replaced')
    this.#replacements++
    const lost = server.identity.id
    server.identity = replacement(server.identity, this.#replacements)
    server.damaged = false
    server.left = false
    server.ended = undefined
    if (how === 'wipe') this.#operators.of(server.identity.datacenter).retire({ name, id: lost })
  }

  /** A bit rots in the data of Raft, where it cannot be mistaken for a torn write. False: there is no such place. */
  rot(name: string, draw: (bound: number) => number): boolean {
    const server = this.#nodes.of(name)
    const places = rottingPlaces(server.node.disk.files())
    const place = places[draw(Math.max(1, places.length))]
    if (place === undefined) return false
    server.damaged = server.node.disk.flipBit(place.path, draw(place.before))
    return server.damaged
  }

  /**
   * The power is cut, and the newest file of the log no longer has what was written. A server without such a file just
   * crashes.
   */
  damageLog(name: string, draw: (bound: number) => number): void {
    this.crash(name)
    const server = this.#nodes.of(name)
    const { disk } = server.node
    const harm = harmedLog(disk.files(), draw)
    if (harm === undefined) return
    disk.rewrite(harm.path, harm.bytes)
    server.damaged = true
  }

  /** Whether its data have rotted: it runs until it stops, and must be replaced then. */
  isDamaged(name: string): boolean {
    return this.#nodes.of(name).damaged
  }

  /** Tells the checkers what an agent that nothing troubles has on its disk. */
  lookAtDisk(name: string): void {
    const server = this.#nodes.of(name)
    tellDisk(this.#nodes.checksOf(server), server, 'at rest')
  }

  pause(name: string): void {
    const { node } = this.#nodes.of(name)
    if (!node.running || node.paused) return
    node.pause()
    this.#nodes.checksOf(this.#nodes.of(name)).tell('process paused', { node: name })
  }

  /** Whether it refuses new connections. */
  refuseConnections(name: string, refuses: boolean): void {
    const { node } = this.#nodes.of(name)
    this.#nodes.checksOf(this.#nodes.of(name)).tell('connections refused', { node: name, refuses })
    node.refuseConnections(refuses)
  }

  /** Its TCP connections break; its listeners stay open. */
  breakConnections(name: string): void {
    const { node } = this.#nodes.of(name)
    this.#nodes.checksOf(this.#nodes.of(name)).tell('connections refused', { node: name, refuses: false })
    node.breakConnections()
  }

  resume(name: string): void {
    const { node } = this.#nodes.of(name)
    if (!node.running || !node.paused) return
    this.#nodes.checksOf(this.#nodes.of(name)).tell('process resumed', { node: name })
    node.resume()
  }
}
