import type { Agent } from '../../src/agent/assembly/agent.ts'
import type { ForcedEnd, StartFailure } from '../../src/agent/boot/lifecycle.ts'
import type { SeenState } from '../../src/agent/boot/observer.ts'
import type { AgentConfig } from '../../src/agent/settings/agent-config.ts'
import { concatBytes } from '../../src/base/bytes.ts'
import { InvariantViolation } from '../../src/base/invariant.ts'
import type { Result } from '../../src/base/result.ts'
import { untilEnded } from '../../src/cli/running/agent-end.ts'
import type { Closable } from '../../src/env/async.ts'
import type { Env } from '../../src/env/env.ts'
import type { Machine } from '../../src/env/process.ts'
import type { Signal } from '../../src/env/terminal.ts'
import { isServerRole } from '../../src/model/naming/names.ts'
import { oldLogsOf } from '../../src/model/release.ts'
import { type Program, startProgram } from '../../src/program/start.ts'
import { serverIdFor } from '../../src/raft/protocol.ts'
import type { ServerSeen } from '../checkers/access/access-facts.ts'
import type { Invariants } from '../checkers/invariants.ts'
import { observe } from '../checkers/node-observer.ts'
import type { Simulation } from '../simulation/simulation.ts'
import { becomePod } from './api-server.ts'
import { Certificates } from './certificates.ts'
import { agentName, type ClusterNode, type EndingSignal, plantPeersJson, serverAddress } from './cluster-node.ts'
import { tellDisk } from './disk-looks.ts'
import { withQuorumCauses } from './quorum-causes.ts'
import type { WebServers } from './web-servers.ts'

/**
 * Whether a process may fail to start for this reason, if nothing rotted. A full or failing disk is a fault of the
 * scenario, and P1 asks whether there was one; and a release must refuse a log whose form it does not know, if there
 * is one. No other failure is allowed.
 */
function isExplained({ node, release }: Pick<ClusterNode, 'node' | 'release'>, { kind }: StartFailure): boolean {
  if (kind === 'io' || kind === 'data-directory') return true
  const strange = strangeLogs[oldLogsOf(release)]
  if (kind !== 'old-format' || strange === undefined) return false
  return [...node.disk.files().keys()].some((path) => path.startsWith(strange))
}

/** Where a log may be that a server cannot read. */
const strangeLogs = { kept: '/data/raft/log/', migrated: undefined, refused: '/data/mdb/' } as const

/** The servers in an agent's gossip pools: those of its own datacenter, then those of the others. */
function serversSeen(agent: Agent | undefined): readonly ServerSeen[] {
  if (agent === undefined) return []
  const { datacenter } = agent.self()
  const near = seenIn(agent.lan)
  const far = agent.wan === undefined ? [] : seenIn(agent.wan).filter((server) => server.datacenter !== datacenter)
  return [...near, ...far]
}

function seenIn(pool: Agent['lan']): readonly ServerSeen[] {
  return pool.members().flatMap(({ name, status, tags }) => {
    if (!isServerRole(tags['role'])) return []
    return [{ id: tags['id'], name, status, datacenter: tags['dc'] ?? '', acls: tags['acls'] }]
  })
}

function snapshotOf(agent: Agent | undefined): Uint8Array | undefined {
  const state = agent?.state?.snapshot()
  if (state === undefined) return undefined
  const pieces: Uint8Array[] = []
  for (let piece = state.next(); piece !== undefined; piece = state.next()) pieces.push(piece)
  return concatBytes(pieces)
}

/** Events of the cluster itself, besides those that servers report. */
export type ClusterTrigger = 'server crashed' | 'server started'

interface ProcessWorld {
  readonly simulation: Simulation
  readonly webServers: WebServers
  /** Whether every machine is one of a platform, with its files. */
  readonly arePods: () => boolean
  /** The checkers of its datacenter. */
  readonly checksOf: (server: ClusterNode) => Invariants
  readonly configOf: (server: ClusterNode, machine: Machine) => Result<AgentConfig, string>
  readonly onTrigger: (trigger: ClusterTrigger, node: string) => void
  /** Replaces a machine whose disk is damaged. */
  readonly replace: (name: string) => void
}

/** The agent's own program on simulated machines: one process after another, each with an observer of the checkers. */
export class Processes {
  readonly #world: ProcessWorld
  readonly #certificates = new Certificates()

  constructor(world: ProcessWorld) {
    this.#world = world
  }

  /** A process that a signal has told to end is followed by another one as soon as it has. */
  start(server: ClusterNode): void {
    if (server.node.running) {
      server.isAwaited = server.signalled
      return
    }
    server.isAwaited = false
    server.ended = undefined
    server.left = false
    server.leaving = false
    server.signalled = false
    server.isLeft = false
    server.node.boot((env) => this.#boot(server, env))
    this.#tell('server started', server)
  }

  /** Crashes the process from outside; `disk` is passed to the machine's crash. */
  crash(server: ClusterNode, disk: 'power' | 'kept'): void {
    if (!server.node.running) return server.node.crash({ disk })
    server.isAwaited = false
    this.#gone(server, disk)
    this.#tell('server crashed', server)
  }

  async #boot(server: ClusterNode, env: Env): Promise<void> {
    const { name } = server.identity
    const boot = server.node.boots
    const { release } = server
    const read = (): Result<AgentConfig, string> => this.#world.configOf(server, env.machine)
    const config = read()
    const protocol = config.ok ? config.value.raft.protocol : 0
    const id = serverIdFor(protocol, server.identity.id, serverAddress(server))
    const digest = (): ReturnType<SeenState['digest']> => server.agent?.state?.digest()
    const servers = () => serversSeen(server.agent)
    const places = config.ok ? [config.value.datacenter, config.value.access.primaryDatacenter] : []
    const monoMs = (): number => server.node.clock.monoUs() / 1000
    const timing = config.ok ? { ...config.value.raft, monoMs } : undefined
    const snapshot = (): Uint8Array | undefined => snapshotOf(server.agent)
    const process = {
      node: name,
      name: agentName(server),
      boot,
      id,
      release,
      digest,
      servers,
      places,
      timing,
      snapshot,
    }
    const { trace } = this.#world.simulation
    const observer = withQuorumCauses(observe(this.#checks(server), process), trace, server.node.number)
    if (!config.ok) {
      throw new InvariantViolation('a scenario that was checked has settings that no agent takes', {
        node: name,
        problem: config.error,
      })
    }
    this.#checks(server).tell('settings read', { node: name, config: config.value })
    await this.#world.webServers.booted(name, env)
    // The machine's web servers run in this process, too: their sockets are not the agent's.
    const foreign = new Set(server.node.held().sockets)
    if (this.#world.arePods()) await becomePod(env)
    if (server.certified) await this.#certificates.install(env, server.identity)
    if (server.peersJson !== undefined) await plantPeersJson(env, server.peersJson)
    server.peersJson = undefined
    const started = await startProgram(env, config.value, {
      observer,
      reread: async () => read(),
    })
    if (!started.ok) {
      this.#startFailed(server, boot, started.error)
      return
    }
    server.agent = started.value.agent
    started.value.agent.onFatal((failure) => this.#stoppedItself(server, boot, failure))
    const ends = (signal?: EndingSignal): void =>
      env.detach(this.#ends(signal, server, boot, env, config.value, started.value, foreign))
    started.value.agent.onLeft(() => {
      // A process that received a signal is ending already.
      if (!server.signalled) ends()
    })
    server.signal = ends
  }

  /**
   * As the program itself ends by a signal, gracefully, or after it has left on request; its exit code says whether it
   * has left the pool. A second signal reaches the same program, which ends at once.
   */
  async #ends(
    signal: EndingSignal | undefined,
    server: ClusterNode,
    boot: number,
    env: Env,
    rules: AgentConfig,
    { agent, stop, endLog }: Program,
    foreign: ReadonlySet<string>,
  ): Promise<void> {
    if (signal === undefined) server.isLeft = true
    else server.signalled = true
    const { name: node } = server.identity
    this.#checks(server).tell('process told to end', { node })
    let hasStopped = false
    const stopAndTell = async (): Promise<void> => {
      await stop()
      if (server.node.boots !== boot) return
      hasStopped = true
      tellDisk(this.#checks(server), server, 'stopped')
    }
    const handlers = new Map<Signal, () => void>()
    server.signal = (next) => handlers.get(next)?.()
    const onSignal = (of: Signal, use: () => void): Closable => {
      handlers.set(of, use)
      if (of === signal) use()
      return { close: () => handlers.delete(of) }
    }
    const code = await untilEnded(env, { onSignal }, rules, agent, stopAndTell)
    await endLog()
    if (hasStopped) {
      const left = server.node.leftBehind()
      const sockets = left.sockets.filter((at) => !foreign.has(at))
      this.#checks(server).tell('process stopped', { node, left: { ...left, sockets } })
    }
    if (code === 0 || signal === undefined) this.#hasLeft(server, boot)
    else this.#end(server, boot, `ended by ${signal}`, () => undefined)
  }

  #startFailed(server: ClusterNode, boot: number, failure: StartFailure): void {
    const { name: node } = server.identity
    const { message, kind } = failure
    if (!server.damaged && !isExplained(server, failure)) this.#checks(server).tell('start failed', { node, message })
    else
      this.#checks(server).tell('process did not start', {
        node,
        isDamaged: server.damaged,
        kind,
        said: message,
      })
    this.#exit(server, boot, `does not start: ${message}`)
  }

  #stoppedItself(server: ClusterNode, boot: number, failure: ForcedEnd | Error): void {
    const { release, node, identity } = server
    if (failure instanceof Error && isOfProgram(failure)) {
      this.#world.simulation.tellStack(node, failure)
      this.#checks(server).tell('process panicked', { node: identity.name, release, violation: failure })
    } else if (failure instanceof Error) {
      this.#checks(server).tell('process stopped by its disk', { node: identity.name, said: failure.message })
    }
    this.#exit(server, boot, `stopped itself: ${failure.message}`)
  }

  #hasLeft(server: ClusterNode, boot: number): void {
    this.#end(server, boot, 'left', () => {
      server.left = true
    })
  }

  #exit(server: ClusterNode, boot: number, why: string): void {
    this.#end(server, boot, why, () => this.#startAgain(server, boot))
  }

  /** The process ends by itself, in a turn of its own; power and disk are not affected. */
  #end(server: ClusterNode, boot: number, why: string, then: () => void): void {
    this.#world.simulation.after(0, () => {
      if (!server.node.running || server.node.boots !== boot) return
      this.#gone(server, 'kept')
      server.ended = why
      then()
      this.#tell('server crashed', server)
      if (server.isAwaited) this.start(server)
    })
  }

  #startAgain(server: ClusterNode, boot: number): void {
    if (server.restartAfterMs === undefined) return
    this.#world.simulation.after(server.restartAfterMs, () => {
      if (server.node.boots !== boot || server.node.running) return
      if (server.damaged) this.#world.replace(server.identity.name)
      this.start(server)
    })
  }

  /** Client agents are not servers: no fault waits for their events. */
  #tell(trigger: ClusterTrigger, { identity }: ClusterNode): void {
    if (identity.kind === 'server') this.#world.onTrigger(trigger, identity.name)
  }

  #gone(server: ClusterNode, disk: 'power' | 'kept'): void {
    server.agent = undefined
    server.signal = undefined
    this.#world.webServers.died(server.identity.name)
    this.#checks(server).tell('process died', { node: server.identity.name })
    server.node.crash({ disk })
    tellDisk(this.#checks(server), server, 'ended')
  }

  #checks(server: ClusterNode): Invariants {
    return this.#world.checksOf(server)
  }
}

/**
 * Whether the program itself is at fault for the exception that ended it: an invariant does not hold, or a value is not
 * what the code takes it for. A disk that fails ends it with a plain `Error`.
 */
export function isOfProgram(failure: Error): boolean {
  return failure instanceof InvariantViolation || Object.getPrototypeOf(failure) !== Error.prototype
}
