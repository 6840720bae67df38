import { invariant } from '../../base/invariant.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { Closable, Deferred } from '../../env/async.ts'
import type { DiskFailure } from '../../env/disk.ts'
import type { Env } from '../../env/env.ts'
import { type LogIndex, lesser, noIndex } from '../../model/log-position.ts'
import { hasAppliedOwnTerm } from '../core/catch-up.ts'
import { bootstrapped } from '../core/configuration.ts'
import { readsByLease } from '../core/read.ts'
import { silenceOf } from '../core/signs-of-life.ts'
import { snapshotMetaAt } from '../core/snapshot.ts'
import { createRaft, type RaftCore } from '../core/state.ts'
import { statusOf } from '../core/status.ts'
import { step } from '../core/step.ts'
import type {
  Configuration,
  ConfigurationChange,
  Outgoing,
  RaftEffect,
  RaftEvent,
  RaftMessage,
  Recovered,
  RequestRefusal,
  ServerId,
  SnapshotMeta,
  TimerName,
} from '../core/types.ts'
import { type LogListener, logChange } from '../log/durable-log.ts'
import { diskFailureText } from '../log/open-failure.ts'
import { payloadBytesMax } from '../log/record.ts'
import type { Raft, RaftStatus } from '../raft.ts'
import { Admission } from './admission.ts'
import { Applier } from './applier.ts'
import { Chunks } from './chunks.ts'
import { Gathering } from './gathering.ts'
import { Meters } from './meters.ts'
import { Persisting } from './persisting.ts'
import type { RaftServerParts } from './raft-server-parts.ts'
import { Addresses, CatchingUp, raftStatusOf } from './raft-status.ts'
import { type Committed, Requests } from './requests.ts'
import { RoleNews } from './role-news.ts'
import { Snapshotting } from './snapshotting.ts'
import { StalledDisk } from './stalled-disk.ts'
import { TimerSet } from './timer-set.ts'
import { Turns } from './turns.ts'
import { WithoutRoom } from './without-room.ts'

const stoppedRefusal: RequestRefusal = { kind: 'leadership-lost' }

/**
 * Drives the core: passes one event at a time, whatever calls come in between, and performs its effects in order. An
 * error in a turn (a broken invariant, a state machine that cannot continue) stops the server.
 */
export class RaftServer implements Raft, LogListener {
  readonly #env: Env
  readonly #parts: RaftServerParts
  #core: RaftCore
  readonly #turns: Turns
  readonly #timers: TimerSet
  readonly #requests: Requests
  readonly #persisting: Persisting
  readonly #gathering: Gathering
  readonly #withoutRoom: WithoutRoom
  readonly #admission: Admission
  readonly #stalledDisk: StalledDisk
  readonly #applier: Applier
  readonly #chunks: Chunks
  readonly #snapshotting: Snapshotting
  readonly #addresses = new Addresses()
  readonly #meters: Meters
  readonly #news: RoleNews
  readonly #catchingUp: CatchingUp
  #bootstrap: Deferred<boolean> | undefined
  #closed: Promise<void> | undefined

  constructor(env: Env, parts: RaftServerParts) {
    this.#env = env
    this.#parts = parts
    const { storage, stateMachine, observer, id, timing, limits, policy } = parts
    const { recovered, log, snapshots } = storage
    this.#core = createRaft({ id, recovered, timing, limits })
    this.#meters = new Meters(env)
    this.#news = new RoleNews(env, this.#meters, observer)
    this.#requests = new Requests(env)
    this.#catchingUp = new CatchingUp(env)
    this.#turns = new Turns({
      deal: (event) => this.#deal(event),
      settle: () => log.flush(),
      ended: () => {
        this.#catchingUp.look(this.#core, this.#applier.applied)
        this.#news.tell(() => this.status())
      },
      fatal: (failure) => this.#fatal(failure),
    })
    this.#timers = new TimerSet(env, (timer) => this.#timerFired(timer))
    const isLeader = (): boolean => this.#core.role.kind === 'leader'
    this.#persisting = new Persisting({ env, log, observer, send: (outgoing) => this.#send(outgoing), isLeader })
    this.#gathering = new Gathering(
      env,
      () => this.#persisting.isUnderWay,
      (requests) => {
        if (!this.#withoutRoom.refuses(requests)) this.#turns.post({ kind: 'proposed', requests })
      },
    )
    const handOver = async (): Promise<boolean> => (await this.transferLeadership()).ok
    const shared = { env, snapshots, stateMachine, turns: this.#turns, requests: this.#requests, isLeader, handOver }
    this.#withoutRoom = new WithoutRoom({ ...shared, log })
    this.#admission = new Admission({ env, log, requests: this.#requests, withoutRoom: this.#withoutRoom })
    const waitingSinceMs = () => (log.isFull ? undefined : this.#persisting.waitingSinceMs)
    this.#stalledDisk = new StalledDisk({ ...shared, timing, waitingSinceMs })
    this.#applier = new Applier({ ...shared, observer, applied: recovered.snapshot?.index ?? noIndex })
    this.#chunks = new Chunks({ ...shared, renew: () => this.#snapshotting.take() })
    this.#snapshotting = new Snapshotting({
      ...shared,
      policy,
      log: () => this.#core.log,
      metaNow: () => this.#snapshotMetaNow(),
      logIndexNow: () => this.#logIndexNow(),
    })
    observer?.recovered(recovered.hardState, recovered.snapshot, recovered.entries)
    if (recovered.snapshot !== undefined) observer?.restored(recovered.snapshot)
  }

  start(): void {
    this.#turns.post({ kind: 'started' })
  }

  async propose(payload: Uint8Array): Promise<Result<Committed, RequestRefusal>> {
    invariant(payload.length <= payloadBytesMax, 'the proposer caps the size', { bytes: payload.length })
    if (this.#turns.isOver) return err(stoppedRefusal)
    const { refusal } = this.#admission
    if (refusal !== undefined) return err(refusal)
    const { id, outcome } = this.#requests.begin(payload.length)
    this.#env.metrics.count('raft.apply')
    this.#gathering.add({ requestId: id, payload })
    return outcome
  }

  readIndex(): Promise<Result<LogIndex, RequestRefusal>> {
    this.#env.metrics.count('raft.verify_leader')
    return this.#askToRead('quorum')
  }

  leaseRead(): Promise<Result<LogIndex, RequestRefusal>> {
    return this.#askToRead('lease')
  }

  leaseReadsNow(): boolean {
    const reads = this.#turns.isOpen && readsByLease(this.#core, this.#applier.applied, this.#env.clock.monoMs())
    if (reads) this.#parts.observer?.readByLease()
    return reads
  }

  hasCaughtUp(): boolean {
    return this.#catchingUp.isOver
  }

  untilCaughtUp(): Promise<void> {
    return this.#catchingUp.over
  }

  leadsSettled(): boolean {
    return this.#turns.isOpen && hasAppliedOwnTerm(this.#core, this.#applier.applied)
  }

  silenceMs(id: ServerId): number | undefined {
    return silenceOf(this.#core, id, this.#env.clock.monoMs())
  }

  changeConfiguration(change: ConfigurationChange): Promise<Result<LogIndex, RequestRefusal>> {
    const { refusal } = this.#withoutRoom
    if (refusal !== undefined) return Promise.resolve(err(refusal))
    this.#parts.observer?.changeAsked(change)
    return this.#ask((requestId) => ({ kind: 'change-requested', requestId, change }))
  }

  async transferLeadership(to?: ServerId): Promise<Result<undefined, RequestRefusal>> {
    const moved = await this.#ask((requestId) => ({ kind: 'transfer-requested', requestId, to }))
    return moved.ok ? ok(undefined) : moved
  }

  async bootstrap(configuration: Configuration): Promise<boolean> {
    if (!this.#turns.isOpen || this.hasState()) return false
    const recovered = bootstrapped(configuration)
    if (!recovered.ok) invariant(false, 'a cluster begins as one that can live', { why: recovered.error })
    const { hardState, entries } = recovered.value
    this.#bootstrap = this.#env.deferred<boolean>()
    const { promise } = this.#bootstrap
    this.#turns.pause()
    this.#turns.run(() => {
      this.#parts.storage.log.write(logChange({ hardState, entries }), () => this.#begin(recovered.value))
    })
    return promise
  }

  hasState(): boolean {
    return this.#core.term > 0 || this.#core.log.lastIndex > 0 || this.#core.snapshot !== undefined
  }

  receive(from: ServerId, message: RaftMessage): void {
    if (!this.#turns.isOpen || !this.#admission.takes(message)) return
    this.#parts.observer?.received(from, message)
    const startedMs = this.#env.clock.monoMs()
    this.#turns.post({ kind: 'message-received', from, message })
    this.#meters.served(message.kind, startedMs)
  }

  memberName(nodeId: string, address: string): ServerId | undefined {
    return this.#addresses.nameOf(nodeId, address)
  }

  leaderUnreachable(id: ServerId): void {
    if (this.#turns.isOpen) this.#turns.post({ kind: 'leader-gone', leader: id })
  }

  status(): RaftStatus {
    const core = statusOf(this.#core, this.#env.clock.monoMs())
    const { isFull } = this.#parts.storage.log
    return raftStatusOf(core, this.#addresses, this.#applier.applied, this.#requests.acceptedCount, isFull)
  }

  onRoleChange(use: (status: RaftStatus) => void): Closable {
    return this.#news.subscribe(use)
  }

  stop(): Promise<void> {
    this.#end()
    const { snapshots, log } = this.#parts.storage
    this.#closed ??= snapshots.stop().then(() => log.close())
    return this.#closed
  }

  batchDurable(): void {
    this.#turns.run(() => {
      const sequence = this.#persisting.takeDurable()
      if (sequence !== undefined) this.#turns.post({ kind: 'persisted', sequence })
      this.#gathering.flush()
    })
  }

  full(failure: DiskFailure): void {
    this.#turns.run(() => this.#withoutRoom.begin(diskFailureText(failure)))
  }

  room(): void {
    this.#withoutRoom.end()
  }

  failed(failure: DiskFailure | Error): void {
    this.#fatal(failure instanceof Error ? failure : new Error(`raft log: ${diskFailureText(failure)}`))
  }

  #askToRead(mode: 'quorum' | 'lease'): Promise<Result<LogIndex, RequestRefusal>> {
    return this.#ask((requestId) => {
      this.#parts.observer?.readAsked(requestId)
      return { kind: 'read-requested', requestId, mode }
    })
  }

  #ask(event: (requestId: number) => RaftEvent): Promise<Result<LogIndex, RequestRefusal>> {
    const { id, outcome } = this.#requests.begin()
    if (this.#turns.isOver) this.#requests.refused(id, stoppedRefusal)
    else this.#turns.post(event(id))
    return outcome.then((settled) => (settled.ok ? ok(settled.value.index) : settled))
  }

  /** The first configuration is durable: the core begins again, from what a restart would find. */
  #begin(recovered: Recovered): void {
    if (this.#turns.isOver) return
    const { id, timing, limits, observer } = this.#parts
    this.#timers.clearAll()
    this.#core = createRaft({ id, recovered, timing, limits })
    observer?.hardState(recovered.hardState.term, recovered.hardState.votedFor)
    observer?.appended(recovered.entries)
    this.#turns.resume({ kind: 'started' })
    this.#bootstrap?.resolve(true)
  }

  #timerFired(timer: TimerName): void {
    if (!this.#turns.isOpen) return
    const before = this.#core.role.kind
    this.#turns.post({ kind: 'timer-fired', timer })
    this.#meters.timerFired(timer, before, this.#core)
  }

  #deal(event: RaftEvent): void {
    for (const effect of step(this.#core, event, this.#env.clock.monoMs())) this.#carryOut(effect)
  }

  #carryOut(effect: RaftEffect): void {
    switch (effect.kind) {
      case 'persist':
        return this.#persisting.ask(effect)
      case 'send':
        return this.#send(effect.outgoing)
      case 'set-timer':
        return this.#timers.set(effect.timer, effect.minMs, effect.maxMs, this.#core.term)
      case 'clear-timer':
        return this.#timers.clear(effect.timer)
      case 'apply':
        return this.#apply(effect)
      case 'install-snapshot':
        return this.#install(effect.meta)
      case 'compact':
        return this.#parts.storage.log.compact(effect.keepFrom)
      case 'store-chunk':
        return this.#chunks.store(effect)
      case 'read-chunk':
        return this.#chunks.read(effect)
      case 'accepted':
        return this.#requests.accepted(effect.requestId, effect.index, effect.term)
      case 'refused':
        return this.#requests.refused(effect.requestId, effect.refusal)
      case 'read-ready':
        this.#parts.observer?.readConfirmed(effect.requestId)
        return this.#requests.readReady(effect.requestId, effect.index, this.#applier.applied)
      case 'transferred':
        return this.#requests.succeeded(effect.requestId)
      case 'role-changed':
        if (this.#news.take(effect, this.#core)) this.#requests.leadershipLost(this.#core.commit)
        return
      case 'configuration-changed':
        return this.#learn(effect)
      case 'note':
        if (effect.counts !== undefined) this.#env.metrics.count(effect.counts)
        return this.#env.log.write(effect.level, 'raft', effect.text, effect.fields, 'sampled')
      default:
        effect satisfies never
    }
  }

  #send({ to, message }: Outgoing): void {
    this.#meters.sent(to, message)
    this.#parts.observer?.sent(to, message)
    this.#parts.transport.send(to, this.#addresses.of(to), message)
  }

  #apply({ entries }: Extract<RaftEffect, { kind: 'apply' }>): void {
    const last = entries.at(-1)
    if (last === undefined) return
    this.#parts.observer?.committed(last.index, this.#core.term)
    for (const entry of entries) {
      const ageMs = this.#requests.ageOf(entry)
      if (ageMs !== undefined) this.#env.metrics.sample('raft.commitTime', ageMs)
    }
    this.#applier.take(entries)
    this.#snapshotting.applied()
  }

  #install(meta: SnapshotMeta): void {
    const { index, term } = meta
    const logIsGone = this.#applier.install(meta)
    this.#parts.storage.log.write(logChange({ resetTo: { index, term } }), () => {
      if (this.#turns.isOver) return
      this.#parts.observer?.restored(meta)
      this.#turns.run(logIsGone)
    })
  }

  #learn({ configuration, index, committed }: Extract<RaftEffect, { kind: 'configuration-changed' }>): void {
    this.#addresses.learn(configuration)
    // A server that belongs to no cluster yet has nothing to say.
    if (configuration.servers.length === 0) return
    this.#parts.keptPeers?.keep(configuration)
    const servers = configuration.servers.map(({ id, address, suffrage }) => `${id} ${address} ${suffrage}`).join(', ')
    this.#env.log.write('info', 'raft', 'configuration', { index, committed, servers })
  }

  /**
   * The core knows what of its present log is durable, the log what is on the disk. A cut that is not there yet lowers
   * the first, a log that a received snapshot replaced, and whose end is not there yet, the second.
   */
  #logIndexNow(): LogIndex {
    return lesser(this.#core.durability.index, this.#parts.storage.log.durableIndex)
  }

  #snapshotMetaNow(): SnapshotMeta | undefined {
    const { applied, isRestoring } = this.#applier
    if (isRestoring || applied === 0 || applied < (this.#core.snapshot?.index ?? 0)) return undefined
    return snapshotMetaAt(this.#core, applied)
  }

  /** From here on nothing is done or said. */
  #end(): void {
    if (this.#turns.isOver) return
    this.#turns.stop()
    this.#timers.clearAll()
    this.#gathering.close()
    this.#persisting.stop()
    this.#applier.stop()
    this.#chunks.stop()
    this.#snapshotting.stop()
    this.#stalledDisk.stop()
    this.#requests.refuseAll(stoppedRefusal)
    this.#bootstrap?.resolve(false)
  }

  #fatal(failure: Error): void {
    if (this.#turns.isOver) return
    this.#env.log.write('error', 'raft', 'this server cannot go on', { why: failure.message })
    void this.stop()
    this.#parts.onFatal(failure)
  }
}
