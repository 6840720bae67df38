import type { Agent, StartFailure } from '../../src/agent/agent.ts'
import type { AgentConfig } from '../../src/agent/agent-config.ts'
import { InvariantViolation } from '../../src/base/invariant.ts'
import type { FileConfig } from '../../src/config/schema.ts'
import type { Env } from '../../src/env/env.ts'
import { type Failure, failureText } from '../../src/model/failure.ts'
import { startProgram } from '../../src/program/start.ts'
import type { Invariants } from '../checkers/invariants.ts'
import { observe } from '../checkers/node-observer.ts'
import type { SimNode } from '../world/node.ts'
import type { Simulation } from '../world/simulation.ts'
import { type NodeIdentity, serverIdentity } from './node-identity.ts'
import { serverConfig } from './settings.ts'

/** What a cluster is made of, by datacenter. */
export interface ClusterPlan {
  readonly [datacenter: string]: {
    readonly servers: { readonly count: number; readonly 'restart after'?: number | undefined }
    readonly config?: FileConfig | undefined
  }
}

/** Events of the cluster itself, beside those that servers tell of. */
export type ClusterTrigger = 'server crashed' | 'server started'

/** One simulated machine and the agent on it. */
interface Server {
  readonly identity: NodeIdentity
  readonly node: SimNode
  /** A process that stopped itself is started again after this long. */
  readonly restartAfterMs: number | undefined
  /** Of its clocks, when nothing is wrong with them. */
  readonly rate: number
  readonly settings: FileConfig
  /** Of the running process, once it is up. */
  agent: Agent | undefined
  /** Why the last process ended by itself. */
  ended: string | undefined
}

/** Servers as one thing: started, crashed and looked at by name. */
export class Cluster {
  readonly simulation: Simulation
  readonly serverNames: readonly string[]
  readonly #servers: ReadonlyMap<string, Server>
  readonly #identities: readonly NodeIdentity[]
  readonly #invariants: Invariants
  readonly #onTrigger: (trigger: ClusterTrigger, server: string) => void

  constructor(parts: {
    readonly simulation: Simulation
    readonly plan: ClusterPlan
    readonly invariants: Invariants
    readonly onTrigger: (trigger: ClusterTrigger, server: string) => void
    /** The clock that a machine begins with. */
    readonly clockOf: () => { readonly wallOffsetMs: number; readonly rate: number }
  }) {
    this.simulation = parts.simulation
    this.#invariants = parts.invariants
    this.#onTrigger = parts.onTrigger
    const servers = new Map<string, Server>()
    for (const [at, [datacenter, { servers: group, config = {} }]] of Object.entries(parts.plan).entries()) {
      for (let i = 0; i < group.count; i++) {
        const identity = serverIdentity(servers.size + 1, datacenter, at + 1)
        const { name, host } = identity
        const clock = parts.clockOf()
        const node = parts.simulation.addNode({ name, host, clock, directories: ['/data'] })
        const restartAfterMs = group['restart after']
        const { rate } = clock
        servers.set(name, {
          identity,
          node,
          rate,
          restartAfterMs,
          settings: config,
          agent: undefined,
          ended: undefined,
        })
      }
    }
    this.#servers = servers
    this.#identities = [...servers.values()].map((server) => server.identity)
    this.serverNames = [...servers.keys()]
  }

  identityOf(server: string): NodeIdentity {
    return this.#server(server).identity
  }

  datacenterOf(server: string): string {
    return this.#server(server).identity.datacenter
  }

  nodeOf(server: string): SimNode {
    return this.#server(server).node
  }

  rateOf(server: string): number {
    return this.#server(server).rate
  }

  /** Its process runs; a paused one, too. */
  isRunning(server: string): boolean {
    return this.#server(server).node.running
  }

  /** Which process of this server runs, or ran last, counted from 1. */
  bootOf(server: string): number {
    return this.#server(server).node.boots
  }

  /** Why its process ended by itself, or did not start; undefined when it runs or was crashed. */
  whyDown(server: string): string | undefined {
    return this.#server(server).ended
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

  appliedIndex(server: string): number {
    return this.#invariants.application.appliedIndex(server)
  }

  /** Of its whole state; undefined when it does not run. */
  stateDigest(server: string): ReturnType<Agent['stateDigest']> {
    return this.#server(server).agent?.stateDigest()
  }

  start(name: string): void {
    const server = this.#server(name)
    if (server.node.running) return
    server.ended = undefined
    server.node.boot((env) => this.#boot(server, env))
    this.#onTrigger('server started', name)
  }

  /** A power cut: the process is gone, and what was not synced may be. */
  crash(name: string): void {
    const server = this.#server(name)
    if (!server.node.running) return
    this.#endProcess(server)
    server.node.crash()
    this.#onTrigger('server crashed', name)
  }

  pause(name: string): void {
    const { node } = this.#server(name)
    if (node.running && !node.paused) node.pause()
  }

  resume(name: string): void {
    const { node } = this.#server(name)
    if (node.running && node.paused) node.resume()
  }

  transferLeadership(from: string, to: string | undefined): void {
    const { agent } = this.#server(from)
    const id = to === undefined ? undefined : this.#server(to).identity.id
    if (agent === undefined) return
    this.#server(from).node.run(() => {
      if (agent.raft !== undefined) agent.env.detach(agent.raft.transferLeadership(id))
    })
  }

  async #boot(server: Server, env: Env): Promise<void> {
    const { name } = server.identity
    const boot = server.node.boots
    const { id } = server.identity
    const digest = (): ReturnType<Agent['stateDigest']> => server.agent?.stateDigest()
    const observer = observe(this.#invariants, { node: name, boot, id, digest })
    const config: AgentConfig = serverConfig(server.identity, this.#identities, server.settings, env.machine)
    const started = await startProgram(env, config, { observer })
    if (!started.ok) {
      this.#startFailed(server, boot, started.error)
      return
    }
    server.agent = started.value.agent
    started.value.agent.onFatal((failure) => this.#stoppedItself(server, boot, failure))
  }

  #startFailed(server: Server, boot: number, failure: StartFailure): void {
    // A full or failing disk is a fault of the scenario; anything else no restart may meet.
    if (failure.kind !== 'io' && failure.kind !== 'data-directory') {
      this.#invariants.report('P1', `${server.identity.name} does not start: ${failure.message}`)
    }
    this.#exit(server, boot, `does not start: ${failure.message}`)
  }

  #stoppedItself(server: Server, boot: number, failure: Failure | Error): void {
    const text = failure instanceof Error ? failure.message : failureText(failure)
    if (failure instanceof InvariantViolation) this.#invariants.report('P1', `${server.identity.name} panics: ${text}`)
    this.#exit(server, boot, `stopped itself: ${text}`)
  }

  /** The process ends by itself, in a turn of its own; power and disk are as they were. */
  #exit(server: Server, boot: number, why: string): void {
    this.simulation.after(0, () => {
      if (!server.node.running || server.node.boots !== boot) return
      this.#endProcess(server)
      server.node.crash({ disk: 'kept' })
      server.ended = why
      this.#onTrigger('server crashed', server.identity.name)
      this.#startAgain(server, boot)
    })
  }

  #startAgain(server: Server, boot: number): void {
    if (server.restartAfterMs === undefined) return
    this.simulation.after(server.restartAfterMs, () => {
      if (server.node.boots === boot) this.start(server.identity.name)
    })
  }

  #endProcess(server: Server): void {
    server.agent = undefined
    this.#invariants.died(server.identity.name)
  }

  #server(name: string): Server {
    const server = this.#servers.get(name)
    if (server === undefined) throw new InvariantViolation('a server that the cluster does not have', { name })
    return server
  }
}
