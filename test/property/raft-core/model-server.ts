import { type LogIndex, logIndexOf, noIndex, type Term } from '../../../src/model/log-position.ts'
import type { RaftEffect } from '../../../src/raft/core/effects.ts'
import type { RaftEvent, TimerName } from '../../../src/raft/core/events.ts'
import type { RaftMessage } from '../../../src/raft/core/messages.ts'
import type { RaftLimits, RaftTiming } from '../../../src/raft/core/options.ts'
import type { snapshotMetaAt } from '../../../src/raft/core/snapshot.ts'
import type { createRaft, RaftCore } from '../../../src/raft/core/state.ts'
import type { step } from '../../../src/raft/core/step.ts'
import type { Entry, ServerId, SnapshotMeta } from '../../../src/raft/core/types.ts'
import type { Dice } from '../../tools/dice.ts'
import type { Laws } from './laws.ts'
import { bytesOf, type DiskWork, ModelDisk, stateOf } from './model-disk.ts'
import type { Swarm } from './swarm.ts'
import { WrittenLog } from './written-log.ts'

/** The core under test: the sound one, or a mutant. */
export interface Core {
  readonly createRaft: typeof createRaft
  readonly step: typeof step
  readonly snapshotMetaAt: typeof snapshotMetaAt
}

/** What a server needs of the world around it. */
export interface Surroundings {
  readonly core: Core
  readonly dice: Dice
  readonly laws: Laws
  readonly swarm: Swarm
  now(): number
  syncMs(): number
  after(delayMs: number, run: () => void): void
  transmit(from: ServerId, effect: { readonly to: ServerId; readonly message: RaftMessage }): void
  /** Called before the server's effects are applied. */
  happened(server: ModelServer, effect: RaftEffect): void
}

interface Ask {
  readonly what: 'proposal' | 'change' | 'quorum' | 'lease' | 'transfer'
  readonly floor: LogIndex
}

/** One server: the core, and a driver small enough to be seen through. */
export class ModelServer {
  readonly id: ServerId
  readonly disk = new ModelDisk()
  raft: RaftCore | undefined
  boot = 0
  pausedUntil = 0
  /** Applied in this boot, and the hash of the state after it. */
  appliedIndex = 0
  state = 0
  /** Requests without an answer yet. */
  readonly asked = new Map<number, Ask>()
  /** Accepted proposals that wait for their index to be applied, with the term they were accepted in. */
  readonly accepted = new Map<LogIndex, Term>()
  acknowledged = 0
  readonly #world: Surroundings
  readonly #timers = new Map<TimerName, number>()
  readonly #rate: number
  readonly #offset: number
  #timerCount = 0
  #work: DiskWork[] = []
  #syncing = false
  #backlog: RaftEvent[] = []
  readonly #written = new WrittenLog()
  #snapshotting = false
  #nextRequest = 1

  constructor(id: ServerId, world: Surroundings) {
    this.id = id
    this.#world = world
    // Two clocks never differ by more than the bound, whatever pair of servers they belong to.
    const { clockRateBound, odd } = world.swarm
    const slowest = 1 - clockRateBound / 2
    const fastest = slowest / (1 - clockRateBound)
    this.#rate = world.dice.pick([slowest, fastest, world.dice.between(slowest, fastest)])
    if (odd === 'slow') this.#rate = id === 's1' ? slowest : fastest
    this.#offset = world.dice.between(0, 1e6)
  }

  get isUp(): boolean {
    return this.raft !== undefined
  }

  get isPaused(): boolean {
    return this.#world.now() < this.pausedUntil
  }

  get isWriting(): boolean {
    return this.#work.length > 0
  }

  get leads(): boolean {
    return this.raft?.role.kind === 'leader'
  }

  clock(): number {
    return this.#offset + this.#rate * this.#world.now()
  }

  start(): void {
    const { core, swarm, laws } = this.#world
    const { heartbeatTimeoutMs, leaderLeaseMs, clockRateBound } = swarm
    const timing: RaftTiming = {
      heartbeatTimeoutMs,
      electionTimeoutMs: heartbeatTimeoutMs,
      leaderLeaseMs,
      // Where the lease is as long as the timeout, this changes nothing.
      detection: 'adaptive',
      clockRateBound,
    }
    const limits: RaftLimits = {
      appendEntriesMax: swarm.appendEntriesMax,
      appendBytesMax: 64,
      appendsInFlightMax: swarm.appendsInFlightMax,
      appendBytesInFlightMax: 100,
      uncommittedEntriesMax: 50,
      snapshotChunkBytes: 5,
      pendingReadsMax: 20,
      persistsMax: 1024,
      heldMessagesMax: 4096,
    }
    this.boot++
    const recovered = this.disk.recover()
    const raft = core.createRaft({ id: this.id, recovered, timing, limits })
    this.raft = raft
    const stored = this.disk.snapshot
    this.appliedIndex = stored?.meta.index ?? 0
    this.state = stored === undefined ? 0 : stateOf(stored.bytes)
    if (stored !== undefined) laws.stateAt(this.id, stored.meta.index, this.state)
    this.#written.recovered(raft, recovered.entries)
    // What recovery leaves out of the log is left out on disk too.
    if (raft.log.lastIndex === raft.log.baseIndex) {
      const { index, term } = this.#written.base
      this.disk.entries = recovered.entries.filter((entry) => entry.index === index && entry.term === term)
    }
    this.take({ kind: 'started' })
  }

  crash(): void {
    if (this.raft === undefined) return
    this.disk.crash(this.#work, this.#world.dice)
    this.raft = undefined
    this.#work = []
    this.#syncing = false
    this.#backlog = []
    this.#timers.clear()
    this.asked.clear()
    this.accepted.clear()
    this.#snapshotting = false
    this.pausedUntil = 0
  }

  pause(forMs: number): void {
    const until = this.#world.now() + forMs
    if (!this.isUp || until <= this.pausedUntil) return
    this.pausedUntil = until
    const boot = this.boot
    this.#world.after(forMs, () => {
      if (this.boot === boot && this.pausedUntil === until) this.wake()
    })
  }

  /** The backlog and new work race: reads that came meanwhile may be served before the news of a new leader. */
  wake(): void {
    const { dice } = this.#world
    this.pausedUntil = 0
    const backlog = this.#backlog
    this.#backlog = []
    const readsFirst = dice.chance(0.5)
    const isRead = (event: RaftEvent): boolean => event.kind === 'read-requested'
    const ordered = readsFirst ? [...backlog.filter(isRead), ...backlog.filter((event) => !isRead(event))] : backlog
    for (const event of ordered) this.take(event)
  }

  /** Events meet a paused server when it wakes, and a server that is down never. */
  take(event: RaftEvent): void {
    const { raft } = this
    if (raft === undefined) return
    if (this.isPaused) {
      this.#backlog.push(event)
      return
    }
    const before = raft.configurations.latest
    const { commit } = raft
    const effects = this.#world.core.step(raft, event, this.clock())
    const changedHere = event.kind === 'change-requested' && effects.some((effect) => effect.kind === 'accepted')
    if (changedHere) this.#world.laws.changed(raft, before.configuration, before.index, commit)
    const { boot } = this
    for (const effect of effects) {
      // A fault may be triggered by an effect: what follows it is lost with the process.
      if (this.boot !== boot || !this.isUp) return
      this.#world.happened(this, effect)
      if (!this.isUp) return
      this.#carryOut(effect)
    }
  }

  #carryOut(effect: RaftEffect): void {
    const { laws } = this.#world
    switch (effect.kind) {
      case 'persist':
        return this.#persist(effect)
      case 'send': {
        const { message } = effect.outgoing
        const claims = message.kind === 'append-response' && message.success && message.index > 0
        const votes = message.kind === 'vote-response' && message.granted
        laws.holds(!claims && !votes, 'votes and acknowledgements wait for the disk', { id: this.id, message })
        return this.#world.transmit(this.id, effect.outgoing)
      }
      case 'set-timer':
        return this.#setTimer(effect)
      case 'clear-timer':
        this.#timers.delete(effect.timer)
        return
      case 'apply':
        for (const entry of effect.entries) this.#apply(entry)
        return this.#maybeSnapshot()
      case 'install-snapshot':
        return this.#install(effect.meta)
      case 'compact':
        this.#written.compact(effect.keepFrom)
        return this.#queue({ kind: 'compact', keepFrom: effect.keepFrom })
      case 'store-chunk': {
        const { from, chunk } = effect
        return this.#later(1, () => {
          const { term, meta, sizeBytes, offset, bytes, round } = chunk
          const [nextOffset, complete] = this.disk.storeChunk(meta, sizeBytes, offset, bytes)
          this.take({ kind: 'chunk-stored', from, term, meta, nextOffset, complete, round })
        })
      }
      case 'read-chunk': {
        const { to, meta, offset, length } = effect
        return this.#later(1, () => {
          const stored = this.disk.snapshot
          const found = stored?.meta.index === meta.index
          const bytes = found ? stored.bytes.slice(offset, offset + length) : undefined
          this.take({ kind: 'chunk-read', to, meta, offset, bytes, sizeBytes: stored?.bytes.length ?? 0 })
        })
      }
      case 'role-changed':
        if (effect.role === 'leader') laws.becameLeader(this.raft as RaftCore)
        return
      default:
        return this.#answered(effect)
    }
  }

  #answered(effect: RaftEffect): void {
    if (!('requestId' in effect)) return
    const { laws } = this.#world
    const { requestId, kind } = effect
    const ask = this.asked.get(requestId)
    laws.holds(ask !== undefined, 'each request is answered once', { id: this.id, requestId, kind })
    this.asked.delete(requestId)
    if (kind === 'accepted' && ask?.what === 'proposal') this.accepted.set(effect.index, effect.term)
    if (kind === 'read-ready' && ask !== undefined) laws.read(this.id, ask.what, effect.index, ask.floor)
  }

  ask(what: Ask['what'], event: (requestId: number) => RaftEvent): void {
    const requestId = this.#nextRequest++
    this.asked.set(requestId, { what, floor: this.#world.laws.acknowledgedIndex })
    this.take(event(requestId))
  }

  propose(payloads: readonly Uint8Array[]): void {
    const requests = payloads.map((payload) => {
      const requestId = this.#nextRequest++
      this.asked.set(requestId, { what: 'proposal', floor: noIndex })
      return { requestId, payload }
    })
    this.take({ kind: 'proposed', requests })
  }

  #persist(effect: Extract<RaftEffect, { kind: 'persist' }>): void {
    this.#written.append(this.id, effect, this.#world.laws)
    this.#queue({ kind: 'persist', persist: effect })
  }

  /** R3: what the core believes to be its log is what it told the driver to write. */
  checkLog(): void {
    if (this.raft !== undefined && !this.isPaused) this.#written.check(this.id, this.raft, this.#world.laws)
  }

  /** The disk does its work in order, a batch at a time; what gathers meanwhile is the next batch. */
  #queue(work: DiskWork): void {
    const { dice } = this.#world
    const isNothing =
      work.kind === 'persist' &&
      work.persist.hardState === undefined &&
      work.persist.truncateFrom === undefined &&
      work.persist.entries.length === 0
    if (isNothing && this.#work.length === 0) {
      for (const outgoing of work.persist.thenSend) this.#speak(outgoing)
      const { sequence } = work.persist
      if (this.isUp && dice.chance(0.5)) this.#later(0, () => this.take({ kind: 'persisted', sequence }))
      return
    }
    this.#work.push(work)
    if (!this.#syncing) this.#sync(dice.chance(0.2) ? 4 : 1)
  }

  #sync(slowness: number): void {
    const { dice } = this.#world
    const aboutMs = this.#world.syncMs() * slowness
    this.#syncing = true
    const count = dice.chance(0.5) ? this.#work.length : 1
    this.#later(dice.between(aboutMs / 2, aboutMs), () => {
      const batch = this.#work.slice(0, count)
      this.#work = this.#work.slice(count)
      this.#syncing = false
      const { boot } = this
      for (const work of batch) this.disk.do(work)
      let sequence = 0
      for (const work of batch) {
        if (work.kind !== 'persist') continue
        sequence = work.persist.sequence
        for (const outgoing of work.persist.thenSend) if (this.boot === boot && this.isUp) this.#speak(outgoing)
      }
      if (this.boot !== boot || !this.isUp) return
      if (this.#work.length > 0) this.#sync(1)
      if (sequence > 0) this.take({ kind: 'persisted', sequence })
    })
  }

  #speak(outgoing: { readonly to: ServerId; readonly message: RaftMessage }): void {
    const { to, message } = outgoing
    if (message.kind === 'vote-response' && message.granted && !message.pre) {
      this.#world.laws.voted(this.id, message.term, to)
    }
    this.#world.transmit(this.id, outgoing)
  }

  #setTimer({ timer, minMs, maxMs }: Extract<RaftEffect, { kind: 'set-timer' }>): void {
    const stamp = ++this.#timerCount
    this.#timers.set(timer, stamp)
    this.#later(this.#world.dice.between(minMs, maxMs) / this.#rate, () => {
      if (this.#timers.get(timer) !== stamp) return
      this.#timers.delete(timer)
      this.take({ kind: 'timer-fired', timer })
    })
  }

  #later(delayMs: number, run: () => void): void {
    const { boot } = this
    this.#world.after(delayMs, () => {
      if (this.boot === boot && this.isUp) run()
    })
  }

  #apply(entry: Entry): void {
    const { laws } = this.#world
    laws.holds(entry.index === this.appliedIndex + 1, 'each entry is applied once, in order', {
      id: this.id,
      index: entry.index,
      applied: this.appliedIndex,
    })
    this.appliedIndex = entry.index
    this.state = laws.applied(this.raft as RaftCore, entry, this.state)
    const term = this.accepted.get(entry.index)
    if (term === undefined) return
    this.accepted.delete(entry.index)
    if (term !== entry.term) return
    this.acknowledged++
    laws.acknowledged(entry.index)
  }

  #maybeSnapshot(): void {
    const { swarm, core } = this.#world
    const { raft, disk } = this
    if (raft === undefined || this.#snapshotting) return
    if (this.appliedIndex - (disk.snapshot?.meta.index ?? 0) < swarm.snapshotEvery) return
    this.#snapshotting = true
    const meta = core.snapshotMetaAt(raft, logIndexOf(this.appliedIndex))
    const bytes = bytesOf(this.state)
    this.#later(this.#world.dice.between(1, 20), () => {
      this.#snapshotting = false
      if (meta.index <= (disk.snapshot?.meta.index ?? 0)) return
      disk.snapshot = { meta, bytes }
      const keepFrom = Math.max(1, meta.index + 1 - swarm.trailing)
      this.take({ kind: 'snapshot-taken', meta, sizeBytes: bytes.length, keepFrom: logIndexOf(keepFrom) })
    })
  }

  #install(meta: SnapshotMeta): void {
    const { laws } = this.#world
    const stored = this.disk.snapshot
    laws.holds(stored?.meta.index === meta.index, 'a snapshot is installed when it is there', { id: this.id })
    laws.holds(meta.index > this.appliedIndex, 'state never goes back', {
      id: this.id,
      to: meta.index,
      from: this.appliedIndex,
    })
    this.appliedIndex = meta.index
    this.state = stateOf((stored as { bytes: Uint8Array }).bytes)
    laws.stateAt(this.id, meta.index, this.state)
    this.#written.replaced(meta)
    this.accepted.clear()
    this.#queue({ kind: 'reset' })
  }
}
