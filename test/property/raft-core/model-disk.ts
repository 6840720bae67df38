import { type LogIndex, noTerm } from '../../../src/model/log-position.ts'
import type { RaftEffect } from '../../../src/raft/core/effects.ts'
import type { Entry, HardState, Recovered, SnapshotMeta } from '../../../src/raft/core/types.ts'
import type { Dice } from '../../tools/dice.ts'

export type Persist = Extract<RaftEffect, { kind: 'persist' }>

export type DiskWork =
  | { readonly kind: 'persist'; readonly persist: Persist }
  | { readonly kind: 'reset' }
  | { readonly kind: 'compact'; readonly keepFrom: LogIndex }

export interface StoredSnapshot {
  readonly meta: SnapshotMeta
  readonly bytes: Uint8Array
}

interface PartialSnapshot {
  readonly meta: SnapshotMeta
  readonly bytes: Uint8Array
  have: number
}

/** What survives a crash of one server: log, term and vote, snapshots. Work is done strictly in order. */
export class ModelDisk {
  hardState: HardState = { term: noTerm, votedFor: undefined }
  entries: Entry[] = []
  snapshot: StoredSnapshot | undefined
  partial: PartialSnapshot | undefined

  recover(): Recovered {
    return {
      hardState: this.hardState,
      snapshot: this.snapshot?.meta,
      snapshotSizeBytes: this.snapshot?.bytes.length ?? 0,
      entries: [...this.entries],
    }
  }

  take({ hardState, snapshot, entries }: Recovered): void {
    this.hardState = hardState
    this.entries = [...entries]
    this.snapshot = snapshot === undefined ? undefined : this.snapshot
  }

  do(work: DiskWork): void {
    switch (work.kind) {
      case 'persist':
        return this.#write(work.persist, work.persist.entries.length)
      case 'reset':
        this.entries = []
        return
      case 'compact':
        this.entries = this.entries.filter((entry) => entry.index >= work.keepFrom)
    }
  }

  /** The crash tears the work that was under way: some of it is done, and the last of that perhaps in part. */
  crash(pending: readonly DiskWork[], dice: Dice): void {
    const done = dice.below(pending.length + 1)
    for (const work of pending.slice(0, done)) this.do(work)
    const torn = pending[done]
    if (torn?.kind === 'persist' && dice.chance(0.5)) this.#write(torn.persist, dice.below(torn.persist.entries.length))
    if (dice.chance(0.3)) this.partial = undefined
  }

  #write({ hardState, truncateFrom, entries }: Persist, count: number): void {
    if (hardState !== undefined) this.hardState = hardState
    if (truncateFrom !== undefined) this.entries = this.entries.filter((entry) => entry.index < truncateFrom)
    for (const entry of entries.slice(0, count)) {
      const last = this.entries.at(-1)
      const expected = last === undefined ? entry.index : last.index + 1
      if (entry.index !== expected) throw new Error(`the log on disk has a gap: ${entry.index} after ${last?.index}`)
      this.entries.push(entry)
    }
  }

  /** Returns where the next chunk begins, and whether the snapshot is complete now. */
  storeChunk(meta: SnapshotMeta, sizeBytes: number, offset: number, bytes: Uint8Array): [number, boolean] {
    if (this.partial?.meta.index !== meta.index || this.partial.meta.term !== meta.term) {
      this.partial = { meta, bytes: new Uint8Array(sizeBytes), have: 0 }
    }
    const { partial } = this
    if (offset === partial.have) {
      partial.bytes.set(bytes, offset)
      partial.have += bytes.length
    }
    const complete = partial.have === sizeBytes
    if (complete && meta.index > (this.snapshot?.meta.index ?? 0)) this.snapshot = { meta, bytes: partial.bytes }
    return [partial.have, complete]
  }
}

/** What a snapshot of this state holds: longer than one chunk, so that transfers take several. */
export function bytesOf(state: number): Uint8Array {
  return new TextEncoder().encode(`the state is ${state}`)
}

export function stateOf(bytes: Uint8Array): number {
  return Number(new TextDecoder().decode(bytes).slice('the state is '.length))
}
