import type { Agent } from '../../src/agent/assembly/agent.ts'
import type { SeenState } from '../../src/agent/boot/observer.ts'
import type { AgentConfig } from '../../src/agent/settings/agent-config.ts'
import { InvariantViolation } from '../../src/base/invariant.ts'
import type { Result } from '../../src/base/result.ts'
import type { FileConfig } from '../../src/config/schema.ts'
import type { Machine } from '../../src/env/process.ts'
import type { Failure } from '../../src/model/failure.ts'
import type { Release } from '../../src/model/release.ts'
import type { ReadTransaction } from '../../src/store/types.ts'
import type { Invariants } from '../checkers/invariants.ts'
import { leadership } from '../checkers/raft/leadership.ts'
import { stateMachineSafety } from '../checkers/raft/state-machine-safety.ts'
import type { ManagerMachine } from '../secrets-manager/manager-machine.ts'
import type { SimNode } from '../simulation/node.ts'
import type { Simulation } from '../simulation/simulation.ts'
import { type ClusterNode, clusterNode, highest, peersJsonText, serverAddress } from './cluster-node.ts'
import { type ClusterPlan, type PlannedNode, plannedNodes } from './cluster-plan.ts'
import { type NodeIdentity, replacement } from './node-identity.ts'
import { type LeadingProcess, Operators } from './operator.ts'
import { type ClusterTrigger, Processes } from './processes.ts'
import { harmedLog, rottingPlaces } from './rotting-places.ts'
import { nodeConfig, type Tuning } from './settings.ts'
import { WebServers } from './web-servers.ts'

/** Agents as one thing: started, crashed and looked at by name. */
export class Cluster {
  readonly simulation: Simulation
  readonly serverNames: readonly string[]
  readonly clientNames: readonly string[]
  /** Servers, then clients. */
  readonly nodeNames: readonly string[]
  readonly webServers = new WebServers()
  /** Where the authority of a mesh may have its root; undefined: the run has none. */
  secretsManager: ManagerMachine | undefined
  readonly #operators: Operators
  readonly #nodes = new Map<string, ClusterNode>()
  readonly #identities: readonly NodeIdentity[]
  readonly #tuning: Tuning
  #replacements = 0
  readonly datacenterNames: readonly string[]
  readonly #invariantsOf: (datacenter: string) => Invariants
  readonly #processes: Processes

  constructor(parts: {
    readonly simulation: Simulation
    readonly plan: ClusterPlan
    /** What is checked of each datacenter: they are clusters of their own. */
    readonly invariantsOf: (datacenter: string) => Invariants
    readonly onTrigger: (trigger: ClusterTrigger, node: string) => void
    /** Of every agent. */
    readonly tuning: Tuning
    /** The clock that a machine begins with. */
    readonly clockOf: (name: string) => { readonly wallOffsetMs: number; readonly rate: number }
  }) {
    this.simulation = parts.simulation
    this.#invariantsOf = parts.invariantsOf
    this.datacenterNames = Object.keys(parts.plan)
    this.#processes = new Processes({
      simulation: parts.simulation,
      webServers: this.webServers,
      checksOf: (server) => this.#checks(server),
      configOf: (server, machine) => this.#configOf(server, machine),
      onTrigger: parts.onTrigger,
      replace: (name) => this.replace(name, 'wipe'),
    })
    this.#tuning = parts.tuning
    this.#operators = new Operators((datacenter) => ({
      after: (delayMs, then) => void this.simulation.after(delayMs, then),
      leader: () => this.#leadingProcess(datacenter),
      agents: () => this.#serversOf(datacenter).flatMap((name) => this.#node(name).agent ?? []),
    }))
    for (const planned of plannedNodes(parts.plan)) this.#add(planned, parts.clockOf(planned.identity.name))
    this.nodeNames = [...this.#nodes.keys()]
    this.serverNames = this.nodeNames.filter((name) => this.#node(name).identity.kind === 'server')
    this.clientNames = this.nodeNames.filter((name) => this.#node(name).identity.kind === 'client')
    this.#identities = [...this.#nodes.values()].map((node) => node.identity)
  }

  #add(planned: PlannedNode, clock: { readonly wallOffsetMs: number; readonly rate: number }): void {
    const { name, host } = planned.identity
    const node = this.simulation.addNode({ name, host, clock, directories: ['/data'] })
    this.#nodes.set(name, clusterNode(planned, node, clock.rate))
  }

  /** Whether this machine runs an agent. Others are the proxies of the mesh, and what else the agents talk to. */
  hasAgent(machine: string): boolean {
    return this.#nodes.has(machine)
  }

  identityOf(server: string): NodeIdentity {
    return this.#node(server).identity
  }

  datacenterOf(server: string): string {
    return this.#node(server).identity.datacenter
  }

  nodeOf(server: string): SimNode {
    return this.#node(server).node
  }

  rateOf(server: string): number {
    return this.#node(server).rate
  }

  /** Its process runs; a paused one, too. */
  isRunning(server: string): boolean {
    return this.#node(server).node.running
  }

  /** Which process of this server runs, or ran last, counted from 1. */
  bootOf(server: string): number {
    return this.#node(server).node.boots
  }

  /** Why its process ended by itself, or did not start; undefined when it runs or was crashed. */
  whyDown(server: string): string | undefined {
    return this.#node(server).ended
  }

  /** Servers that believe they lead, in order of name. */
  leaders(): readonly string[] {
    return this.serverNames.filter((server) => this.#checks(this.#node(server)).of(leadership).leading.has(server))
  }

  /**
   * The server that leads; of several that believe so, the one with the highest term. In the first datacenter, if none
   * is named.
   */
  leader(datacenter = this.datacenterNames[0] ?? ''): string | undefined {
    return highest(this.#invariantsOf(datacenter).of(leadership).leading)
  }

  #serversOf(datacenter: string): readonly string[] {
    return this.serverNames.filter((name) => this.datacenterOf(name) === datacenter)
  }

  /** Has it taken out of the consensus group, as by svc operator raft remove-peer. */
  removePeer(name: string): void {
    const { datacenter, id } = this.identityOf(name)
    this.mayGo(name, 'operator')
    this.#operators.of(datacenter).removePeer(id)
  }

  #leadingProcess(datacenter: string): LeadingProcess | undefined {
    const leader = this.leader(datacenter)
    const { node, agent } = leader === undefined ? { node: undefined, agent: undefined } : this.#node(leader)
    return node === undefined || agent === undefined ? undefined : { agent, run: (act) => node.run(act) }
  }

  /** It has been asked to leave, and its process still runs. */
  isLeaving(node: string): boolean {
    return this.#node(node).leaving && this.isRunning(node)
  }

  /** It left in order, or has not come yet, and was not started since: it is not missed. */
  hasLeft(node: string): boolean {
    return this.#node(node).left
  }

  /** The running agent; undefined while it starts, and when its process does not run. */
  agentOf(node: string): Agent | undefined {
    return this.#node(node).agent
  }

  appliedIndex(server: string): number {
    return this.#checks(this.#node(server)).of(stateMachineSafety).appliedIndex(server)
  }

  releaseOf(node: string): Release {
    return this.#node(node).release
  }

  /** Of its whole state; undefined when it does not run. */
  stateDigest(server: string): ReturnType<SeenState['digest']> {
    return this.#node(server).agent?.state?.digest()
  }

  /** What it has replicated; undefined when it does not run. */
  stateOf(server: string): ReadTransaction | undefined {
    return this.#node(server).agent?.state?.read()
  }

  start(name: string): void {
    this.#processes.start(this.#node(name))
  }

  /**
   * A power cut: the process is gone, and what was not synced may be. `kept`: the process alone dies, as by kill -9.
   */
  crash(name: string, disk: 'power' | 'kept' = 'power'): void {
    this.#processes.crash(this.#node(name), disk)
  }

  /**
   * The machine is lost with all it kept. Another one with its name and address, an empty disk and a new node ID is
   * there, not started yet. `wipe`: an operator takes the lost one's ID out of the consensus group and the catalog as
   * soon as somebody leads; `reimage`: no operator does anything.
   */
  replace(name: string, how: 'wipe' | 'reimage'): void {
    this.crash(name)
    const server = this.#node(name)
    server.node.disk.replace(['/data'])
    this.#checks(server).tell('machine replaced', { node: name })
    this.mayGo(name, how === 'wipe' ? 'operator' : 'replaced')
    this.#replacements++
    const lost = server.identity.id
    server.identity = replacement(server.identity, this.#replacements)
    server.damaged = false
    server.left = false
    server.ended = undefined
    if (how === 'wipe') this.#operators.of(server.identity.datacenter).retire({ name, id: lost })
  }

  /**
   * A bit rots in what consensus keeps, where it cannot be taken for a write that was torn. False: there is no such
   * place.
   */
  rot(name: string, draw: (bound: number) => number): boolean {
    const server = this.#node(name)
    const places = rottingPlaces(server.node.disk.files())
    const place = places[draw(Math.max(1, places.length))]
    if (place === undefined) return false
    server.damaged = server.node.disk.flipBit(place.path, draw(place.before))
    return server.damaged
  }

  /**
   * The power is cut, and the newest file of the log is not what was written any more. A server that has none just
   * crashes.
   */
  damageLog(name: string, draw: (bound: number) => number): void {
    this.crash(name)
    const server = this.#node(name)
    const { disk } = server.node
    const harm = harmedLog(disk.files(), draw)
    if (harm === undefined) return
    disk.rewrite(harm.path, harm.bytes)
    server.damaged = true
  }

  /** What it keeps has rotted: it runs on until it stops, and is to be replaced then. */
  isDamaged(name: string): boolean {
    return this.#node(name).damaged
  }

  pause(name: string): void {
    const { node } = this.#node(name)
    if (!node.running || node.paused) return
    node.pause()
    this.#checks(this.#node(name)).tell('process paused', { node: name })
  }

  /** Whether it takes no new connection. */
  refuseConnections(name: string, refuses: boolean): void {
    const { node } = this.#node(name)
    this.#checks(this.#node(name)).tell('connections refused', { node: name, refuses })
    node.refuseConnections(refuses)
  }

  /** Its TCP connections break; what listens goes on listening. */
  breakConnections(name: string): void {
    const { node } = this.#node(name)
    this.#checks(this.#node(name)).tell('connections refused', { node: name, refuses: false })
    node.breakConnections()
  }

  resume(name: string): void {
    const { node } = this.#node(name)
    if (!node.running || !node.paused) return
    this.#checks(this.#node(name)).tell('process resumed', { node: name })
    node.resume()
  }

  transferLeadership(from: string, to: string | undefined): void {
    const { agent } = this.#node(from)
    const raft = agent?.raft
    if (agent === undefined || raft === undefined) return
    const id = to === undefined ? undefined : raft.memberName(this.#node(to).identity.id, serverAddress(this.#node(to)))
    this.#node(from).node.run(() => agent.env.detach(raft.transferLeadership(id)))
  }

  /** Somebody wants it out of the catalog, or out of the consensus group. */
  mayGo(name: string, why: 'left' | 'replaced' | 'operator'): void {
    const server = this.#node(name)
    this.#checks(server).tell('removal allowed', { node: name, id: server.identity.id, why })
  }

  /** Asks the agent, which runs, to leave in order; its process ends then. */
  leave(name: string): void {
    const server = this.#node(name)
    const { agent, node } = server
    if (agent === undefined) throw new InvariantViolation('an agent that leaves must run', { name })
    this.mayGo(name, 'left')
    server.leaving = true
    node.run(() => agent.env.detach(agent.leave()))
  }

  /** Changes settings as an editor changes the file, and has the agent read it again. `told` hears what it said. */
  reload(name: string, changes: FileConfig, told: (verdict: Result<undefined, Failure>) => void): boolean {
    const server = this.#node(name)
    const { agent } = server
    if (agent === undefined) return false
    server.settings = { ...server.settings, ...changes }
    server.node.run(() => agent.env.detach(agent.reload().then(told)))
    return true
  }

  /**
   * Stops its process in order, and starts another on the same disk: of this release, with its settings edited. Why
   * that one does not start, where it refuses what it is configured with.
   */
  upgrade(name: string, release: Release | undefined, edit: (settings: FileConfig) => FileConfig): string | undefined {
    const server = this.#node(name)
    this.#processes.crash(server, 'kept')
    server.release = release ?? server.release
    server.settings = edit(server.settings)
    const read = this.#configOf(server, server.node.facts)
    if (!read.ok) return read.error
    this.start(name)
    return undefined
  }

  #configOf({ identity, settings, release }: ClusterNode, machine: Machine): Result<AgentConfig, string> {
    return nodeConfig(identity, this.#identities, settings, machine, release, this.#tuning)
  }

  /** Its next process finds a `peers.json` that names these servers by their IDs, or by their addresses alone. */
  leavePeersJson(name: string, servers: readonly string[], form: 'ids' | 'addresses'): void {
    const named = servers.map((server) => this.#node(server))
    this.#node(name).peersJson = peersJsonText(named, form)
  }

  #checks({ identity }: ClusterNode): Invariants {
    return this.#invariantsOf(identity.datacenter)
  }

  #node(name: string): ClusterNode {
    const server = this.#nodes.get(name)
    if (server === undefined) throw new InvariantViolation('a node that the cluster does not have', { name })
    return server
  }
}
