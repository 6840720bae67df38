import type { Closable } from '../../env/async.ts'
import type { DiskFailure } from '../../env/disk.ts'
import type { Env } from '../../env/env.ts'
import { greater, indexAfter, type LogIndex, lesser, noIndex, plus } from '../../model/log-position.ts'
import type { RaftLog } from '../core/log.ts'
import type { SnapshotMeta } from '../core/types.ts'
import { diskFailureText } from '../log/open-failure.ts'
import { type SnapshotStore, tellNotRemoved } from '../log/snapshot-store.ts'
import type { StateMachine } from '../raft.ts'
import type { Turns } from './turns.ts'

export interface SnapshotPolicy {
  /** A snapshot is taken when this many entries were applied since the last. */
  readonly snapshotThreshold: number
  /** Interval between these checks. */
  readonly snapshotIntervalMs: number
  /** Entries that stay in the log behind a snapshot, for followers that lag a little. */
  readonly trailingLogs: number
  /**
   * Maximum size of the in-memory log, or the size of the last snapshot if that is greater: beyond it a snapshot is
   * taken at once, whatever the threshold, and half as much of the log is kept after it.
   */
  readonly logBytesMax: number
}

/** For a follower that is brought up by a snapshot, this many times the usual number of entries may stay in the log. */
const trailingTimes = 16

export interface SnapshottingParts {
  readonly env: Pick<Env, 'timers' | 'clock' | 'metrics' | 'log'>
  readonly policy: SnapshotPolicy
  readonly stateMachine: StateMachine
  readonly snapshots: SnapshotStore
  readonly log: () => Pick<RaftLog, 'bytes' | 'tailWithin'>
  /** The metadata of a snapshot of the state machine now; undefined while it is being replaced. */
  readonly metaNow: () => SnapshotMeta | undefined
  /** This server's log is durable up to this index: only damage can lose that part. */
  readonly logIndexNow: () => LogIndex
  readonly turns: Turns
}

/** Takes snapshots of the state machine, one at a time, so that the log can be cut. */
export class Snapshotting {
  readonly #parts: SnapshottingParts
  #timer: Closable | undefined
  #isTaking = false
  /** The last attempt failed: the next one waits for the interval, however long the log is. */
  #hasFailed = false
  #stopped = false

  constructor(parts: SnapshottingParts) {
    this.#parts = parts
    this.#arm()
  }

  stop(): void {
    this.#stopped = true
    this.#timer?.close()
  }

  #arm(): void {
    const { env, policy, turns } = this.#parts
    this.#timer = env.timers.after(policy.snapshotIntervalMs, () => {
      turns.run(() => {
        this.#arm()
        this.#hasFailed = false
        this.#tidy()
        this.#takeIfDue()
      })
    })
  }

  /** Entries were applied. */
  applied(): void {
    if (!this.#isTaking && !this.#hasFailed && this.#parts.log().bytes > this.#logBytesMax()) this.#takeIfDue()
  }

  #logBytesMax(): number {
    return Math.max(this.#parts.policy.logBytesMax, this.#parts.snapshots.newest?.sizeBytes ?? 0)
  }

  #takeIfDue(): void {
    const { policy, snapshots, log } = this.#parts
    const entries = (this.#parts.metaNow()?.index ?? 0) - (snapshots.newest?.meta.index ?? 0)
    if (entries >= policy.snapshotThreshold || log().bytes > this.#logBytesMax()) this.take()
  }

  /** Takes a snapshot whatever the policy, unless one is being taken, or nothing was applied since the last. */
  take(): void {
    const { snapshots, metaNow, stateMachine, env, turns } = this.#parts
    if (this.#isTaking || this.#stopped) return
    const meta = metaNow()
    const last = snapshots.newest?.meta.index ?? noIndex
    if (meta === undefined || meta.index <= last) return
    this.#isTaking = true
    const startedMs = env.clock.monoMs()
    const state = stateMachine.snapshot()
    const logIndex = lesser(meta.index, this.#parts.logIndexNow())
    env.metrics.sample('raft.fsm.snapshot', env.clock.monoMs() - startedMs)
    turns.inBackground(this.#write(meta, state, logIndex, startedMs))
  }

  async #write(
    meta: SnapshotMeta,
    state: ReturnType<StateMachine['snapshot']>,
    logIndex: LogIndex,
    startedMs: number,
  ): Promise<void> {
    const { snapshots, env, policy, turns, log } = this.#parts
    const written = await snapshots.write(meta, state, logIndex)
    this.#isTaking = false
    if (this.#stopped) return
    turns.run(() => {
      if (!written.ok) {
        if (written.error !== 'stopped') this.#failed(meta, written.error)
        return
      }
      env.metrics.sample('raft.snapshot.takeSnapshot', env.clock.monoMs() - startedMs)
      const { index, term } = meta
      env.log.write('info', 'raft', 'snapshot taken', { index, term, bytes: written.value })
      const trailing = greater(indexAfter(noIndex), plus(index, 1 - policy.trailingLogs))
      const within = log().tailWithin(this.#logBytesMax() / 2)
      const mayTrail = greater(indexAfter(noIndex), plus(index, 1 - trailingTimes * policy.trailingLogs))
      const [keepFrom, mayKeepFrom] = [greater(trailing, within), greater(mayTrail, within)]
      turns.post({ kind: 'snapshot-taken', meta, sizeBytes: written.value, keepFrom, mayKeepFrom })
    })
  }

  /** The log stays as it is, and so does the last snapshot. */
  #failed({ index }: SnapshotMeta, failure: DiskFailure): void {
    const { log } = this.#parts.env
    this.#hasFailed = true
    if (failure.kind === 'full') log.write('warn', 'raft', 'no space left on the disk for a snapshot', { index })
    else {
      const fields = { index, why: diskFailureText(failure) }
      log.write('error', 'raft', 'a snapshot could not be written: it is tried again', fields)
    }
  }

  /** What the disk did not remove before is tried again. */
  #tidy(): void {
    const { snapshots, turns, env } = this.#parts
    turns.inBackground(
      snapshots.tidy().then((tidied) => {
        if (!tidied.ok) tellNotRemoved(env.log, tidied.error)
      }),
    )
  }
}
