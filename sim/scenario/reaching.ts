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
  /** Whether its process runs, even if it is paused. */
  readonly isRunning: (node: string) => boolean
  readonly isPaused: (node: string) => boolean
  /** Whether messages of one node reach another. */
  readonly reaches: (from: string, to: string) => boolean
}

/** Since when each agent has continuously reached a server of its datacenter, checked at an interval. */
export class Reaching {
  readonly #world: ReachingWorld
  readonly #since = new Map<string, number>()

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

  #look(): void {
    for (const agent of this.#world.agents()) this.#lookAt(agent)
    this.#world.after(lookEveryMs, () => this.#look())
  }

  #lookAt(agent: string): void {
    const { serversOf, reaches, nowUs } = this.#world
    const isSo =
      this.#isAwake(agent) &&
      serversOf(agent).some(
        (server) => this.#isAwake(server) && (server === agent || (reaches(agent, server) && reaches(server, agent))),
      )
    if (!isSo) this.#since.delete(agent)
    else if (!this.#since.has(agent)) this.#since.set(agent, nowUs())
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
    isRunning: (node) => cluster.isRunning(node),
    isPaused: (node) => cluster.nodeOf(node).paused,
    reaches: (from, to) => injector.reaches(from, to),
  })
}
