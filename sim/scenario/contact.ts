import { serverPort } from '../cluster/node-identity.ts'
import type { RunContext } from './run-context.ts'

/** Interval at which contact is looked at. */
const lookEveryMs = 100

interface ContactWorld {
  readonly nowUs: () => number
  readonly after: (delayMs: number, then: () => void) => void
  readonly agents: () => readonly string[]
  /** What must not change while contact lasts, as a text; undefined: the agent has none. */
  readonly with: (agent: string) => string | undefined
}

interface Seen {
  readonly with: string | undefined
  readonly sinceUs: number
  readonly lookedUs: number
}

/**
 * Since when each agent has been in contact with a leader that can serve it, looked at in an interval: what it asks for
 * is done, if the program does what it should.
 */
export class Contact {
  readonly #world: ContactWorld
  readonly #seen = new Map<string, Seen>()
  /** Without looks in an interval, nothing is known of what was between two of them. */
  #isStarted = false

  constructor(world: ContactWorld) {
    this.#world = world
  }

  start(): void {
    this.#isStarted = true
    for (const agent of this.#world.agents()) this.sinceUs(agent)
    this.#world.after(lookEveryMs, () => this.start())
  }

  /** Microseconds of true time; undefined: there is no contact. */
  sinceUs(agent: string): number | undefined {
    if (!this.#isStarted) return undefined
    const nowUs = this.#world.nowUs()
    let seen = this.#seen.get(agent)
    if (seen?.lookedUs !== nowUs) {
      const now = this.#world.with(agent)
      seen = { with: now, sinceUs: seen !== undefined && seen.with === now ? seen.sinceUs : nowUs, lookedUs: nowUs }
      this.#seen.set(agent, seen)
    }
    return seen.with === undefined ? undefined : seen.sinceUs
  }
}

/**
 * Of the agents of a run. An agent has contact while all of this holds: it and all servers that its pool calls alive
 * run and are not told to end, are awake and without trouble of disks, links or clocks, and reach one another, over
 * connections of which none was broken, because a request may be lost with one; one of these servers leads, and no
 * other in that datacenter does; they are all in the configuration that the leader goes by, because the others hear no
 * leader, and have a majority of its voters; and nothing is taken for what it was: none of these servers has moved, and
 * the leader's pool does not call a former name of the agent alive.
 */
export function contactOf({
  simulation,
  cluster,
  injector,
}: Pick<RunContext, 'simulation' | 'cluster' | 'injector'>): Contact {
  const isWell = (node: string): boolean =>
    cluster.isRunning(node) && !cluster.isEnding(node) && !cluster.nodeOf(node).paused && !injector.isTroubled(node)
  const isMeshed = (nodes: readonly string[]): boolean =>
    nodes.every((a) => nodes.every((b) => a === b || injector.reaches(a, b)))

  const hostsKnownTo = (agent: string): ReadonlyMap<string, string> => {
    const members = cluster.agentOf(agent)?.lan.members() ?? []
    const alive = members.filter(({ status }) => status === 'alive')
    return new Map(alive.map(({ name, endpoint }) => [name, endpoint.host]))
  }

  const knownTo = (agent: string): readonly string[] => {
    const hosts = hostsKnownTo(agent)
    const datacenter = cluster.datacenterOf(agent)
    return cluster.serverNames.filter(
      (server) => hosts.has(cluster.agentNameOf(server)) && cluster.datacenterOf(server) === datacenter,
    )
  }

  /** Of the agent to the leader, and of the servers to the agent. */
  const isKnownAsItIs = (agent: string, servers: readonly string[], leader: string): boolean => {
    const hosts = hostsKnownTo(agent)
    const toLeader = hostsKnownTo(leader)
    return (
      servers.every((server) => hosts.get(cluster.agentNameOf(server)) === cluster.identityOf(server).host) &&
      cluster.formerNamesOf(agent).every((name) => !toLeader.has(name))
    )
  }

  const withLeader = (agent: string): string | undefined => {
    const servers = knownTo(agent)
    const datacenter = cluster.datacenterOf(agent)
    const leaders = cluster.leaders().filter((server) => cluster.datacenterOf(server) === datacenter)
    const [leader] = leaders
    if (leader === undefined || leaders.length > 1 || !servers.includes(leader)) return undefined
    const consensus = cluster.agentOf(leader)?.raft
    if (consensus === undefined || ![agent, ...servers].every(isWell) || !isMeshed([agent, ...servers]))
      return undefined
    const raft = consensus.status()
    const members = raft.configuration.servers
    const voters = members.filter(({ suffrage }) => suffrage === 'voter')
    const ids = new Set<string | undefined>(
      servers.map((server) => {
        const { id, host } = cluster.identityOf(server)
        return consensus.memberName(id, `${host}:${serverPort}`)
      }),
    )
    if (members.filter(({ id }) => ids.has(id)).length < ids.size) return undefined
    if (voters.filter(({ id }) => ids.has(id)).length * 2 <= voters.length) return undefined
    if (!isKnownAsItIs(agent, servers, leader)) return undefined
    const breaks = [agent, ...servers].reduce((sum, node) => sum + cluster.nodeOf(node).breaks, 0)
    return `${cluster.bootOf(agent)} ${leader} ${raft.term} ${breaks}`
  }

  return new Contact({
    nowUs: () => simulation.nowUs,
    after: (delayMs, then) => void simulation.after(delayMs, then),
    agents: () => cluster.nodeNames,
    with: withLeader,
  })
}
