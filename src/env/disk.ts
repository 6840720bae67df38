import type { Result } from '../base/result.ts'

export type DiskFailureKind =
  | 'not-found'
  | 'exists'
  | 'permission'
  | 'full'
  | 'not-directory'
  | 'is-directory'
  | 'locked'
  /**
   * The process, or the system, has no file descriptor left: nothing was opened and nothing has changed. It may succeed
   * as soon as other files or connections are closed.
   */
  | 'no-descriptor'
  | 'io'

export interface DiskFailure {
  readonly kind: DiskFailureKind
  readonly path: string
  /** The operating system's own words, for people. Never part of a decision. */
  readonly message: string
}

/** The readers of a new file: its owner alone, which is the default, or every user of the machine. */
export type Readers = 'owner' | 'everybody'

/**
 * Files, where each step to durability is a call of its own. After a power cut:
 * 1. bytes written and synced stay;
 * 2. bytes written and not synced may stay, be lost, or be torn at any byte;
 * 3. a new name (create, rename) or a removed one stays only after `syncDirectory` of its directory; before that,
 *    either state may be found, but a rename is never half done;
 * 4. syncing a file does not sync its name.
 * A failed `sync` says nothing about what is on the disk: never retry it, but stop (fsyncgate). It fails with `io` for
 * every reason, even if only the sync found the disk full, because `full` promises that nothing was synced, so that a
 * caller may continue.
 */
export interface Disk {
  /**
   * `create`: opens or makes the file. `create-new`: fails with `exists` if there is one. `read`: must exist, read
   * only.
   */
  open(path: string, mode: 'read' | 'create' | 'create-new', readers?: Readers): Promise<Result<DiskFile, DiskFailure>>
  /** Names in the directory, sorted. */
  list(path: string): Promise<Result<readonly string[], DiskFailure>>
  /** Makes the directory and those above it; one that exists is fine. */
  makeDirectory(path: string): Promise<Result<undefined, DiskFailure>>
  syncDirectory(path: string): Promise<Result<undefined, DiskFailure>>
  /** Replaces `to` if it exists, in one step. Both in the same directory. */
  rename(from: string, to: string): Promise<Result<undefined, DiskFailure>>
  remove(path: string): Promise<Result<undefined, DiskFailure>>
  stat(path: string): Promise<Result<DiskEntry, DiskFailure>>
  /** The absolute path of the file or directory that `path` leads to, without symbolic links, `.` and `..`. */
  realPath(path: string): Promise<Result<string, DiskFailure>>
  /**
   * Takes the file at `path` as a lock for this process, until it ends or calls `close`. `locked` when another live
   * process holds it; a lock whose holder died is free.
   */
  lock(path: string): Promise<Result<{ close(): Promise<void> }, DiskFailure>>
}

export interface DiskEntry {
  readonly kind: 'file' | 'directory' | 'other'
  readonly sizeBytes: number
  /** Present where each user of the machine may read it; absent: not all may, or the platform has no users. */
  readonly readers?: Readers
}

export interface DiskFile {
  /** At most `length` bytes from offset `at`; fewer only at the end of the file. */
  read(at: number, length: number): Promise<Result<Uint8Array, DiskFailure>>
  /**
   * What `read(0, length)` of a regular file gives, without the zeros at its end. A file that was allocated beforehand
   * ends in megabytes of zeros, whose memory the system would have to clear page by page.
   */
  readWritten(length: number): Promise<Result<Uint8Array, DiskFailure>>
  /** All of `bytes` at offset `at`, or a failure that may have written a part. */
  write(at: number, bytes: Uint8Array): Promise<Result<undefined, DiskFailure>>
  sync(): Promise<Result<undefined, DiskFailure>>
  /** `write`, and `sync` when that succeeded, in one step of the caller's. */
  writeSynced(at: number, bytes: Uint8Array): Promise<Result<undefined, DiskFailure>>
  /**
   * `writeSynced` for a file of which everything before `at` is durable: only these bytes are made durable, which a disk
   * can do in one step instead of two. A log is written like this.
   */
  writeThrough(at: number, bytes: Uint8Array): Promise<Result<undefined, DiskFailure>>
  truncate(sizeBytes: number): Promise<Result<undefined, DiskFailure>>
  /**
   * Makes the file at least `sizeBytes` long. The added part reads as zeros and has its room on the disk: a later write
   * there leaves the size as it is, and finds room, except on a disk that never overwrites in place (copy on write).
   * Durable as a write is: by `sync`. A failure may have made it longer by a part.
   */
  allocate(sizeBytes: number): Promise<Result<undefined, DiskFailure>>
  size(): Promise<Result<number, DiskFailure>>
  close(): Promise<void>
}
