import { err, ok, type Result } from '../../base/result.ts'
import type { DiskFailure, DiskFile } from '../../env/disk.ts'
import type { LogIndex } from '../../model/log-position.ts'
import type { SnapshotChunk } from '../core/messages.ts'
import type { SnapshotMeta } from '../core/types.ts'
import type { SnapshotDisk } from './memory-files.ts'
import { checkSnapshot, markReceived } from './snapshot-file.ts'
import { isSame, type StoredSnapshot, snapshotName } from './stored-snapshot.ts'

/** A snapshot that is received from a leader, piece by piece. */
interface Transfer {
  readonly meta: SnapshotMeta
  readonly sizeBytes: number
  readonly path: string
  readonly file: DiskFile
  nextOffset: number
}

/** Answer to a chunk: the offset of the next one; `complete` when the whole snapshot is durable. */
export interface Received {
  readonly nextOffset: number
  readonly complete: boolean
  /** All of it arrived, with this damage: it is requested again from its start. */
  readonly damage?: string
}

/** What becomes of the files of transfers. */
interface Files {
  /** Gives a synced and complete file its place among the snapshots. */
  readonly place: (aside: string, stored: StoredSnapshot) => Promise<Result<undefined, DiskFailure>>
  /** The file is not needed any more. */
  readonly giveUp: (path: string) => Promise<void>
  /** Removes what was given up before; fails if that does not allow another transfer. */
  readonly makeReady: () => Promise<Result<undefined, DiskFailure>>
}

/** Receives the snapshots of leaders, one transfer at a time, in a separate file. One call of `take` or `forget` at a time. */
export class SnapshotReceiving {
  readonly #disk: SnapshotDisk
  readonly #directory: string
  readonly #files: Files
  #transfer: Transfer | undefined
  #stopped = false

  constructor(disk: SnapshotDisk, directory: string, files: Files) {
    this.#disk = disk
    this.#directory = directory
    this.#files = files
  }

  /**
   * Writes a chunk of a leader's snapshot to the separate file if it is the next one. The last one is acknowledged when
   * all is synced, checked as a whole, and in its place; an incomplete snapshot is dropped and requested again from its
   * start. So is one after a failed write or sync, because the content of its file is unknown; a write that found no
   * room is tried again.
   */
  async take(chunk: SnapshotChunk): Promise<Result<Received, DiskFailure>> {
    const taken = await this.#take(chunk)
    if (taken.ok || taken.error.kind === 'full' || this.#stopped) return taken
    if (this.#transfer !== undefined) await this.#drop(this.#transfer)
    return taken
  }

  async #take({ meta, sizeBytes, offset, bytes }: SnapshotChunk): Promise<Result<Received, DiskFailure>> {
    const begun = await this.#transferOf(meta, sizeBytes, offset)
    if (!begun.ok) return begun
    const transfer = begun.value
    if (transfer === undefined) return ok({ nextOffset: 0, complete: false })
    if (offset === transfer.nextOffset) {
      const written = await transfer.file.write(offset, bytes)
      if (!written.ok) return written
      transfer.nextOffset += bytes.length
    }
    if (transfer.nextOffset < sizeBytes) return ok({ nextOffset: transfer.nextOffset, complete: false })
    return this.#complete(transfer)
  }

  /** Whether a transfer is under way of a snapshot that covers no more than this index. */
  isUseless(committed: LogIndex): boolean {
    return this.#transfer !== undefined && this.#transfer.meta.index <= committed
  }

  /** Drops what is being received if it covers no more than this index. Not during `take`. */
  async forget(committed: LogIndex): Promise<void> {
    if (this.#transfer !== undefined && this.isUseless(committed)) await this.#drop(this.#transfer)
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#transfer?.file.close()
    this.#transfer = undefined
  }

  /** The transfer to which the chunk belongs; undefined if that has not begun and this is not its first chunk. */
  async #transferOf(
    meta: SnapshotMeta,
    sizeBytes: number,
    offset: number,
  ): Promise<Result<Transfer | undefined, DiskFailure>> {
    const present = this.#transfer
    if (present !== undefined && isSame(present.meta, meta) && present.sizeBytes === sizeBytes) return ok(present)
    // A late piece of another leader's snapshot does not end the transfer that is under way.
    if (offset !== 0) return ok(undefined)
    if (present !== undefined) await this.#drop(present)
    const ready = await this.#files.makeReady()
    if (!ready.ok) return ready
    const path = `${this.#directory}/${snapshotName(meta)}.part`
    const file = await this.#disk.open(path, 'create')
    if (!file.ok) return file
    this.#transfer = { meta, sizeBytes, path, file: file.value, nextOffset: 0 }
    const cut = await file.value.truncate(0)
    return cut.ok ? ok(this.#transfer) : cut
  }

  async #complete(transfer: Transfer): Promise<Result<Received, DiskFailure>> {
    const { file, meta, sizeBytes, path } = transfer
    const synced = await file.sync()
    if (!synced.ok) return synced
    const checked = await checkSnapshot(file)
    if (!checked.ok && !('offset' in checked.error)) return err(checked.error)
    if (!checked.ok || !isSame(checked.value.meta, meta) || checked.value.sizeBytes !== sizeBytes) {
      const damage = !checked.ok && 'what' in checked.error ? checked.error.what : 'it is another snapshot'
      await this.#drop(transfer)
      return ok({ nextOffset: 0, complete: false, damage })
    }
    const marked = await markReceived(file, checked.value)
    if (!marked.ok) return marked
    await file.close()
    this.#transfer = undefined
    const placed = await this.#files.place(path, { meta: checked.value.meta, sizeBytes, origin: { kind: 'received' } })
    return placed.ok ? ok({ nextOffset: sizeBytes, complete: true }) : placed
  }

  async #drop({ file, path }: Transfer): Promise<void> {
    this.#transfer = undefined
    await file.close()
    await this.#files.giveUp(path)
  }
}
