import type { DiskFailure } from '../../env/disk.ts'
import type { Env } from '../../env/env.ts'
import { type LogIndex, noIndex } from '../../model/log-position.ts'
import type { RaftEffect } from '../core/effects.ts'
import type { SnapshotMeta } from '../core/types.ts'
import { diskFailureText } from '../log/open-failure.ts'
import type { SnapshotStore } from '../log/snapshot-store.ts'
import type { Turns } from './turns.ts'

type StoreChunk = Extract<RaftEffect, { kind: 'store-chunk' }>
type ReadChunk = Extract<RaftEffect, { kind: 'read-chunk' }>

/**
 * Maximum number of chunks that wait to be written. The sender awaits each answer, so more come only from several
 * leaders, or repeated.
 */
const waitingMax = 8

export interface ChunksParts {
  readonly snapshots: SnapshotStore
  readonly turns: Turns
  readonly env: Pick<Env, 'log'>
  /** The snapshot that a follower needs cannot be read from the disk, so another must replace it. */
  readonly renew: () => void
}

/** Moves snapshots between the disk and the core, a chunk at a time. */
export class Chunks {
  readonly #snapshots: SnapshotStore
  readonly #turns: Turns
  readonly #log: Env['log']
  readonly #renew: () => void
  #waiting: StoreChunk[] = []
  #isStoring = false
  #committed = noIndex
  #stopped = false

  constructor({ snapshots, turns, env, renew }: ChunksParts) {
    this.#snapshots = snapshots
    this.#turns = turns
    this.#log = env.log
    this.#renew = renew
  }

  store(effect: StoreChunk): void {
    if (this.#waiting.length >= waitingMax) return
    this.#waiting.push(effect)
    if (!this.#isStoring) this.#turns.inBackground(this.#storeAll())
  }

  /**
   * Everything up to here is committed. A leader that fell in the middle of a snapshot never sends the rest if the next
   * one brings this server up to date from its log.
   */
  committed(index: LogIndex): void {
    this.#committed = index
    if (!this.#isStoring && this.#snapshots.receivesInVain(index)) this.#turns.inBackground(this.#storeAll())
  }

  read(effect: ReadChunk): void {
    this.#turns.inBackground(this.#read(effect))
  }

  stop(): void {
    this.#stopped = true
    this.#waiting = []
  }

  /**
   * A transfer begins with reading the whole file once. Otherwise rotten bytes would be sent to the end, found to be
   * damaged by the receiver, and requested again, for ever. An unusable snapshot is replaced by a new one; the core
   * asks again after a while, or uses the new one. The first piece may be sent again for days, to a receiver that is
   * down, or whose disk is full: each time must cost no more than this piece.
   */
  async #read({ to, meta, offset, length, isRepeated }: ReadChunk): Promise<void> {
    const begins = offset === 0 && !isRepeated
    if (begins) await this.#verify(meta)
    const { bytes, sizeBytes } = await this.#snapshots.read(meta, offset, length)
    if (bytes === undefined && !begins) await this.#verify(meta)
    if (this.#stopped) return
    this.#turns.run(() => {
      if (bytes === undefined && (this.#snapshots.newest?.meta.index ?? 0) < meta.index) this.#renew()
      this.#turns.post({ kind: 'chunk-read', to, meta, offset, bytes, sizeBytes })
    })
  }

  async #verify(meta: SnapshotMeta): Promise<void> {
    const verified = await this.#snapshots.verify(meta)
    if (verified.ok || this.#stopped) return
    this.#log.write(
      'error',
      'raft',
      'a snapshot cannot be sent: another one is used instead',
      { why: verified.error },
      'sampled',
    )
  }

  async #storeAll(): Promise<void> {
    this.#isStoring = true
    do {
      for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) await this.#store(next)
      if (this.#snapshots.receivesInVain(this.#committed)) await this.#snapshots.forget(this.#committed)
    } while (this.#waiting.length > 0)
    this.#isStoring = false
  }

  async #store({ from, chunk }: StoreChunk): Promise<void> {
    const { term, meta, round } = chunk
    const stored = await this.#snapshots.receive(chunk)
    if (this.#stopped) return
    this.#turns.run(() => {
      // Without an answer, the leader resends the chunk at intervals.
      if (!stored.ok) return this.#tellFailure(meta.index, stored.error)
      const { nextOffset, complete, damage } = stored.value
      if (damage !== undefined) {
        const why = { from, index: meta.index, why: damage }
        this.#log.write('warn', 'raft', 'a received snapshot is damaged', why, 'sampled')
      }
      this.#turns.post({ kind: 'chunk-stored', from, term, meta, round, nextOffset, complete })
    })
  }

  /** The log is not affected: this server goes on, and lags until its disk takes a snapshot. */
  #tellFailure(index: number, failure: DiskFailure): void {
    if (failure.kind === 'full') {
      this.#log.write('warn', 'raft', 'no space left on the disk for a received snapshot', { index }, 'sampled')
      return
    }
    const fields = { index, why: diskFailureText(failure) }
    this.#log.write(
      'error',
      'raft',
      'a received snapshot could not be written: it is requested again',
      fields,
      'sampled',
    )
  }
}
