import { done, err, ok, type Result } from '../../base/result.ts'
import type { DiskFailure, DiskFile } from '../../env/disk.ts'
import type { LogIndex } from '../../model/log-position.ts'
import type { SnapshotChunk, SnapshotMeta } from '../core/types.ts'
import type { StateRestore, StateSnapshot } from '../raft.ts'
import { removeFiles } from './disk-steps.ts'
import type { SnapshotDisk } from './memory-files.ts'
import { damagedAt, diskTrouble, type RaftOpenFailure, unknownFormat } from './open-failure.ts'
import {
  type BadSnapshot,
  checkSnapshot,
  markReceived,
  type ReadSnapshot,
  readSnapshot,
  type SnapshotOrigin,
  snapshotName,
  snapshotOfName,
  writeSnapshot,
} from './snapshot-file.ts'

/** A whole snapshot on disk. */
export interface StoredSnapshot {
  readonly meta: SnapshotMeta
  /** Size of what a leader sends: the file has some more bytes, for this server alone. */
  readonly sizeBytes: number
  /** Undefined: written by a release that did not say. */
  readonly origin: SnapshotOrigin | undefined
}

/** The snapshots in a directory. Reading it changed nothing. */
export interface FoundSnapshots {
  /** The newest that is whole. */
  readonly newest: StoredSnapshot | undefined
  /** Has taken the state of the newest in, and waits to be finished. */
  readonly restore: StateRestore | undefined
  /** Newer ones that are not. A snapshot is synced before it gets its name, so each is damage. */
  readonly damaged: readonly RaftOpenFailure[]
  /** Begun and not finished, or replaced by newer ones. */
  readonly leftovers: readonly string[]
}

/** Snapshots kept, the newest of all: a follower may still be reading the one before. */
const keptMax = 2

/** Each file is read once: while it is checked, its state goes to a restore that `begin` gives. */
export async function findSnapshots(
  disk: SnapshotDisk,
  directory: string,
  begin: () => StateRestore,
): Promise<Result<FoundSnapshots, RaftOpenFailure>> {
  const names = await disk.list(directory)
  if (!names.ok && names.error.kind === 'not-found') return ok(noSnapshots)
  if (!names.ok) return err(diskTrouble(names.error))
  const placed = names.value.flatMap((name) => {
    const found = snapshotOfName(name)
    return found === undefined ? [] : [{ ...found, path: `${directory}/${name}` }]
  })
  placed.sort((a, b) => b.index - a.index || b.term - a.term)
  const asides = names.value.filter((name) => name.endsWith('.tmp') || name.endsWith('.part'))
  const leftovers = asides.map((name) => `${directory}/${name}`)
  const damaged: RaftOpenFailure[] = []
  for (const [i, { path, index, term }] of placed.entries()) {
    const restore = begin()
    const checked = await checkFile(disk, path, restore)
    if (!checked.ok) return checked
    const { whole, wrong } = checked.value
    if (whole !== undefined && isSame(whole.meta, { index, term })) {
      const { meta, sizeBytes, origin } = whole
      leftovers.push(...placed.slice(i + keptMax).map((old) => old.path))
      return ok({ newest: { meta, sizeBytes, origin }, restore, damaged, leftovers })
    }
    damaged.push(wrong ?? damagedAt(path, 0, 'it is another snapshot under this name'))
  }
  return ok({ ...noSnapshots, damaged, leftovers })
}

const noSnapshots: FoundSnapshots = { newest: undefined, restore: undefined, damaged: [], leftovers: [] }

interface Checked {
  readonly whole: ReadSnapshot | undefined
  readonly wrong: RaftOpenFailure | undefined
}

async function checkFile(
  disk: SnapshotDisk,
  path: string,
  restore: StateRestore,
): Promise<Result<Checked, RaftOpenFailure>> {
  const file = await disk.open(path, 'read')
  if (!file.ok) return err(diskTrouble(file.error))
  // What the state machine does not accept, it refuses when the restore is finished: the file may be intact all the
  // same.
  const use = (piece: Uint8Array): Result<undefined, string> => {
    restore.write(piece)
    return done
  }
  const checked = await readSnapshot(file.value, use)
  await file.value.close()
  if (checked.ok) return ok({ whole: checked.value, wrong: undefined })
  const failure = checked.error
  if (!('offset' in failure)) return err(diskTrouble(failure))
  if (failure.kind === 'format') return err(unknownFormat(path, failure.what))
  return ok({ whole: undefined, wrong: damagedAt(path, failure.offset, failure.what) })
}

/** A snapshot that comes from a leader, piece by piece. */
interface Receiving {
  readonly meta: SnapshotMeta
  readonly sizeBytes: number
  readonly path: string
  readonly file: DiskFile
  nextOffset: number
}

/** Answer to a chunk: from where on the next is wanted; `complete` when the whole snapshot is durable. */
export interface Received {
  readonly nextOffset: number
  readonly complete: boolean
  /** All of it came, and this is wrong with it: it is wanted from its start. */
  readonly damage?: string
}

interface Kept extends StoredSnapshot {
  /** Detected after it was written: the snapshot is no longer usable. */
  isDamaged: boolean
  /** How often it could not be read since it last could. */
  unread: number
}

/**
 * A file that cannot be read may be whole: the process has too many open, or the disk failed once. Only when it goes on
 * so it counts as damaged, for otherwise a follower would be offered it for ever.
 */
const unreadMax = 3

/** The snapshots of one server: written here, or received from a leader. Methods may overlap; `receive` may not. */
export class SnapshotStore {
  readonly #disk: SnapshotDisk
  readonly #directory: string
  /** Newest first. */
  #kept: Kept[]
  #receiving: Receiving | undefined
  #stopped = false

  constructor(disk: SnapshotDisk, directory: string, newest: StoredSnapshot | undefined) {
    this.#disk = disk
    this.#directory = directory
    this.#kept = newest === undefined ? [] : [{ ...newest, isDamaged: false, unread: 0 }]
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
   * Writes the state out, a piece at a time with a turn of the loop between, and makes it durable. Returns its size.
   * `logIndex`: this server's log was durable up to there when the snapshot was taken.
   */
  async write(
    meta: SnapshotMeta,
    state: StateSnapshot,
    logIndex: LogIndex,
  ): Promise<Result<number, DiskFailure | 'stopped'>> {
    const origin: SnapshotOrigin = { kind: 'taken', logIndex }
    const aside = `${this.#directory}/${snapshotName(meta)}.tmp`
    const file = await this.#disk.open(aside, 'create')
    if (!file.ok) return file
    const cut = await file.value.truncate(0)
    const written = cut.ok ? await writeSnapshot(file.value, meta, origin, state, () => !this.#stopped) : cut
    await file.value.close()
    const placed = written.ok ? await this.#place(aside, { meta, sizeBytes: written.value, origin }) : written
    if (placed.ok) return written
    // Others need the room more than a snapshot that cannot be had. If this fails as well, the next start removes it.
    if (placed.error !== 'stopped' && placed.error.kind === 'full') await this.#disk.remove(aside)
    return placed
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
    const bytes = await file.value.read(offset, Math.max(0, Math.min(length, kept.sizeBytes - offset)))
    await file.value.close()
    return bytes.ok ? { bytes: bytes.value, sizeBytes: kept.sizeBytes } : gone
  }

  /**
   * Writes a chunk of a leader's snapshot aside if it is the one that is wanted next. The last one is answered for when
   * all is synced, checked as a whole, and in its place; a snapshot that is not whole is dropped and wanted from its
   * start.
   */
  async receive({ meta, sizeBytes, offset, bytes }: SnapshotChunk): Promise<Result<Received, DiskFailure>> {
    const kept = this.#find(meta)
    if (kept !== undefined) return ok({ nextOffset: sizeBytes, complete: true })
    const begun = await this.#receivingOf(meta, sizeBytes, offset)
    if (!begun.ok) return begun
    const receiving = begun.value
    if (receiving === undefined) return ok({ nextOffset: 0, complete: false })
    if (offset === receiving.nextOffset) {
      const written = await receiving.file.write(offset, bytes)
      if (!written.ok) return written
      receiving.nextOffset += bytes.length
    }
    if (receiving.nextOffset < sizeBytes) return ok({ nextOffset: receiving.nextOffset, complete: false })
    return this.#complete(receiving)
  }

  /** Ends what is under way, soon. */
  async stop(): Promise<void> {
    this.#stopped = true
    await this.#receiving?.file.close()
    this.#receiving = undefined
  }

  /** The snapshot that the chunk belongs to; undefined if that has not begun and this is not its first chunk. */
  async #receivingOf(
    meta: SnapshotMeta,
    sizeBytes: number,
    offset: number,
  ): Promise<Result<Receiving | undefined, DiskFailure>> {
    const present = this.#receiving
    if (present !== undefined && isSame(present.meta, meta) && present.sizeBytes === sizeBytes) return ok(present)
    // A late piece of another leader's snapshot does not end the transfer that is under way.
    if (offset !== 0) return ok(undefined)
    const dropped = present === undefined ? ok(undefined) : await this.#drop(present)
    if (!dropped.ok) return dropped
    const path = `${this.#directory}/${snapshotName(meta)}.part`
    const file = await this.#disk.open(path, 'create')
    if (!file.ok) return file
    const cut = await file.value.truncate(0)
    if (!cut.ok) return cut
    this.#receiving = { meta, sizeBytes, path, file: file.value, nextOffset: 0 }
    return ok(this.#receiving)
  }

  async #complete(receiving: Receiving): Promise<Result<Received, DiskFailure>> {
    const { file, meta, sizeBytes, path } = receiving
    const synced = await file.sync()
    if (!synced.ok) return synced
    const checked = await checkSnapshot(file)
    if (!checked.ok && !('offset' in checked.error)) return err(checked.error)
    if (!checked.ok || !isSame(checked.value.meta, meta) || checked.value.sizeBytes !== sizeBytes) {
      const damage = !checked.ok && 'what' in checked.error ? checked.error.what : 'it is another snapshot'
      const dropped = await this.#drop(receiving)
      return dropped.ok ? ok({ nextOffset: 0, complete: false, damage }) : dropped
    }
    const marked = await markReceived(file, checked.value)
    if (!marked.ok) return marked
    await file.close()
    this.#receiving = undefined
    const placed = await this.#place(path, { meta: checked.value.meta, sizeBytes, origin: { kind: 'received' } })
    return placed.ok ? ok({ nextOffset: sizeBytes, complete: true }) : placed
  }

  async #drop(receiving: Receiving): Promise<Result<undefined, DiskFailure>> {
    this.#receiving = undefined
    await receiving.file.close()
    return this.#disk.remove(receiving.path)
  }

  /** Gives a synced file its name, makes that durable, and only then lets older ones go. */
  async #place(aside: string, stored: StoredSnapshot): Promise<Result<undefined, DiskFailure>> {
    const renamed = await this.#disk.rename(aside, this.#pathOf(stored.meta))
    const durable = renamed.ok ? await this.#disk.syncDirectory(this.#directory) : renamed
    if (!durable.ok) return durable
    const others = this.#kept.filter(({ meta }) => !isSame(meta, stored.meta))
    const whole = [{ ...stored, isDamaged: false, unread: 0 }, ...others.filter(({ isDamaged }) => !isDamaged)]
    whole.sort((a, b) => b.meta.index - a.meta.index)
    this.#kept = whole.slice(0, keptMax)
    const gone = [...whole.slice(keptMax), ...others.filter(({ isDamaged }) => isDamaged)]
    return removeFiles(
      this.#disk,
      this.#directory,
      gone.map(({ meta }) => this.#pathOf(meta)),
    )
  }

  #find(meta: SnapshotMeta): Kept | undefined {
    return this.#kept.find((kept) => !kept.isDamaged && isSame(kept.meta, meta))
  }

  #pathOf(meta: Pick<SnapshotMeta, 'index' | 'term'>): string {
    return `${this.#directory}/${snapshotName(meta)}`
  }
}

function isSame(a: { readonly index: LogIndex; readonly term: number }, b: typeof a): boolean {
  return a.index === b.index && a.term === b.term
}
