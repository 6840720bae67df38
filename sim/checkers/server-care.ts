import { autopilotOf } from '../../src/features/operator/views.ts'
import { type LogIndex, noIndex } from '../../src/model/log-position.ts'
import type { Configuration } from '../../src/raft/core/types.ts'
import { checker, type Judge } from './checker.ts'

/** The settings that autopilot must follow, as agents are configured or operators have set them. */
export interface CareSettings {
  readonly minQuorum: number
  readonly serverStabilizationMs: number
}

type CareExcuses = {
  readonly O1: 'asked to go' | 'older protocol' | 'address taken'
  readonly O2: 'known before'
  readonly O3: 'asked to go' | 'older protocol'
}

/** Clocks of leaders may run faster than true time: a vote may be granted too early by this share. */
const earlyShare = 0.2

/** Minimum number of voters for a removal: the dead must be fewer than half of them, rounded down, and one is dead. */
const votersMin = 4

/** IDs of Raft protocol 3. Older servers are named by their address, and autopilot does not manage them. */
export const nodeId = /^[0-9a-f-]{36}$/

/**
 * O1 to O3. What a leader itself does to the Raft group:
 * 1. It removes a dead server only if there are four voters or more, and leaves at least `min_quorum`.
 * 2. A server that joined without a vote gets one when it has been healthy for the stabilization time, so not earlier
 *    than that after it joined.
 * 3. It removes no voter from which it has received a reply of its term within that time.
 * Changes by operators (`force-leave`, `remove-peer`, `peers.json`) are not judged, nor those that follow when a server
 * leaves or its machine is replaced. A server that has moved to the address of another one takes its place: two entries
 * with one address cannot be in a configuration.
 */
export class ServerCare {
  readonly #judge: Judge<CareExcuses>
  readonly #nowUs: () => number
  #minQuorum = Number.POSITIVE_INFINITY
  #stabilizationMs = Number.POSITIVE_INFINITY
  /** When servers joined without a vote, by ID. */
  readonly #joinedAtUs = new Map<string, number>()
  /** Greatest index at which any server has written a configuration. */
  #newest: LogIndex = noIndex
  /** The configuration at that index. */
  #latest: Configuration = { servers: [] }
  /** IDs and addresses of every configuration that a leader had or wrote. */
  readonly #seen = new Set<string>()
  /** By ID, the address of its newest entry. */
  readonly #addresses = new Map<string, string>()
  /** By node, the ID of its server. */
  readonly #ids = new Map<string, string>()
  /** IDs of the agents that have moved to a host. */
  readonly #came = new Map<string, Set<string>>()
  /** IDs whose removal was requested. */
  readonly #mayGo = new Set<string>()
  /** The IDs among them that an operator named, while the server itself did not leave. */
  readonly #named = new Set<string>()
  /** By leader, when it last received a reply of its term from each server. */
  readonly #heardAtUs = new Map<string, Map<string, number>>()
  /** By leader and ID: how the requested removal would violate O3, judged at the time of the request. */
  readonly #objections = new Map<string, string>()

  constructor(judge: Judge<CareExcuses>, nowUs: () => number) {
    this.#judge = judge
    this.#nowUs = nowUs
  }

  /** Keeps the mildest settings that any agent ever had, because each leader applies its own. */
  settings({ minQuorum, serverStabilizationMs }: Partial<CareSettings>): void {
    if (minQuorum !== undefined) this.#minQuorum = Math.min(this.#minQuorum, minQuorum)
    if (serverStabilizationMs !== undefined) {
      this.#stabilizationMs = Math.min(this.#stabilizationMs, serverStabilizationMs)
    }
  }

  mayGo(id: string, why: 'left' | 'replaced' | 'operator'): void {
    this.#mayGo.add(id)
    if (why === 'operator') this.#named.add(id)
  }

  /** Long after the request the server runs, and every member knows so. */
  stays(id: string): void {
    this.#mayGo.delete(id)
    this.#named.delete(id)
  }

  named(node: string, id: string): void {
    this.#ids.set(node, id)
  }

  moved(id: string, host: string): void {
    const came = this.#came.get(host)
    if (came === undefined) this.#came.set(host, new Set([id]))
    else came.add(id)
  }

  /** A leader has received a reply of its present term. */
  heard(leader: string, from: string): void {
    const heard = this.#heardAtUs.get(leader)
    if (heard === undefined) this.#heardAtUs.set(leader, new Map([[from, this.#nowUs()]]))
    else heard.set(from, this.#nowUs())
  }

  noLongerLeads(leader: string): void {
    this.#heardAtUs.delete(leader)
  }

  /**
   * A leader decides to remove a server. It is judged now, by what the leader has received so far: the entry reaches
   * the observer only when it is durable, and the server may have been heard again meanwhile. `status`: that of the
   * server in the leader's pool.
   */
  removalAsked(leader: string, id: string, status: string | undefined): void {
    const heardAtUs = this.#heardAtUs.get(leader)?.get(id)
    const agoMs = heardAtUs === undefined ? Number.POSITIVE_INFINITY : (this.#nowUs() - heardAtUs) / 1000
    const mayGo = status === 'left' || status === 'leaving' || this.#named.has(id)
    this.#objections.delete(`${leader} ${id}`)
    if (mayGo) this.#judge.excused('O3', 'asked to go')
    else if (nodeId.test(id)) this.#judge.judged('O3')
    else this.#judge.excused('O3', 'older protocol')
    if (mayGo || agoMs >= this.#stabilizationMs * (1 - earlyShare)) return
    const bound = `server_stabilization_time is ${this.#stabilizationMs} ms`
    const what = `${Math.round(agoMs)} ms after it received a reply from it, and ${bound}`
    this.#objections.set(`${leader} ${id}`, what)
  }

  /**
   * Any server writes a configuration to its log. A later leader may count on one whose own leader was paused until it led
   * no more. What lies behind the newest one is news to one server alone.
   */
  written(index: LogIndex, configuration: Configuration): void {
    if (index <= this.#newest) return
    this.#newest = index
    for (const { id, address } of configuration.servers) this.#addresses.set(id, address)
    const before = nonvotersOf(this.#latest)
    for (const id of nonvotersOf(configuration)) if (!before.has(id)) this.#joinedAtUs.set(id, this.#nowUs())
    this.#latest = configuration
  }

  /** A leader writes another configuration to its log. `before`: the voters of the previous one. */
  changed(leader: string, before: readonly string[], configuration: Configuration): void {
    const voters = votersOf(configuration)
    for (const id of before) this.#seen.add(id)
    for (const id of before.filter((voter) => !voters.includes(voter))) this.#takenOut(leader, id, before.length)
    for (const { id, address, suffrage } of configuration.servers) {
      if (suffrage === 'voter' && !before.includes(id)) this.#promoted(leader, id, address)
    }
    for (const { id, address } of configuration.servers) this.#seen.add(id).add(address)
    // The leader's own disk may be behind: a server that is out by this configuration may have joined by a newer one.
    const nonvoters = nonvotersOf(configuration)
    for (const id of [...this.#joinedAtUs.keys()]) {
      if (!nonvoters.has(id) && this.#latest.servers.every((server) => server.id !== id)) this.#joinedAtUs.delete(id)
    }
    for (const id of nonvoters) if (!this.#joinedAtUs.has(id)) this.#joinedAtUs.set(id, this.#nowUs())
  }

  #takenOut(leader: string, id: string, voters: number): void {
    const objection = this.#objections.get(`${leader} ${id}`)
    this.#objections.delete(`${leader} ${id}`)
    if (objection !== undefined && nodeId.test(id))
      this.#judge.report('O3', `${leader} removes ${id} by itself ${objection}`)
    if (!nodeId.test(id)) return this.#judge.excused('O1', 'older protocol')
    if (this.#mayGo.has(id)) return this.#judge.excused('O1', 'asked to go')
    if (this.#ids.get(leader) !== id && this.#isTaken(id)) return this.#judge.excused('O1', 'address taken')
    this.#judge.judged('O1')
    const what = `${leader} removes ${id} from ${voters} voters by itself`
    if (voters < votersMin) this.#judge.report('O1', `${what}: below ${votersMin} voters, none may be removed`)
    else if (voters - 1 < this.#minQuorum) this.#judge.report('O1', `${what}, and min_quorum is ${this.#minQuorum}`)
  }

  /** Whether another agent has moved to the address of its entry. */
  #isTaken(id: string): boolean {
    const address = this.#addresses.get(id) ?? ''
    const came = this.#came.get(address.slice(0, address.lastIndexOf(':'))) ?? []
    return [...came].some((other) => other !== id)
  }

  #promoted(leader: string, id: string, address: string): void {
    const joinedAtUs = this.#joinedAtUs.get(id) ?? this.#joinsNow(id, address)
    if (joinedAtUs === undefined) return this.#judge.excused('O2', 'known before')
    this.#judge.judged('O2')
    const afterMs = (this.#nowUs() - joinedAtUs) / 1000
    if (afterMs >= this.#stabilizationMs * (1 - earlyShare)) return
    const bound = `server_stabilization_time is ${this.#stabilizationMs} ms`
    this.#judge.report('O2', `${leader} gives ${id} a vote ${Math.round(afterMs)} ms after it joined, and ${bound}`)
  }

  /**
   * The present time for a server that was in no configuration before: neither without a vote, nor under its name in an
   * older Raft protocol.
   */
  #joinsNow(id: string, address: string): number | undefined {
    return this.#seen.has(id) || this.#seen.has(address) || !nodeId.test(id) ? undefined : this.#nowUs()
  }
}

function votersOf({ servers }: Configuration): readonly string[] {
  return servers.filter(({ suffrage }) => suffrage === 'voter').map(({ id }) => id)
}

function nonvotersOf({ servers }: Configuration): ReadonlySet<string> {
  return new Set(servers.filter(({ suffrage }) => suffrage !== 'voter').map(({ id }) => id))
}

export const serverCare = checker({
  codes: {
    O1: {
      text: 'cleaning up: a dead server is removed only if there are four voters or more, and never below min_quorum',
      sources: ['docs/reference/operator.md#removal-of-dead-servers'],
      evidence: ['configurations', 'members', 'elections'],
      judges: ['voter removed', 'voters removed'],
      excuses: {
        'asked to go':
          'A server that was told to leave, or that an operator named, may be removed; until it runs again and all members know it, or is down and none has heard that it left (E3).',
        'older protocol':
          'A server of an older Raft protocol is named by its address, and autopilot ignores it; until it has an ID.',
        'address taken':
          'A server other than the leader may be removed if another one has moved to the address of its entry; until its entry has another address.',
      },
      // Most removed voters were asked to leave: planned leaves are far more frequent than removals of dead servers.
      // Without hunts most others are of the upgrades, whose older releases name servers by address.
      excusesMost: { 'asked to go': 0.85, 'older protocol': 0.65 },
    },
    O2: {
      text: 'newcomers: a server that joined gets its vote when it has been healthy for the stabilization time',
      sources: ['docs/reference/operator.md#when-a-server-is-healthy'],
      evidence: ['configurations', 'members', 'elections'],
      judges: ['vote given', 'votes given'],
      excuses: {
        'known before':
          'A server whose ID or address was in some configuration may get its vote again at once; until it joins without a vote.',
      },
    },
    O3: {
      text: 'signs of life: no voter is removed from which the leader has heard within the stabilization time',
      sources: ['docs/reference/operator.md#removal-of-dead-servers'],
      evidence: ['configurations', 'members', 'elections', 'heartbeats'],
      judges: ['removal decided', 'removals decided'],
      excuses: {
        'asked to go':
          "A server that has left according to the leader's pool, or that an operator named, may be removed; as in O1.",
        'older protocol':
          'A server of an older Raft protocol is named by its address, and autopilot ignores it; until it has an ID.',
      },
      // As in O1.
      excusesMost: { 'asked to go': 0.85 },
    },
  },
  make: (run) => new ServerCare(run, run.nowUs),
  takes: {
    'settings read': (it, { config }) => it.settings(config.autopilot),
    'command took effect': (it, { command, tx }) => {
      if (command.kind.startsWith('autopilot.')) it.settings(autopilotOf(tx) ?? {})
    },
    'removal allowed': (it, { id, why }) => it.mayGo(id, why),
    'process began': (it, { node, id }) => it.named(node, id),
    'agent moved': (it, { id, host }) => it.moved(id, host),
    'removal over': (it, { id }) => {
      if (id !== undefined) it.stays(id)
    },
    'reply received': (it, { node, from }) => it.heard(node, from),
    'leader ended': (it, { node }) => it.noLongerLeads(node),
    'removal decided': (it, { node, id, status }) => it.removalAsked(node, id, status),
    'configuration written': (it, { index, configuration }) => it.written(index, configuration),
    'members changed': (it, { node, before, configuration }) => it.changed(node, before, configuration),
  },
})
