import type { Env } from '../../env/env.ts'
import { type LogIndex, lesser, noIndex } from '../../model/log-position.ts'
import type { RaftEffect } from '../core/effects.ts'
import { snapshotMetaAt } from '../core/snapshot.ts'
import type { RaftCore } from '../core/state.ts'
import type { Entry, SnapshotMeta } from '../core/types.ts'
import { logChange } from '../log/durable-log.ts'
import type { Storage } from '../opening/storage.ts'
import type { RaftObserver, StateMachine } from '../raft.ts'
import { Applier } from './applier.ts'
import { Chunks } from './chunks.ts'
import { CatchingUp } from './raft-status.ts'
import type { Requests } from './requests.ts'
import { type SnapshotPolicy, Snapshotting } from './snapshotting.ts'
import type { Turns } from './turns.ts'

export interface CommittedStateParts {
  readonly env: Pick<Env, 'deferred' | 'timers' | 'clock' | 'metrics' | 'log'>
  readonly storage: Storage
  readonly stateMachine: StateMachine
  readonly policy: SnapshotPolicy
  readonly requests: Requests
  readonly turns: Turns
  readonly observer: RaftObserver | undefined
  /** The present core: it is replaced when the first configuration arrives. */
  readonly core: () => RaftCore
}

/**
 * This server's copy of the committed state: entries are applied to the state machine, snapshots of it are taken, and
 * those of others are received, installed and sent on.
 */
export class CommittedState {
  readonly #parts: CommittedStateParts
  readonly #applier: Applier
  readonly #chunks: Chunks
  readonly #snapshotting: Snapshotting
  readonly #catchingUp: CatchingUp

  constructor(parts: CommittedStateParts) {
    this.#parts = parts
    const { env, storage, stateMachine, policy, requests, turns, observer, core } = parts
    const { snapshots, recovered } = storage
    this.#catchingUp = new CatchingUp(env)
    const applied = recovered.snapshot?.index ?? noIndex
    this.#applier = new Applier({ env, stateMachine, snapshots, requests, observer, applied, turns })
    this.#chunks = new Chunks({ env, snapshots, turns, renew: () => this.#snapshotting.take() })
    this.#snapshotting = new Snapshotting({
      env,
      policy,
      stateMachine,
      snapshots,
      turns,
      log: () => core().log,
      metaNow: () => this.#snapshotMetaNow(),
      logIndexNow: () => this.#logIndexNow(),
    })
  }

  /** The state machine has applied everything up to here. */
  get applied(): LogIndex {
    return this.#applier.applied
  }

  /** Whether it has caught up with the cluster once since this server started. */
  get hasCaughtUp(): boolean {
    return this.#catchingUp.isOver
  }

  get untilCaughtUp(): Promise<void> {
    return this.#catchingUp.over
  }

  /** Called at the end of a turn. */
  turnEnded(): void {
    this.#catchingUp.look(this.#parts.core(), this.#applier.applied)
  }

  apply(entries: readonly Entry[]): void {
    const { observer, requests, env, core } = this.#parts
    const last = entries.at(-1)
    if (last === undefined) return
    observer?.committed(last.index, core().term)
    for (const entry of entries) {
      const ageMs = requests.ageOf(entry)
      if (ageMs !== undefined) env.metrics.sample('raft.commitTime', ageMs)
    }
    this.#applier.take(entries)
    this.#chunks.committed(last.index)
    this.#snapshotting.applied()
  }

  /** A received snapshot is complete: it replaces first the log, and then, once that is durably removed, the state. */
  install(meta: SnapshotMeta): void {
    const { storage, turns, observer } = this.#parts
    const { index, term } = meta
    const logIsGone = this.#applier.install(meta)
    storage.log.write(logChange({ resetTo: { index, term } }), () => {
      if (turns.isOver) return
      observer?.restored(meta)
      turns.run(logIsGone)
    })
  }

  storeChunk(effect: Extract<RaftEffect, { kind: 'store-chunk' }>): void {
    this.#chunks.store(effect)
  }

  readChunk(effect: Extract<RaftEffect, { kind: 'read-chunk' }>): void {
    this.#chunks.read(effect)
  }

  stop(): void {
    this.#applier.stop()
    this.#chunks.stop()
    this.#snapshotting.stop()
  }

  /**
   * The core knows how much of its present log is durable, and the log what is on the disk. A cut that is not there yet
   * lowers the first; a log that a received snapshot replaced, and whose end is not there yet, lowers the second.
   */
  #logIndexNow(): LogIndex {
    return lesser(this.#parts.core().durability.index, this.#parts.storage.log.durableIndex)
  }

  #snapshotMetaNow(): SnapshotMeta | undefined {
    const core = this.#parts.core()
    const { applied, isRestoring } = this.#applier
    if (isRestoring || applied === 0 || applied < (core.snapshot?.index ?? 0)) return undefined
    return snapshotMetaAt(core, applied)
  }
}
