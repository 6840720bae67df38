import { done, err, ok, type Result } from '../../base/result.ts'
import type { DiskFailure } from '../../env/disk.ts'
import type { Env } from '../../env/env.ts'
import type { LogIndex } from '../../model/log-position.ts'
import type { SnapshotChunk } from '../core/messages.ts'
import type { SnapshotMeta } from '../core/types.ts'
import type { StateRestore, StateSnapshot } from '../raft.ts'
import { removeUnneeded } from './disk-steps.ts'
import type { FoundSnapshots } from './found-snapshots.ts'
import type { SnapshotDisk } from './memory-files.ts'
import { damagedAt, diskFailureText, diskTrouble } from './open-failure.ts'
import { type BadSnapshot, checkSnapshot, readSnapshot, type SnapshotOrigin, writeSnapshot } from './snapshot-file.ts'
import { type Received, SnapshotReceiving } from './snapshot-receiving.ts'
import { isSame, keptMax, type StoredSnapshot, sentMax, snapshotName, snapshotSuffix } from './stored-snapshot.ts'

interface Kept extends StoredSnapshot {
  /** Detected after it was written: the snapshot is no longer usable. */
  isDamaged: boolean
  /** Number of failed reads since the last successful one. */
  unread: number
  /** Since the last snapshot was placed. */
  wasRead: boolean
}

/**
 * Number of failed reads after which a snapshot counts as damaged. A file that cannot be read may be intact: the
 * process has too many open files, or the disk failed once. But without a limit, a follower would be offered it for
 * ever.
 */
const unreadMax = 3

/** With this many replaced snapshots that the disk does not remove, no further one is begun: it would fill up. */
const replacedMax = 8

/** The snapshots of one server: written here, or received from a leader. Methods may overlap; `receive` and `forget` may not. */
export class SnapshotStore {
  readonly #disk: SnapshotDisk
  readonly #directory: string
  /** Newest first. */
  #kept: Kept[]
  /** Files of earlier lives that are not offered to followers, and go with the next snapshot. */
  #besides: readonly string[]
  /** Files of failed attempts. No attempt begins before they are removed, so that they do not pile up. */
  readonly #unfinished = new Set<string>()
  /** Files of snapshots that newer ones have replaced. */
  readonly #replaced = new Set<string>()
  #removing: Promise<Result<undefined, DiskFailure>> | undefined
  readonly #receiving: SnapshotReceiving
  #stopped = false

  /** `found`: what earlier lives have left in the directory. */
  constructor(disk: SnapshotDisk, directory: string, found?: Omit<FoundSnapshots, 'restore' | 'damaged'>) {
    this.#disk = disk
    this.#directory = directory
    this.#receiving = new SnapshotReceiving(disk, directory, {
      place: (aside, stored) => this.#place(aside, stored),
      giveUp: (path) => this.#giveUp(path),
      makeReady: () => this.#makeReady(),
    })
    this.#kept = found?.newest === undefined ? [] : [{ ...found.newest, isDamaged: false, unread: 0, wasRead: false }]
    this.#besides = found?.besides ?? []
    for (const path of found?.leftovers ?? []) {
      const files = path.endsWith(snapshotSuffix) ? this.#replaced : this.#unfinished
      files.add(path)
    }
  }

  get newest(): StoredSnapshot | undefined {
    return this.#kept.find(({ isDamaged }) => !isDamaged)
  }

  /**
   * Reads a whole stored snapshot. One that is damaged, missing, or repeatedly unreadable is ignored from then on, and
   * removed when the next one is placed. The error says what is wrong; a snapshot that is not stored is no error.
   */
  async verify(meta: SnapshotMeta): Promise<Result<undefined, string>> {
    const kept = this.#find(meta)
    if (kept === undefined) return done
    const path = this.#pathOf(meta)
    const file = await this.#disk.open(path, 'read')
    const checked = file.ok ? await checkSnapshot(file.value) : file
    if (file.ok) await file.value.close()
    if (checked.ok && isSame(checked.value.meta, meta)) {
      kept.unread = 0
      return done
    }
    if (checked.ok) {
      kept.isDamaged = true
      return err(`${path} is another snapshot`)
    }
    const { error } = checked
    if ('offset' in error) {
      kept.isDamaged = true
      return err(damagedAt(path, error.offset, error.what).message)
    }
    kept.unread++
    kept.isDamaged = error.kind === 'not-found' || kept.unread >= unreadMax
    return err(diskTrouble(error).message)
  }

  /**
   * Writes the state, a piece at a time with a turn of the event loop between, and makes it durable. Returns its size.
   * `logIndex`: this server's log was durable up to there when the snapshot was taken.
   */
  async write(
    meta: SnapshotMeta,
    state: StateSnapshot,
    logIndex: LogIndex,
  ): Promise<Result<number, DiskFailure | 'stopped'>> {
    const ready = await this.#makeReady()
    if (!ready.ok) return ready
    const origin: SnapshotOrigin = { kind: 'taken', logIndex }
    const aside = `${this.#directory}/${snapshotName(meta)}.tmp`
    const file = await this.#disk.open(aside, 'create')
    if (!file.ok) return file
    const cut = await file.value.truncate(0)
    const written = cut.ok ? await writeSnapshot(file.value, meta, origin, state, () => !this.#stopped) : cut
    await file.value.close()
    const placed = written.ok ? await this.#place(aside, { meta, sizeBytes: written.value, origin }) : written
    if (placed.ok) return written
    if (!written.ok && written.error !== 'stopped') await this.#giveUp(aside)
    return placed
  }

  /** Removes files that are not needed. Fails if any of them is still there. */
  tidy(): Promise<Result<undefined, DiskFailure>> {
    this.#removing ??= this.#removeUnwanted()
    return this.#removing
  }

  /** Feeds the state of a stored snapshot to `restore`, piece by piece, and lets it take effect. */
  async restore(meta: SnapshotMeta, restore: StateRestore): Promise<Result<undefined, BadSnapshot | DiskFailure>> {
    const file = await this.#disk.open(this.#pathOf(meta), 'read')
    if (!file.ok) return file
    const read = await readSnapshot(file.value, (piece) => restore.write(piece))
    await file.value.close()
    if (!read.ok) return read
    const finished = restore.finish()
    return finished.ok ? finished : err({ kind: 'refused', offset: 0, what: finished.error })
  }

  /** At most `length` bytes of the file of that snapshot; `bytes` is undefined if it is no longer stored. */
  async read(
    meta: SnapshotMeta,
    offset: number,
    length: number,
  ): Promise<{ readonly bytes: Uint8Array | undefined; readonly sizeBytes: number }> {
    const kept = this.#find(meta)
    const gone = { bytes: undefined, sizeBytes: 0 }
    if (kept === undefined) return gone
    const file = await this.#disk.open(this.#pathOf(meta), 'read')
    if (!file.ok) return gone
    kept.wasRead = true
    const bytes = await file.value.read(offset, Math.max(0, Math.min(length, kept.sizeBytes - offset)))
    await file.value.close()
    return bytes.ok ? { bytes: bytes.value, sizeBytes: kept.sizeBytes } : gone
  }

  /**
   * Takes a chunk of a leader's snapshot. The last one is acknowledged when all is durable and in its place, and so is
   * any chunk of a snapshot that is stored already.
   */
  receive(chunk: SnapshotChunk): Promise<Result<Received, DiskFailure>> {
    if (this.#find(chunk.meta) === undefined) return this.#receiving.take(chunk)
    return Promise.resolve(ok({ nextOffset: chunk.sizeBytes, complete: true }))
  }

  /** Whether a snapshot is being received that covers no more than this index. */
  receivesInVain(committed: LogIndex): boolean {
    return this.#receiving.isUseless(committed)
  }

  /** Closes and removes what was received of such a snapshot: its leader may never send the rest. */
  forget(committed: LogIndex): Promise<void> {
    return this.#receiving.forget(committed)
  }

  /** Ends work that is under way, soon. */
  stop(): Promise<void> {
    this.#stopped = true
    return this.#receiving.stop()
  }

  /**
   * Gives a synced file its name, makes that durable, and only then removes older ones. A failed attempt removes its file,
   * but not what stands at the place of a stored snapshot, even of one that could not be read and is written anew:
   * 1. The log may have been cut for that snapshot, so that without it the server cannot start again.
   * 2. A rename that failed has left it there. After one that succeeded, the whole new file is there, or, after a power
   *    cut, the former one.
   * 3. So a restart finds one of them and makes its name durable, and the next attempt replaces it.
   */
  async #place(aside: string, stored: StoredSnapshot): Promise<Result<undefined, DiskFailure>> {
    const placed = this.#pathOf(stored.meta)
    // A removal of what a failed attempt left there must not come after the rename.
    if (this.#unfinished.has(placed)) await this.tidy()
    const renamed = await this.#disk.rename(aside, placed)
    const durable = renamed.ok ? await this.#disk.syncDirectory(this.#directory) : renamed
    if (!durable.ok) {
      if (!renamed.ok) await this.#giveUp(aside)
      else if (!this.#kept.some(({ meta }) => isSame(meta, stored.meta))) await this.#giveUp(placed)
      return durable
    }
    this.#unfinished.delete(placed)
    const others = this.#kept.filter(({ meta }) => !isSame(meta, stored.meta))
    const all = [{ ...stored, isDamaged: false, unread: 0, wasRead: false }, ...others]
    const whole = all.filter(({ isDamaged }) => !isDamaged).sort((a, b) => b.meta.index - a.meta.index)
    this.#kept = whole.filter(({ wasRead }, i) => i < keptMax || (wasRead && i < keptMax + sentMax))
    const old = all.filter((each) => !this.#kept.includes(each))
    for (const each of this.#kept) each.wasRead = false
    const gone = [...old.map(({ meta }) => this.#pathOf(meta)), ...this.#besides.filter((path) => path !== placed)]
    this.#besides = []
    // The new snapshot is durable, whether or not the disk lets others go now.
    await this.#discard(this.#replaced, gone)
    return done
  }

  /** The file of a failed attempt is not needed. If it cannot be removed now, it is removed later. */
  #giveUp(path: string): Promise<void> {
    return this.#discard(this.#unfinished, [path])
  }

  async #discard(files: Set<string>, paths: readonly string[]): Promise<void> {
    await this.#removing
    for (const path of paths) files.add(path)
    await this.tidy()
  }

  /** Removes files that are not needed. Fails if too many are still there for another attempt. */
  async #makeReady(): Promise<Result<undefined, DiskFailure>> {
    const tidied = await this.tidy()
    return this.#unfinished.size === 0 && this.#replaced.size < replacedMax ? done : tidied
  }

  async #removeUnwanted(): Promise<Result<undefined, DiskFailure>> {
    const removal = await removeUnneeded(this.#disk, this.#directory, [...this.#unfinished, ...this.#replaced])
    this.#removing = undefined
    if (!removal.ok) return removal
    for (const path of removal.value.gone) {
      this.#unfinished.delete(path)
      this.#replaced.delete(path)
    }
    return removal.value.refused === undefined ? done : err(removal.value.refused)
  }

  #find(meta: SnapshotMeta): Kept | undefined {
    return this.#kept.find((kept) => !kept.isDamaged && isSame(kept.meta, meta))
  }

  #pathOf(meta: Pick<SnapshotMeta, 'index' | 'term'>): string {
    return `${this.#directory}/${snapshotName(meta)}`
  }
}

export function tellNotRemoved(log: Env['log'], failure: DiskFailure): void {
  const fields = { why: diskFailureText(failure) }
  log.write('warn', 'raft', 'snapshots that are not needed could not be removed', fields, 'sampled')
}
