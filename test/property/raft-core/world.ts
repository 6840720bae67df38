import { Heap } from '../../../src/base/heap.ts'
import type { bootstrapped } from '../../../src/raft/core/configuration.ts'
import type { RaftEffect } from '../../../src/raft/core/effects.ts'
import type { Outgoing } from '../../../src/raft/core/messages.ts'
import type { Server, ServerId } from '../../../src/raft/core/types.ts'
import { Dice } from '../../tools/dice.ts'
import { followElection, type Troubles } from './election-troubles.ts'
import { Broken, Laws } from './laws.ts'
import { type Core, ModelServer, type Surroundings } from './model-server.ts'
import { drawSwarm, type Swarm } from './swarm.ts'

export interface WorldCore extends Core {
  readonly bootstrapped: typeof bootstrapped
}

interface Happening {
  readonly at: number
  readonly order: number
  readonly run: () => void
}

export interface Outcome {
  readonly swarm: Swarm
  readonly elections: number
  readonly committed: number
  readonly acknowledged: number
  readonly messages: number
  readonly events: number
  readonly installs: number
  readonly changes: number
  readonly reads: number
  readonly transfers: number
}

/**
 * A cluster of model servers on virtual time, with faults drawn from one seed: `play` runs it through its troubles,
 * then heals it and asks for progress. Throws `Broken`, or what a server threw, when a law does not hold.
 */
export class World implements Surroundings, Troubles {
  readonly core: WorldCore
  readonly dice: Dice
  readonly laws = new Laws()
  readonly swarm: Swarm
  readonly servers = new Map<ServerId, ModelServer>()
  readonly trace: string[] | undefined
  messages = 0
  events = 0
  installs = 0
  changes = 0
  reads = 0
  transfers = 0
  readonly #queue = new Heap<Happening>((a, b) => a.at < b.at || (a.at === b.at && a.order < b.order))
  /** Links that take nothing, and those of them that also lost what was under way. */
  readonly #cuts = new Set<string>()
  readonly #severed = new Set<string>()
  #now = 0
  #order = 0
  #quiet = false
  #payload = 0

  constructor(core: WorldCore, seed: number, over: Partial<Swarm> = {}, traced = false) {
    this.core = core
    this.dice = new Dice(seed)
    this.swarm = drawSwarm(this.dice, over)
    this.trace = traced ? [] : undefined
    const { voters, spares, sparesJoin } = this.swarm
    const ids = Array.from({ length: voters + spares }, (_, i) => `s${i + 1}`)
    const first = ids
      .slice(0, sparesJoin ? ids.length : voters)
      .map((id, i): Server => ({ id, address: `${id}:8300`, suffrage: i < voters ? 'voter' : 'nonvoter' }))
    const recovered = core.bootstrapped({ servers: first })
    if (!recovered.ok) throw new Error(recovered.error)
    for (const [i, id] of ids.entries()) {
      const server = new ModelServer(id, this)
      if (i < voters) server.disk.take(recovered.value)
      this.servers.set(id, server)
    }
  }

  now(): number {
    return this.#now
  }

  /** A disk slower than an election gives no leader; healed, it is fast enough. */
  syncMs(): number {
    const { syncMs, heartbeatTimeoutMs } = this.swarm
    return this.#quiet ? Math.min(syncMs, heartbeatTimeoutMs / 20) : syncMs
  }

  after(delayMs: number, run: () => void): void {
    this.#queue.push({ at: this.#now + delayMs, order: this.#order++, run })
  }

  transmit(from: ServerId, { to, message }: Outgoing): void {
    const { swarm, dice } = this
    this.messages++
    this.trace?.push(`${this.#now.toFixed(2)} ${from}>${to} ${JSON.stringify(message)}`)
    if (this.#cuts.has(`${from}>${to}`) || (!this.#quiet && dice.chance(swarm.loss))) return
    const copies = !this.#quiet && dice.chance(swarm.duplication) ? 2 : 1
    for (let i = 0; i < copies; i++) {
      const slow = !this.#quiet && dice.chance(swarm.slowTail) ? dice.between(5, 40) : 1
      const far = swarm.odd === 'far' && (from === 's1' || to === 's1') ? 5 : 1
      const delay = dice.between(swarm.delayMs / 4, swarm.delayMs) * slow * far
      this.after(this.#quiet ? Math.min(delay, 2) : delay, () => {
        if (!this.#severed.has(`${from}>${to}`)) this.servers.get(to)?.take({ kind: 'message-received', from, message })
      })
    }
  }

  happened(server: ModelServer, effect: RaftEffect): void {
    if (this.trace !== undefined && effect.kind !== 'send') {
      this.trace.push(`${this.#now.toFixed(2)} ${server.id} ${JSON.stringify(effect)}`)
    }
    if (effect.kind === 'install-snapshot') this.installs++
    if (effect.kind === 'configuration-changed' && !effect.committed) this.changes++
    if (effect.kind === 'read-ready') this.reads++
    if (effect.kind === 'transferred') this.transfers++
    if (this.#quiet) return
    const { trigger } = this.swarm
    if (effect.kind === 'role-changed' && effect.role === 'leader') followElection(this, server)
    if (effect.kind === 'install-snapshot' && this.swarm.crashMeanMs < 1e9 && this.dice.chance(0.5)) {
      this.after(this.dice.between(0, this.swarm.syncMs), () => this.bounce(server, 1, 20))
    }
    if (effect.kind !== 'persist') return
    const votes = effect.thenSend.some(
      ({ message }) => message.kind === 'vote-response' && message.granted && !message.pre,
    )
    if (trigger === 'voted-crash' && votes && this.dice.chance(0.5)) {
      this.after(this.swarm.syncMs + this.dice.between(0, 2), () => this.bounce(server, 1, 15))
    }
    if (trigger === 'persisting-crash' && this.dice.chance(0.03)) {
      this.after(this.dice.between(0, this.swarm.syncMs + this.swarm.delayMs), () => {
        if (server.isWriting) this.bounce(server, 1, 100)
      })
    }
  }

  play(): Outcome {
    for (const server of this.servers.values()) this.after(this.dice.between(0, 30), () => server.start())
    const { swarm } = this
    this.#repeatedly(swarm.crashMeanMs, () => this.bounce(this.#victim(), 1, 300))
    this.#repeatedly(swarm.cutMeanMs, () => this.#partition())
    this.#repeatedly(swarm.pauseMeanMs, () =>
      this.#victim().pause(this.dice.between(0.5, 4) * swarm.heartbeatTimeoutMs),
    )
    this.#repeatedly(swarm.proposalMeanMs, () => this.withLeader((server) => this.propose(server)))
    this.#repeatedly(swarm.readMeanMs, () => this.withLeader((server) => this.read(server)))
    this.#repeatedly(swarm.changeMeanMs, () => this.withLeader((server) => this.change(server)))
    this.#repeatedly(swarm.transferMeanMs, () => this.withLeader((server) => this.#transfer(server)))
    this.#repeatedly(50, () => {
      for (const server of this.servers.values()) server.checkLog()
    })
    this.#runUntil(swarm.durationMs)
    this.#heal()
    const acknowledged = [...this.servers.values()].reduce((sum, server) => sum + server.acknowledged, 0)
    const { messages, events, installs, changes, reads, transfers, laws } = this
    return {
      swarm,
      elections: laws.elections,
      committed: laws.committedIndex,
      acknowledged,
      messages,
      events,
      installs,
      changes,
      reads,
      transfers,
    }
  }

  runFor(ms: number): void {
    this.#runUntil(this.#now + ms)
  }

  #runUntil(end: number): void {
    for (;;) {
      const next = this.#queue.peek()
      if (next === undefined || next.at > end) break
      this.#queue.pop()
      this.#now = next.at
      this.events++
      next.run()
    }
    this.#now = end
  }

  /**
   * Faults stop; within a bound there is one leader, every server has all entries, and every request has its answer.
   */
  #heal(): void {
    const { laws, swarm } = this
    this.#quiet = true
    this.#cuts.clear()
    this.#severed.clear()
    for (const server of this.servers.values()) {
      if (server.isPaused) server.wake()
      if (!server.isUp) server.start()
    }
    this.runFor(swarm.heartbeatTimeoutMs * 30 + 3000)
    const leaders = [...this.servers.values()].filter((server) => server.leads)
    laws.holds(leaders.length === 1, 'L1: once faults stop, there is one leader', { leaders: leaders.map((s) => s.id) })
    const leader = leaders[0] as ModelServer
    leader.propose([this.#nextPayload()])
    // A follower may be taking one entry at a time, with a sync for each.
    const behind = [...this.servers.values()].map((server) => laws.committedIndex - server.appliedIndex)
    this.runFor(500 + 20 * Math.max(...behind))
    laws.holds(leader.leads, 'L1: a healthy leader stays', { id: leader.id })
    const last = leader.raft?.log.lastIndex ?? 0
    laws.holds(leader.appliedIndex === last, 'L1: what is proposed is committed', {
      last,
      applied: leader.appliedIndex,
    })
    laws.holds(last >= laws.acknowledgedIndex, 'D1: what was acknowledged is there', {
      last,
      known: laws.acknowledgedIndex,
    })
    for (const { id } of leader.raft?.configurations.latest.configuration.servers ?? []) {
      const applied = this.servers.get(id)?.appliedIndex
      laws.holds(applied === last, 'L1: every member has all', { id, applied, last })
    }
    for (const server of this.servers.values()) {
      server.checkLog()
      laws.holds(server.asked.size === 0, 'L1: every request is answered', {
        id: server.id,
        asked: [...server.asked.values()],
      })
    }
  }

  #repeatedly(meanMs: number, run: () => void): void {
    if (meanMs === Number.POSITIVE_INFINITY) return
    this.after(this.dice.between(0, 2 * meanMs), () => {
      if (this.#quiet) return
      run()
      this.#repeatedly(meanMs, run)
    })
  }

  #victim(): ModelServer {
    const servers = [...this.servers.values()]
    const leaders = servers.filter((server) => server.leads)
    return this.dice.pick(leaders.length > 0 && this.dice.chance(this.swarm.leaderBias) ? leaders : servers)
  }

  /** Every server that believes it leads, including deposed ones. */
  withLeader(use: (server: ModelServer) => void): void {
    const leaders = [...this.servers.values()].filter((server) => server.leads)
    if (leaders.length > 0) use(this.dice.pick(leaders))
  }

  bounce(server: ModelServer, minMs: number, maxMs: number): void {
    if (this.#quiet || !server.isUp) return
    server.crash()
    this.trace?.push(`${this.#now.toFixed(2)} ${server.id} crashes`)
    this.#bereave(server)
    this.after(this.dice.between(minMs, maxMs), () => {
      if (!server.isUp) server.start()
    })
  }

  /**
   * The others lose their connections with a dead process, and dial again: a dial that reaches its machine before the
   * next process runs is refused. The refusal may arrive when the next process runs already, but not when that one
   * leads: it would have been heard of on a connection of its own.
   */
  #bereave({ id, boot }: ModelServer): void {
    const { dice, swarm } = this
    if (!dice.chance(swarm.witnesses)) return
    for (const other of this.servers.values()) {
      if (other.id === id) continue
      this.after(dice.between(0, 3 * swarm.delayMs), () => {
        const dead = this.servers.get(id)
        if (dead?.isUp === true || dead?.boot !== boot) return
        if (this.#cuts.has(`${id}>${other.id}`) || this.#cuts.has(`${other.id}>${id}`)) return
        const { boot: witness } = other
        this.after(dice.between(0, swarm.delayMs), () => {
          if (other.boot === witness && !dead.leads) other.take({ kind: 'leader-gone', leader: id })
        })
      })
    }
  }

  /** Both ways mostly, one way at times. */
  cut(a: ServerId, b: ServerId, forMs: number): void {
    if (this.#quiet) return
    const links = this.dice.chance(this.swarm.oneWay) ? [`${a}>${b}`] : [`${a}>${b}`, `${b}>${a}`]
    const losesWhatIsUnderWay = this.dice.chance(0.5)
    for (const link of links) {
      this.#cuts.add(link)
      if (losesWhatIsUnderWay) this.#severed.add(link)
    }
    this.trace?.push(`${this.#now.toFixed(2)} cut ${links.join(' ')}`)
    this.after(forMs, () => {
      for (const link of links) {
        this.#cuts.delete(link)
        this.#severed.delete(link)
      }
    })
  }

  #partition(): void {
    const ids = [...this.servers.keys()]
    const side = new Set(ids.filter(() => this.dice.chance(0.5)))
    const victim = this.#victim().id
    const length = this.dice.between(0.5, 8) * this.swarm.heartbeatTimeoutMs
    const alone = this.dice.chance(0.4)
    for (const a of ids) {
      for (const b of ids) {
        if (a < b && (alone ? a === victim || b === victim : side.has(a) !== side.has(b))) this.cut(a, b, length)
      }
    }
  }

  #nextPayload(): Uint8Array {
    this.#payload++
    return Uint8Array.of(this.#payload >> 16, (this.#payload >> 8) & 255, this.#payload & 255)
  }

  propose(server: ModelServer): void {
    if (!server.isUp) return
    const count = this.dice.chance(0.2) ? 1 + this.dice.below(8) : 1
    server.propose(Array.from({ length: count }, () => this.#nextPayload()))
  }

  read(server: ModelServer): void {
    const mode = this.dice.chance(0.5) ? 'quorum' : 'lease'
    if (server.isUp) server.ask(mode, (requestId) => ({ kind: 'read-requested', requestId, mode }))
  }

  change(server: ModelServer): void {
    const id = this.dice.pick([...this.servers.keys()])
    const kind = this.dice.pick(['add-nonvoter', 'add-voter', 'add-voter', 'demote', 'remove'] as const)
    const change = kind === 'demote' || kind === 'remove' ? { kind, id } : { kind, id, address: `${id}:8300` }
    server.ask('change', (requestId) => ({ kind: 'change-requested', requestId, change }))
  }

  #transfer(server: ModelServer): void {
    const to = this.dice.chance(0.3) ? undefined : this.dice.pick([...this.servers.keys()])
    server.ask('transfer', (requestId) => ({ kind: 'transfer-requested', requestId, to }))
  }
}

export function failureOf(core: WorldCore, seed: number, over: Partial<Swarm> = {}): string | undefined {
  try {
    new World(core, seed, over).play()
    return undefined
  } catch (cause) {
    if (cause instanceof Broken) return cause.message
    return cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)
  }
}
