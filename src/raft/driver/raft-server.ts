import type { Result } from '../../base/result.ts'
import type { Closable } from '../../env/async.ts'
import type { DiskFailure } from '../../env/disk.ts'
import type { Env } from '../../env/env.ts'
import type { LogIndex } from '../../model/log-position.ts'
import { hasAppliedOwnTerm } from '../core/catch-up.ts'
import type { RaftEvent, TimerName } from '../core/events.ts'
import type { RaftMessage } from '../core/messages.ts'
import { readsByLease } from '../core/read.ts'
import { silenceOf } from '../core/signs-of-life.ts'
import { createRaft, type RaftCore } from '../core/state.ts'
import { statusOf } from '../core/status.ts'
import { step } from '../core/step.ts'
import type { Configuration, ConfigurationChange, Recovered, RequestRefusal, ServerId } from '../core/types.ts'
import type { LogListener } from '../log/durable-log.ts'
import { diskFailureText } from '../log/open-failure.ts'
import type { Raft, RaftStatus } from '../raft.ts'
import { Bootstrapping } from './bootstrapping.ts'
import { Calls } from './calls.ts'
import { CommittedState } from './committed-state.ts'
import { Effects } from './effects.ts'
import { Meters } from './meters.ts'
import { Persisting } from './persisting.ts'
import type { RaftServerParts } from './raft-server-parts.ts'
import { raftStatusOf } from './raft-status.ts'
import { type Committed, Requests } from './requests.ts'
import { RoleNews } from './role-news.ts'
import { Addresses, Sender } from './sender.ts'
import { StalledDisk } from './stalled-disk.ts'
import { TimerSet } from './timer-set.ts'
import { Turns } from './turns.ts'

/**
 * Drives the core: passes one event at a time, whatever calls come in between, and has its effects performed in order.
 * An error in a turn (a broken invariant, a state machine that cannot continue) stops the server.
 */
export class RaftServer implements Raft, LogListener {
  readonly #env: Env
  readonly #parts: RaftServerParts
  #core: RaftCore
  readonly #turns: Turns
  readonly #timers: TimerSet
  readonly #requests: Requests
  readonly #persisting: Persisting
  readonly #calls: Calls
  readonly #stalledDisk: StalledDisk
  readonly #state: CommittedState
  readonly #effects: Effects
  readonly #bootstrapping: Bootstrapping
  readonly #addresses = new Addresses()
  readonly #meters: Meters
  readonly #news: RoleNews
  #closed: Promise<void> | undefined

  constructor(env: Env, parts: RaftServerParts) {
    this.#env = env
    this.#parts = parts
    const { id, timing, limits, storage, observer, transport } = parts
    const { recovered, log } = storage
    this.#core = createRaft({ id, recovered, timing, limits })
    this.#meters = new Meters(env)
    this.#news = new RoleNews(env, this.#meters, observer)
    this.#requests = new Requests(env)
    this.#turns = this.#newTurns()
    this.#timers = new TimerSet(env, (timer) => this.#timerFired(timer))
    const addresses = this.#addresses
    const sender = new Sender({ meters: this.#meters, observer, transport, addresses })
    const [core, isLeader] = [() => this.#core, () => this.#core.role.kind === 'leader']
    this.#persisting = new Persisting({ env, log, observer, send: (outgoing) => sender.send(outgoing), isLeader })
    const shared = { ...parts, env, log, addresses, turns: this.#turns, requests: this.#requests, isLeader, core }
    this.#calls = new Calls({ ...shared, diskIsBusy: () => this.#persisting.isUnderWay })
    const waitingSinceMs = () => (log.isFull ? undefined : this.#persisting.waitingSinceMs)
    this.#stalledDisk = new StalledDisk({ ...shared, waitingSinceMs, handOver: () => this.#calls.handOver() })
    this.#state = new CommittedState(shared)
    const performers = { persisting: this.#persisting, sender, timers: this.#timers, state: this.#state }
    this.#effects = new Effects({ ...shared, ...performers, news: this.#news })
    this.#bootstrapping = new Bootstrapping({ ...shared, restart: (first) => this.#restart(first) })
    observer?.recovered(recovered.hardState, recovered.snapshot, recovered.entries)
    if (recovered.snapshot !== undefined) observer?.restored(recovered.snapshot)
  }

  start(): void {
    this.#turns.post({ kind: 'started' })
  }

  propose(payload: Uint8Array): Promise<Result<Committed, RequestRefusal>> {
    return this.#calls.propose(payload)
  }

  readIndex(): Promise<Result<LogIndex, RequestRefusal>> {
    return this.#calls.read('quorum')
  }

  leaseRead(): Promise<Result<LogIndex, RequestRefusal>> {
    return this.#calls.read('lease')
  }

  leaseReadsNow(): boolean {
    const reads = this.#turns.isOpen && readsByLease(this.#core, this.#state.applied, this.#env.clock.monoMs())
    if (reads) this.#parts.observer?.readByLease()
    return reads
  }

  hasCaughtUp(): boolean {
    return this.#state.hasCaughtUp
  }

  untilCaughtUp(): Promise<void> {
    return this.#state.untilCaughtUp
  }

  leadsSettled(): boolean {
    return this.#turns.isOpen && hasAppliedOwnTerm(this.#core, this.#state.applied)
  }

  silenceMs(id: ServerId): number | undefined {
    return silenceOf(this.#core, id, this.#env.clock.monoMs())
  }

  changeConfiguration(change: ConfigurationChange): Promise<Result<LogIndex, RequestRefusal>> {
    return this.#calls.changeConfiguration(change)
  }

  transferLeadership(to?: ServerId): Promise<Result<undefined, RequestRefusal>> {
    return this.#calls.transferLeadership(to)
  }

  async bootstrap(configuration: Configuration): Promise<boolean> {
    if (!this.#turns.isOpen || this.hasState()) return false
    return this.#bootstrapping.begin(configuration)
  }

  hasState(): boolean {
    return this.#core.term > 0 || this.#core.log.lastIndex > 0 || this.#core.snapshot !== undefined
  }

  receive(from: ServerId, message: RaftMessage): void {
    if (!this.#turns.isOpen || !this.#calls.takes(message)) return
    this.#parts.observer?.received(from, message)
    const startedMs = this.#env.clock.monoMs()
    this.#turns.post({ kind: 'message-received', from, message })
    this.#meters.served(message, startedMs)
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
    return raftStatusOf(core, this.#addresses, this.#state.applied, this.#requests.acceptedCount, isFull)
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
      this.#calls.diskIsFree()
    })
  }

  full(failure: DiskFailure): void {
    this.#calls.diskIsFull(failure)
  }

  room(): void {
    this.#calls.diskHasRoom()
  }

  delayed(failure: DiskFailure): void {
    const text = 'no file descriptor is left for a new segment of the log: writes wait'
    this.#env.log.write('warn', 'raft', text, { why: diskFailureText(failure) }, 'sampled')
  }

  notRemoved(failure: DiskFailure): void {
    const text = 'segments of the log that are not needed could not be removed'
    this.#env.log.write('warn', 'raft', text, { why: diskFailureText(failure) }, 'sampled')
  }

  failed(failure: DiskFailure | Error): void {
    this.#fatal(failure instanceof Error ? failure : new Error(`raft log: ${diskFailureText(failure)}`))
  }

  #newTurns(): Turns {
    return new Turns({
      deal: (event) => this.#deal(event),
      settle: () => this.#parts.storage.log.flush(),
      ended: () => {
        this.#state.turnEnded()
        this.#news.tell(() => this.status())
      },
      fatal: (failure) => this.#fatal(failure),
    })
  }

  /** The first configuration is durable: a new core starts from the state that a restart would find. */
  #restart(recovered: Recovered): void {
    const { id, timing, limits, observer } = this.#parts
    this.#timers.clearAll()
    this.#core = createRaft({ id, recovered, timing, limits })
    observer?.hardState(recovered.hardState.term, recovered.hardState.votedFor)
    observer?.appended(recovered.entries)
  }

  #timerFired(timer: TimerName): void {
    if (!this.#turns.isOpen) return
    const before = this.#core.role.kind
    this.#turns.post({ kind: 'timer-fired', timer })
    this.#meters.timerFired(timer, before, this.#core)
  }

  #deal(event: RaftEvent): void {
    for (const effect of step(this.#core, event, this.#env.clock.monoMs())) this.#effects.carryOut(effect, this.#core)
  }

  /** From here on the server does and sends nothing. */
  #end(): void {
    if (this.#turns.isOver) return
    this.#turns.stop()
    this.#timers.clearAll()
    this.#persisting.stop()
    this.#state.stop()
    this.#stalledDisk.stop()
    this.#calls.stop()
    this.#bootstrapping.stop()
  }

  #fatal(failure: Error): void {
    if (this.#turns.isOver) return
    this.#env.log.write('error', 'raft', 'this server cannot go on', { why: failure.message })
    void this.stop()
    this.#parts.onFatal(failure)
  }
}
