import type { Agent, StartFailure } from '../../src/agent/agent.ts'
import type { AgentConfig } from '../../src/agent/agent-config.ts'
import { InvariantViolation } from '../../src/base/invariant.ts'
import type { Result } from '../../src/base/result.ts'
import type { FileConfig } from '../../src/config/schema.ts'
import type { Env } from '../../src/env/env.ts'
import { type Failure, failureText } from '../../src/model/failure.ts'
import { newestRelease, type Release } from '../../src/model/release.ts'
import { startProgram } from '../../src/program/start.ts'
import { serverIdFor } from '../../src/raft/protocol.ts'
import type { Invariants } from '../checkers/invariants.ts'
import { observe } from '../checkers/node-observer.ts'
import type { SimNode } from '../world/node.ts'
import type { Simulation } from '../world/simulation.ts'
import { clientIdentity, type NodeIdentity, serverIdentity, serverPort } from './node-identity.ts'
import { plantPeersJson } from './peers-json.ts'
import { nodeConfig } from './settings.ts'
import { WebServers, type WebState } from './web-servers.ts'

/** Nodes of one kind in one datacenter. */
export interface NodePlan {
  readonly count: number
  readonly 'restart after'?: number | undefined
  /** What they run as at first; the newest if absent. */
  readonly release?: Release | undefined
  /** Settings of these nodes alone, over those of the datacenter. */
  readonly config?: FileConfig | undefined
}

/** What a cluster is made of, by datacenter. */
export interface ClusterPlan {
  readonly [datacenter: string]: {
    readonly servers: NodePlan
    readonly clients?: NodePlan | undefined
    readonly config?: FileConfig | undefined
  }
}

/** Events of the cluster itself, beside those that servers tell of. */
export type ClusterTrigger = 'server crashed' | 'server started'

/** One simulated machine and the agent on it. */
interface ClusterNode {
  readonly identity: NodeIdentity
  readonly node: SimNode
  /** A process that stopped itself is started again after this long. */
  readonly restartAfterMs: number | undefined
  /** Of its clocks, when nothing is wrong with them. */
  readonly rate: number
  settings: FileConfig
  release: Release
  /** Text of a `peers.json` that its next process shall find. */
  peersJson: string | undefined
  /** Of the running process, once it is up. */
  agent: Agent | undefined
  /** Why the last process ended by itself. */
  ended: string | undefined
  /** It left the pool in order, and was not started since. */
  left: boolean
}

/** Agents as one thing: started, crashed and looked at by name. */
export class Cluster {
  readonly simulation: Simulation
  readonly serverNames: readonly string[]
  readonly clientNames: readonly string[]
  /** Servers, then clients. */
  readonly nodeNames: readonly string[]
  readonly webServers = new WebServers()
  readonly #nodes = new Map<string, ClusterNode>()
  readonly #identities: readonly NodeIdentity[]
  readonly #invariants: Invariants
  readonly #onTrigger: (trigger: ClusterTrigger, node: string) => void

  constructor(parts: {
    readonly simulation: Simulation
    readonly plan: ClusterPlan
    readonly invariants: Invariants
    readonly onTrigger: (trigger: ClusterTrigger, node: string) => void
    /** The clock that a machine begins with. */
    readonly clockOf: () => { readonly wallOffsetMs: number; readonly rate: number }
  }) {
    this.simulation = parts.simulation
    this.#invariants = parts.invariants
    this.#onTrigger = parts.onTrigger
    for (const [at, [datacenter, { servers, config }]] of Object.entries(parts.plan).entries()) {
      for (let i = 0; i < servers.count; i++) {
        const identity = serverIdentity(this.#nodes.size + 1, datacenter, at + 1)
        this.#add(identity, servers, { ...config, ...servers.config }, parts.clockOf())
      }
    }
    this.serverNames = [...this.#nodes.keys()]
    for (const [at, [datacenter, { clients, config }]] of Object.entries(parts.plan).entries()) {
      for (let i = 0; i < (clients?.count ?? 0); i++) {
        const identity = clientIdentity(this.#nodes.size - this.serverNames.length + 1, datacenter, at + 1)
        this.#add(identity, clients as NodePlan, { ...config, ...clients?.config }, parts.clockOf())
      }
    }
    this.nodeNames = [...this.#nodes.keys()]
    this.clientNames = this.nodeNames.slice(this.serverNames.length)
    this.#identities = [...this.#nodes.values()].map((node) => node.identity)
  }

  #add(
    identity: NodeIdentity,
    plan: NodePlan,
    settings: FileConfig,
    clock: { readonly wallOffsetMs: number; readonly rate: number },
  ): void {
    const { name, host } = identity
    this.#nodes.set(name, {
      identity,
      node: this.simulation.addNode({ name, host, clock, directories: ['/data'] }),
      rate: clock.rate,
      restartAfterMs: plan['restart after'],
      settings,
      release: plan.release ?? newestRelease,
      peersJson: undefined,
      agent: undefined,
      ended: undefined,
      left: false,
    })
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
    const { leading } = this.#invariants
    return this.serverNames.filter((server) => leading.has(server))
  }

  /** The server that leads; of several that believe so, the one with the highest term. */
  leader(): string | undefined {
    let best: string | undefined
    let bestTerm = -1
    for (const [server, term] of this.#invariants.leading) {
      if (term > bestTerm) {
        best = server
        bestTerm = term
      }
    }
    return best
  }

  /** It left in order, and was not started since: it is not missed. */
  hasLeft(node: string): boolean {
    return this.#node(node).left
  }

  /** The running agent; undefined while it starts, and when its process does not run. */
  agentOf(node: string): Agent | undefined {
    return this.#node(node).agent
  }

  appliedIndex(server: string): number {
    return this.#invariants.application.appliedIndex(server)
  }

  /** Of its whole state; undefined when it does not run. */
  stateDigest(server: string): ReturnType<Agent['stateDigest']> {
    return this.#node(server).agent?.stateDigest()
  }

  start(name: string): void {
    const server = this.#node(name)
    if (server.node.running) return
    server.ended = undefined
    server.left = false
    server.node.boot((env) => this.#boot(server, env))
    this.#tell('server started', server)
  }

  /** A power cut: the process is gone, and what was not synced may be. */
  crash(name: string): void {
    const server = this.#node(name)
    if (!server.node.running) return
    this.#endProcess(server)
    server.node.crash()
    this.#tell('server crashed', server)
  }

  pause(name: string): void {
    const { node } = this.#node(name)
    if (node.running && !node.paused) node.pause()
  }

  resume(name: string): void {
    const { node } = this.#node(name)
    if (node.running && node.paused) node.resume()
  }

  transferLeadership(from: string, to: string | undefined): void {
    const { agent } = this.#node(from)
    const raft = agent?.raft
    if (agent === undefined || raft === undefined) return
    const id = to === undefined ? undefined : raft.memberName(this.#node(to).identity.id, serverAddress(this.#node(to)))
    this.#node(from).node.run(() => agent.env.detach(raft.transferLeadership(id)))
  }

  /** Asks the agent to leave in order; its process ends then. False when it does not run. */
  leave(name: string): boolean {
    const { agent, node } = this.#node(name)
    if (agent === undefined) return false
    this.#invariants.registrations.mayGo(name)
    node.run(() => agent.env.detach(agent.leave()))
    return true
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

  /** Stops its process in order, and starts another on the same disk: of this release, with these settings over the old. */
  upgrade(name: string, release: Release | undefined, changes: FileConfig): void {
    const server = this.#node(name)
    if (server.node.running) {
      this.#endProcess(server)
      server.node.crash({ disk: 'kept' })
      this.#tell('server crashed', server)
    }
    server.release = release ?? server.release
    server.settings = { ...server.settings, ...changes }
    this.start(name)
  }

  /** Its next process finds a `peers.json` that names these servers by their IDs, or by their addresses alone. */
  leavePeersJson(name: string, servers: readonly string[], form: 'ids' | 'addresses'): void {
    const named = servers.map((server) => this.#node(server))
    const byId = named.map((server) => ({ id: server.identity.id, address: serverAddress(server) }))
    this.#node(name).peersJson = JSON.stringify(form === 'ids' ? byId : named.map(serverAddress))
  }

  /** How the web servers on this node's machine do from now on. */
  setWebServers(name: string, state: WebState): void {
    const { node } = this.#node(name)
    if (node.running) node.run(() => this.webServers.set(name, state))
    else this.webServers.set(name, state)
  }

  async #boot(server: ClusterNode, env: Env): Promise<void> {
    const { name } = server.identity
    const boot = server.node.boots
    const { release } = server
    const read = (): Result<AgentConfig, string> =>
      nodeConfig(server.identity, this.#identities, server.settings, env.machine, release)
    const config = read()
    const protocol = config.ok ? config.value.raft.protocol : 0
    const id = serverIdFor(protocol, server.identity.id, serverAddress(server))
    const digest = (): ReturnType<Agent['stateDigest']> => server.agent?.stateDigest()
    const observer = observe(this.#invariants, { node: name, boot, id, digest })
    if (!config.ok) {
      throw new InvariantViolation('a scenario that was checked has settings that no agent takes', {
        node: name,
        problem: config.error,
      })
    }
    await this.webServers.booted(name, env)
    if (server.peersJson !== undefined) await plantPeersJson(env, server.peersJson)
    server.peersJson = undefined
    const started = await startProgram(env, config.value, { observer, reread: async () => read() })
    if (!started.ok) {
      this.#startFailed(server, boot, started.error)
      return
    }
    server.agent = started.value.agent
    started.value.agent.onFatal((failure) => this.#stoppedItself(server, boot, failure))
    started.value.agent.onLeft(() => this.#hasLeft(server, boot))
  }

  #startFailed(server: ClusterNode, boot: number, failure: StartFailure): void {
    // A full or failing disk is a fault of the scenario; anything else no restart may meet.
    if (failure.kind !== 'io' && failure.kind !== 'data-directory') {
      this.#invariants.report('P1', `${server.identity.name} does not start: ${failure.message}`)
    }
    this.#exit(server, boot, `does not start: ${failure.message}`)
  }

  #stoppedItself(server: ClusterNode, boot: number, failure: Failure | Error): void {
    const text = failure instanceof Error ? failure.message : failureText(failure)
    if (failure instanceof InvariantViolation) this.#invariants.report('P1', `${server.identity.name} panics: ${text}`)
    this.#exit(server, boot, `stopped itself: ${text}`)
  }

  #hasLeft(server: ClusterNode, boot: number): void {
    this.simulation.after(0, () => {
      if (!server.node.running || server.node.boots !== boot) return
      this.#endProcess(server)
      server.node.crash({ disk: 'kept' })
      server.ended = 'left'
      server.left = true
      this.#tell('server crashed', server)
    })
  }

  /** The process ends by itself, in a turn of its own; power and disk are as they were. */
  #exit(server: ClusterNode, boot: number, why: string): void {
    this.simulation.after(0, () => {
      if (!server.node.running || server.node.boots !== boot) return
      this.#endProcess(server)
      server.node.crash({ disk: 'kept' })
      server.ended = why
      this.#tell('server crashed', server)
      this.#startAgain(server, boot)
    })
  }

  #startAgain(server: ClusterNode, boot: number): void {
    if (server.restartAfterMs === undefined) return
    this.simulation.after(server.restartAfterMs, () => {
      if (server.node.boots === boot) this.start(server.identity.name)
    })
  }

  /** Client agents are no servers: nobody waits for them. */
  #tell(trigger: ClusterTrigger, { identity }: ClusterNode): void {
    if (identity.kind === 'server') this.#onTrigger(trigger, identity.name)
  }

  #endProcess(server: ClusterNode): void {
    server.agent = undefined
    this.webServers.died(server.identity.name)
    this.#invariants.died(server.identity.name)
  }

  #node(name: string): ClusterNode {
    const server = this.#nodes.get(name)
    if (server === undefined) throw new InvariantViolation('a node that the cluster does not have', { name })
    return server
  }
}

/** Its RPC address, which is its name in consensus below Raft protocol 3. */
function serverAddress({ identity }: ClusterNode): string {
  return `${identity.host}:${serverPort}`
}
