import { invariant } from '../../base/invariant.ts'
import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import type { LogIndex } from '../../model/log-position.ts'
import type { Entry, SnapshotMeta } from '../core/types.ts'
import { diskFailureText } from '../log/open-failure.ts'
import type { SnapshotStore } from '../log/snapshot-store.ts'
import type { RaftObserver, StateMachine } from '../raft.ts'
import type { Requests } from './requests.ts'
import type { Turns } from './turns.ts'

/**
 * A server that catches up must not stall: this limits the time that it applies in one turn, for which the clock is
 * read after every batch of entries; the number of entries in a turn is limited as well, because the clock may stand
 * still within a turn.
 */
const sliceMs = 8
const clockEachEntries = 16
const sliceEntries = 4096

/** A received snapshot for which no file descriptor is left is opened again after this. */
const retryMs = 1000

type Work =
  | { readonly kind: 'entries'; readonly entries: readonly Entry[]; next: number }
  | { readonly kind: 'install'; readonly meta: SnapshotMeta; ready: boolean }

export interface ApplierParts {
  readonly env: Pick<Env, 'timers' | 'clock' | 'metrics' | 'log'>
  readonly stateMachine: StateMachine
  readonly snapshots: SnapshotStore
  readonly requests: Requests
  readonly observer: RaftObserver | undefined
  readonly applied: LogIndex
  readonly turns: Turns
}

/**
 * Passes committed entries to the state machine, in order, at most one slice per turn; and replaces its state by a
 * received snapshot, which takes many turns, while later committed entries wait.
 */
export class Applier {
  readonly #parts: ApplierParts
  /** Oldest first. Holds references into the log, whose bound applies here too. */
  #queue: Work[] = []
  #applied: LogIndex
  #timer: Closable | undefined
  #restoring = false
  #stopped = false

  constructor(parts: ApplierParts) {
    this.#parts = parts
    this.#applied = parts.applied
  }

  /** The state machine has applied everything up to here. */
  get applied(): LogIndex {
    return this.#applied
  }

  /** A snapshot waits to be installed or is being installed: the state machine is behind the core. */
  get isRestoring(): boolean {
    return this.#restoring || this.#queue.some((work) => work.kind === 'install')
  }

  take(entries: readonly Entry[]): void {
    this.#queue.push({ kind: 'entries', entries, next: 0 })
    if (this.#timer === undefined) this.#goOn()
  }

  /**
   * Waiting entries are part of the snapshot, and are dropped. Returns what to call when the log that the snapshot
   * replaces is durably gone: the state is replaced only then, so that an observer sees log and state change in one
   * order.
   */
  install(meta: SnapshotMeta): () => void {
    const work: Work = { kind: 'install', meta, ready: false }
    this.#queue = [work]
    this.#parts.requests.leadershipLost(this.#applied)
    return () => {
      work.ready = true
      if (this.#timer === undefined) this.#goOn()
    }
  }

  stop(): void {
    this.#stopped = true
    this.#queue = []
    this.#timer?.close()
  }

  #goOn(): void {
    this.#timer = undefined
    if (this.#stopped || this.#restoring) return
    const { clock } = this.#parts.env
    const startedMs = clock.monoMs()
    const before = this.#applied
    for (let count = 1; count <= sliceEntries; ) {
      const work = this.#queue[0]
      if (work === undefined || (work.kind === 'install' && !work.ready)) break
      if (work.kind === 'install') {
        this.#queue.shift()
        this.#told(before, startedMs)
        this.#parts.turns.inBackground(this.#restore(work.meta))
        return
      }
      const entry = work.entries[work.next++]
      if (entry === undefined) {
        this.#queue.shift()
        continue
      }
      this.#apply(entry)
      if (count % clockEachEntries === 0 && clock.monoMs() - startedMs >= sliceMs) break
      count++
    }
    this.#told(before, startedMs)
    const work = this.#queue[0]
    const waits = work === undefined || (work.kind === 'install' && !work.ready)
    if (!waits) this.#timer = this.#parts.env.timers.after(0, () => this.#parts.turns.run(() => this.#goOn()))
  }

  #apply(entry: Entry): void {
    const { stateMachine, observer, requests } = this.#parts
    invariant(entry.index === this.#applied + 1, 'entries are applied one after the other', {
      index: entry.index,
      applied: this.#applied,
    })
    const value = stateMachine.apply(entry)
    this.#applied = entry.index
    observer?.applied(entry)
    requests.applied(entry, value)
  }

  #told(before: LogIndex, startedMs: number): void {
    if (this.#applied === before) return
    const { stateMachine, requests, env } = this.#parts
    stateMachine.applied(this.#applied)
    requests.appliedUpTo(this.#applied)
    env.metrics.sample('raft.fsm.apply', env.clock.monoMs() - startedMs)
  }

  /** Committed entries wait meanwhile, as during the restore. A newer snapshot takes its place. */
  #restoreLater(meta: SnapshotMeta): void {
    const { env, turns } = this.#parts
    const { index } = meta
    env.log.write('warn', 'raft', 'no file descriptor is left for a received snapshot', { index }, 'sampled')
    if (!this.#queue.some((work) => work.kind === 'install')) {
      this.#queue.unshift({ kind: 'install', meta, ready: true })
    }
    this.#timer = env.timers.after(retryMs, () => turns.run(() => this.#goOn()))
  }

  async #restore(meta: SnapshotMeta): Promise<void> {
    const { snapshots, stateMachine, env, turns } = this.#parts
    this.#restoring = true
    const startedMs = env.clock.monoMs()
    const restored = await snapshots.restore(meta, stateMachine.restore())
    this.#restoring = false
    if (this.#stopped) return
    turns.run(() => {
      if (!restored.ok && restored.error.kind === 'no-descriptor') return this.#restoreLater(meta)
      if (restored.ok) {
        const before = this.#applied
        this.#applied = meta.index
        env.metrics.sample('raft.fsm.restore', env.clock.monoMs() - startedMs)
        env.log.write('info', 'raft', 'snapshot installed', { index: meta.index, term: meta.term })
        this.#told(before, startedMs)
      } else if (!this.#queue.some((work) => work.kind === 'install')) {
        // Otherwise a newer snapshot has replaced this one meanwhile.
        const why = 'offset' in restored.error ? restored.error.what : diskFailureText(restored.error)
        throw new Error(`snapshot ${meta.index} cannot be taken into use: ${why}`)
      }
      this.#goOn()
    })
  }
}
