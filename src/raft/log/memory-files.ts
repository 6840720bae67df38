import { done, err, ok, type Result } from '../../base/result.ts'
import { lengthWithoutZeros } from '../../base/trailing-zeros.ts'
import type { Disk, DiskFailure, DiskFile } from '../../env/disk.ts'
import { noIndex } from '../../model/log-position.ts'
import type { DurableLog, LogChange, LogListener } from './durable-log.ts'

/** The disk operations that snapshots need. */
export type SnapshotDisk = Pick<Disk, 'open' | 'list' | 'rename' | 'remove' | 'syncDirectory'>

/** Files of an agent without a data directory: in memory, in one directory whatever the path. */
export class MemoryFiles implements SnapshotDisk {
  readonly #files = new Map<string, MemoryFile>()

  async open(path: string, mode: 'read' | 'create' | 'create-new'): Promise<Result<DiskFile, DiskFailure>> {
    const found = this.#files.get(path)
    if (found !== undefined) return mode === 'create-new' ? failed('exists', path) : ok(found)
    if (mode === 'read') return failed('not-found', path)
    const file = new MemoryFile()
    this.#files.set(path, file)
    return ok(file)
  }

  async list(): Promise<Result<readonly string[], DiskFailure>> {
    return ok([])
  }

  async rename(from: string, to: string): Promise<Result<undefined, DiskFailure>> {
    const file = this.#files.get(from)
    if (file === undefined) return failed('not-found', from)
    this.#files.delete(from)
    this.#files.set(to, file)
    return done
  }

  async remove(path: string): Promise<Result<undefined, DiskFailure>> {
    return this.#files.delete(path) ? done : failed('not-found', path)
  }

  async syncDirectory(): Promise<Result<undefined, DiskFailure>> {
    return done
  }
}

/** Pieces instead of one array that grows: a state of gigabytes is never copied, and takes no more than its size. */
const pieceBytes = 1 << 20

class MemoryFile implements DiskFile {
  readonly #pieces: Uint8Array[] = []
  #size = 0

  async read(at: number, length: number): Promise<Result<Uint8Array, DiskFailure>> {
    const bytes = new Uint8Array(Math.max(0, Math.min(at + length, this.#size) - at))
    this.#each(at, bytes.length, (piece, from, done) =>
      bytes.set(piece.subarray(from, from + bytes.length - done), done),
    )
    return ok(bytes)
  }

  async readWritten(length: number): Promise<Result<Uint8Array, DiskFailure>> {
    const all = await this.read(0, length)
    return all.ok ? ok(all.value.subarray(0, lengthWithoutZeros(all.value))) : all
  }

  async write(at: number, bytes: Uint8Array): Promise<Result<undefined, DiskFailure>> {
    const end = at + bytes.length
    this.#provide(end)
    this.#each(at, bytes.length, (piece, from, done) => piece.set(bytes.subarray(done, done + pieceBytes - from), from))
    this.#size = Math.max(this.#size, end)
    return done
  }

  #provide(sizeBytes: number): void {
    while (this.#pieces.length * pieceBytes < sizeBytes) this.#pieces.push(new Uint8Array(pieceBytes))
  }

  /** Calls back for each piece of this range, with the place in it and the number of bytes before it. */
  #each(at: number, length: number, take: (piece: Uint8Array, from: number, done: number) => void): void {
    let done = 0
    for (const piece of this.#pieces.slice(Math.floor(at / pieceBytes), Math.ceil((at + length) / pieceBytes))) {
      const from = (at + done) % pieceBytes
      take(piece, from, done)
      done += pieceBytes - from
    }
  }

  async sync(): Promise<Result<undefined, DiskFailure>> {
    return done
  }

  writeSynced(at: number, bytes: Uint8Array): Promise<Result<undefined, DiskFailure>> {
    return this.write(at, bytes)
  }

  writeThrough(at: number, bytes: Uint8Array): Promise<Result<undefined, DiskFailure>> {
    return this.write(at, bytes)
  }

  async truncate(sizeBytes: number): Promise<Result<undefined, DiskFailure>> {
    this.#provide(sizeBytes)
    this.#pieces.length = Math.ceil(sizeBytes / pieceBytes)
    // What is written behind the end later finds zeros before it, as in a file.
    this.#pieces.at(-1)?.fill(0, sizeBytes - (this.#pieces.length - 1) * pieceBytes)
    this.#size = sizeBytes
    return done
  }

  async allocate(sizeBytes: number): Promise<Result<undefined, DiskFailure>> {
    if (sizeBytes <= this.#size) return done
    return this.write(this.#size, new Uint8Array(sizeBytes - this.#size))
  }

  async size(): Promise<Result<number, DiskFailure>> {
    return ok(this.#size)
  }

  async close(): Promise<void> {}
}

function failed(kind: 'not-found' | 'exists', path: string): Result<never, DiskFailure> {
  return err({ kind, path, message: kind === 'exists' ? 'it exists' : 'there is no such file' })
}

/** The log of an agent that stores nothing: every change counts as durable. The core has its content. */
export class MemoryLog implements DurableLog {
  #waiting: (() => void)[] = []
  readonly #listener: Pick<LogListener, 'batchDurable'>
  readonly pendingBytes = 0
  readonly durableIndex = noIndex
  readonly isFull = false

  constructor(listener: Pick<LogListener, 'batchDurable'>) {
    this.#listener = listener
  }

  write(_change: LogChange, durable: () => void): void {
    this.#waiting.push(durable)
  }

  flush(): void {
    const waiting = this.#waiting
    if (waiting.length === 0) return
    this.#waiting = []
    for (const durable of waiting) durable()
    this.#listener.batchDurable()
  }

  compact(): void {}

  async close(): Promise<void> {
    this.flush()
  }
}
