import type { Cluster } from '../cluster/cluster.ts'
import { calledName } from '../cluster/group-facts.ts'
import { serversBeside } from './observed.ts'
import type { RunContext } from './run-context.ts'

/** Interval at which reachability between nodes is checked. */
const lookEveryMs = 100

interface ReachingWorld {
  readonly nowUs: () => number
  readonly after: (delayMs: number, then: () => void) => void
  readonly agents: () => readonly string[]
  /** Servers of the agent's datacenter. */
  readonly serversOf: (agent: string) => readonly string[]
  /** Servers of the first datacenter, and by name of each other one, as agents call it, its servers. */
  readonly first: () => readonly string[]
  readonly others: () => ReadonlyMap<string, readonly string[]>
  /** Whether its process runs, even if it is paused. */
  readonly isRunning: (node: string) => boolean
  readonly isPaused: (node: string) => boolean
  /** Whether messages of one node reach another. */
  readonly reaches: (from: string, to: string) => boolean
}

/**
 * Since when each agent has continuously reached a server of its datacenter, and each datacenter the first one, checked
 * at an interval.
 */
export class Reaching {
  readonly #world: ReachingWorld
  readonly #since = new Map<string, number>()
  /** By datacenter. */
  readonly #firstSince = new Map<string, number>()

  constructor(world: ReachingWorld) {
    this.#world = world
  }

  start(): void {
    this.#look()
  }

  /** Microseconds of true time; undefined: it reaches none. */
  sinceUs(agent: string): number | undefined {
    this.#lookAt(agent)
    return this.#since.get(agent)
  }

  /** Since when each server of the datacenter has reached one of the first; undefined: one does not. */
  firstSinceUs(datacenter: string): number | undefined {
    this.#lookFar()
    return this.#firstSince.get(datacenter)
  }

  #look(): void {
    for (const agent of this.#world.agents()) this.#lookAt(agent)
    this.#lookFar()
    this.#world.after(lookEveryMs, () => this.#look())
  }

  #lookAt(agent: string): void {
    this.#keep(this.#since, agent, this.#reachesAny(agent, this.#world.serversOf(agent)))
  }

  #lookFar(): void {
    const first = this.#world.first()
    for (const [datacenter, servers] of this.#world.others()) {
      this.#keep(
        this.#firstSince,
        datacenter,
        servers.every((server) => this.#reachesAny(server, first)),
      )
    }
  }

  #keep(since: Map<string, number>, name: string, isSo: boolean): void {
    if (!isSo) since.delete(name)
    else if (!since.has(name)) since.set(name, this.#world.nowUs())
  }

  #reachesAny(agent: string, servers: readonly string[]): boolean {
    const { reaches } = this.#world
    return (
      this.#isAwake(agent) &&
      servers.some(
        (server) => this.#isAwake(server) && (server === agent || (reaches(agent, server) && reaches(server, agent))),
      )
    )
  }

  /** A paused process receives packets, but does not act on them. */
  #isAwake(node: string): boolean {
    return this.#world.isRunning(node) && !this.#world.isPaused(node)
  }
}

/** Of the agents of a run. */
export function reachingOf({
  simulation,
  cluster,
  injector,
}: Pick<RunContext, 'simulation' | 'cluster' | 'injector'>): Reaching {
  return new Reaching({
    nowUs: () => simulation.nowUs,
    after: (delayMs, then) => void simulation.after(delayMs, then),
    agents: () => cluster.nodeNames,
    serversOf: (agent) => serversBeside(cluster, agent),
    first: () => serversIn(cluster, cluster.datacenterNames[0] ?? ''),
    others: () =>
      new Map(cluster.datacenterNames.slice(1).map((name) => [calledName(cluster, name), serversIn(cluster, name)])),
    isRunning: (node) => cluster.isRunning(node),
    isPaused: (node) => cluster.nodeOf(node).paused,
    reaches: (from, to) => injector.reaches(from, to),
  })
}

function serversIn(cluster: Cluster, datacenter: string): readonly string[] {
  return cluster.serverNames.filter((server) => cluster.datacenterOf(server) === datacenter)
}
