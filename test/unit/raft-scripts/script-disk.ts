import { noTerm } from '../../../src/model/log-position.ts'
import type { RaftEffect } from '../../../src/raft/core/effects.ts'
import type { SnapshotChunk } from '../../../src/raft/core/messages.ts'
import type { Entry, HardState, Recovered, SnapshotMeta } from '../../../src/raft/core/types.ts'

export type Persist = Extract<RaftEffect, { kind: 'persist' }>

interface StoredSnapshot {
  readonly meta: SnapshotMeta
  readonly bytes: Uint8Array
}

/** What a server has written; survives its crashes. */
export class ScriptDisk {
  hardState: HardState = { term: noTerm, votedFor: undefined }
  entries: Entry[] = []
  snapshot: StoredSnapshot | undefined
  isSlow = false
  /** The old log outlasts a snapshot that replaces it, as when the power goes between the two steps. */
  keepsLog = false
  #partial: StoredSnapshot | undefined

  recovered(): Recovered {
    const { hardState, entries, snapshot } = this
    return {
      hardState,
      snapshot: snapshot?.meta,
      snapshotSizeBytes: snapshot?.bytes.length ?? 0,
      entries: [...entries],
    }
  }

  write({ hardState, truncateFrom, entries }: Persist): void {
    if (hardState !== undefined) this.hardState = hardState
    if (truncateFrom !== undefined) this.entries = this.entries.filter((entry) => entry.index < truncateFrom)
    this.entries.push(...entries)
  }

  /** Takes a piece of a received snapshot; gives how much of it is here. */
  store({ meta, offset, bytes, sizeBytes }: SnapshotChunk): {
    readonly nextOffset: number
    readonly complete: boolean
  } {
    const known = this.#partial?.meta.index === meta.index ? this.#partial.bytes : new Uint8Array(0)
    const whole = offset === known.length ? Uint8Array.from([...known, ...bytes]) : known
    const complete = whole.length === sizeBytes
    this.#partial = complete ? undefined : { meta, bytes: whole }
    if (complete && meta.index > (this.snapshot?.meta.index ?? 0)) this.snapshot = { meta, bytes: whole }
    return { nextOffset: whole.length, complete }
  }
}
