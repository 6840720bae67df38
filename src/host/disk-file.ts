import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { concatBytes } from '../base/bytes.ts'
import { done, ok, type Result } from '../base/result.ts'
import { lengthWithoutZeros } from '../base/trailing-zeros.ts'
import type { DiskFailure, DiskFile } from '../env/disk.ts'
import { plainBytes } from '../native/plain-bytes.ts'
import { attempt, failedSync, isWithoutRoom } from './disk-failure.ts'

/** A longer read first checks the file's size, before memory for it is allocated. */
const trustedReadBytes = 1 << 20

const pieceBytes = 64 << 10

/** Read at a time while the end of what was written is looked for. */
const searchedBytes = 256 << 10

/** Zeros for extending a file, a piece at a time. */
const zeros = new Uint8Array(256 << 10)

export class HostDiskFile implements DiskFile {
  readonly #handle: FileHandle
  readonly #path: string
  readonly #mayWrite: boolean
  /** The same file, opened so that each write is durable when it ends; undefined where the system cannot do that. */
  #through: Promise<FileHandle | undefined> | undefined
  #closing: Promise<void> | undefined

  constructor(handle: FileHandle, path: string, mayWrite: boolean) {
    this.#handle = handle
    this.#path = path
    this.#mayWrite = mayWrite
  }

  read(at: number, length: number): Promise<Result<Uint8Array, DiskFailure>> {
    return attempt(this.#path, async () => {
      const status = at === 0 || length > trustedReadBytes ? await this.#handle.stat() : undefined
      const isFile = status?.isFile() !== false
      if (at === 0 && (!isFile || status?.size === 0)) return ok(await this.#streamed(length, isFile))
      const wanted = length <= trustedReadBytes ? length : Math.min(length, Math.max(0, (status?.size ?? 0) - at))
      return ok(await this.#filled(new Uint8Array(wanted), at))
    })
  }

  readWritten(length: number): Promise<Result<Uint8Array, DiskFailure>> {
    return attempt(this.#path, async () => {
      const end = await this.#writtenEnd(Math.min(length, await this.#bytes()))
      return ok(await this.#filled(new Uint8Array(end), 0))
    })
  }

  /** The end of the last byte before `end` that is not zero, looked for from behind. */
  async #writtenEnd(end: number): Promise<number> {
    const piece = new Uint8Array(Math.min(end, searchedBytes))
    for (let to = end; to > 0; to -= piece.length) {
      const from = Math.max(0, to - piece.length)
      const written = lengthWithoutZeros(await this.#filled(piece.subarray(0, to - from), from))
      if (written > 0) return from + written
    }
    return 0
  }

  /** The bytes from offset `at`, of which there may be fewer than there is room for. */
  async #filled(bytes: Uint8Array, at: number): Promise<Uint8Array> {
    let filled = 0
    while (filled < bytes.length) {
      const { bytesRead } = await this.#handle.read(bytes, filled, bytes.length - filled, at + filled)
      if (bytesRead === 0) break
      filled += bytesRead
    }
    return filled === bytes.length ? bytes : plainBytes(bytes.subarray(0, filled))
  }

  /**
   * Reads what does not tell its size: a file that the system makes as it is read, such as `/proc/version`, and a pipe or
   * a terminal, such as `/dev/stdin`, which has no positions either.
   */
  async #streamed(length: number, hasPositions: boolean): Promise<Uint8Array> {
    const pieces: Uint8Array[] = []
    let filled = 0
    while (filled < length) {
      const piece = new Uint8Array(Math.min(pieceBytes, length - filled))
      const { bytesRead } = await this.#handle.read(piece, 0, piece.length, hasPositions ? filled : null)
      if (bytesRead === 0) break
      pieces.push(piece.subarray(0, bytesRead))
      filled += bytesRead
    }
    return concatBytes(pieces)
  }

  write(at: number, bytes: Uint8Array): Promise<Result<undefined, DiskFailure>> {
    return attempt(this.#path, () => writeAll(this.#handle, at, bytes))
  }

  sync(): Promise<Result<undefined, DiskFailure>> {
    return attempt(this.#path, () => this.#sync())
  }

  writeSynced(at: number, bytes: Uint8Array): Promise<Result<undefined, DiskFailure>> {
    return attempt(this.#path, async () => {
      await writeAll(this.#handle, at, bytes)
      return this.#sync()
    })
  }

  /**
   * One call to the system (O_DSYNC) instead of two, and one hop between threads instead of two. When it reports that
   * there is no room, it does not say whether that was found before anything was written, after which the caller may
   * try again, or by the sync. So the two steps follow one by one:
   * 1. If the write finds no room either, nothing that counts has been written: the failure is that of a write.
   * 2. If it finds room, it has written all bytes anew, so that the sync after it writes them, too. (A failed sync may
   *    leave pages that count as written and are not. Here these can only be pages of these very bytes: everything
   *    before them was durable already.)
   */
  async writeThrough(at: number, bytes: Uint8Array): Promise<Result<undefined, DiskFailure>> {
    this.#through ??= this.#openThrough()
    const through = await this.#through
    if (through === undefined) return this.writeSynced(at, bytes)
    try {
      return await writeAll(through, at, bytes)
    } catch (cause) {
      return isWithoutRoom(cause) ? this.writeSynced(at, bytes) : failedSync(this.#path, cause)
    }
  }

  /** By its descriptor, because the file may have another name by now. A file that was opened to be read stays so. */
  async #openThrough(): Promise<FileHandle | undefined> {
    if (this.#closing !== undefined || !this.#mayWrite) return undefined
    try {
      return await open(`/proc/self/fd/${this.#handle.fd}`, constants.O_WRONLY | constants.O_DSYNC)
    } catch {
      // Without /proc, as on other systems than Linux, or without a free descriptor: two steps are as durable as one.
      return undefined
    }
  }

  truncate(sizeBytes: number): Promise<Result<undefined, DiskFailure>> {
    return attempt(this.#path, async () => {
      await this.#handle.truncate(sizeBytes)
      return done
    })
  }

  /** Writes zeros: Node has no `fallocate`, and a hole would take its space, and a size to sync, later. */
  allocate(sizeBytes: number): Promise<Result<undefined, DiskFailure>> {
    return attempt(this.#path, async () => {
      for (let at = await this.#bytes(); at < sizeBytes; at += zeros.length) {
        await writeAll(this.#handle, at, zeros.subarray(0, Math.min(zeros.length, sizeBytes - at)))
      }
      return done
    })
  }

  size(): Promise<Result<number, DiskFailure>> {
    return attempt(this.#path, async () => ok(await this.#bytes()))
  }

  close(): Promise<void> {
    // Everything that must be durable was synced, so a failure to close has no consequence.
    this.#closing ??= this.#close().catch(() => undefined)
    return this.#closing
  }

  async #close(): Promise<void> {
    const through = await this.#through
    await Promise.all([through?.close(), this.#handle.close()])
  }

  async #sync(): Promise<Result<undefined, DiskFailure>> {
    // fdatasync: also writes the size if it changed, and skips the timestamps, which are not needed.
    try {
      await this.#handle.datasync()
      return done
    } catch (cause) {
      return failedSync(this.#path, cause)
    }
  }

  async #bytes(): Promise<number> {
    return (await this.#handle.stat()).size
  }
}

async function writeAll(handle: FileHandle, at: number, bytes: Uint8Array): Promise<Result<undefined, DiskFailure>> {
  let written = 0
  while (written < bytes.length) {
    const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, at + written)
    written += bytesWritten
  }
  return done
}
