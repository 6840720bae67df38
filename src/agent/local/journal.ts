import { emptyBytes } from '../../base/bytes.ts'
import { done, ok, type Result } from '../../base/result.ts'
import type { Disk, DiskFailure, DiskFile } from '../../env/disk.ts'
import { openNew, removeAside, writeWholeFile } from '../boot/whole-file.ts'
import { type FramesRead, frameOf, readFrames } from './journal-frames.ts'

type Written = Promise<Result<undefined, DiskFailure>>

/** A file that exceeds this size, and twice the size of its live content, is rewritten. */
const bytesMin = 1 << 20
/** Maximum size of a file that is read: the agent never wrote a larger one. */
const fileBytesMax = 0x7fff_ffff

/** The live content: its size, and its texts in UTF-8, in order, one for each frame. */
export interface Whole {
  readonly bytes: number
  readonly texts: Iterable<Uint8Array>
}

/**
 * A file that grows by one frame for each write, and is rewritten as a new file when much of it is obsolete. A write is
 * durable when it completes. After a failed write the content of the file is not known, so the next write begins a new
 * file: a failed sync is never retried. So does the first write of a process: the one before may have been killed while
 * it wrote, or before the file's name was durable, and what is appended to such a file would be lost with it.
 */
export class Journal {
  readonly #disk: Disk
  readonly #directory: string
  readonly #name: string
  #file: DiskFile | undefined
  /** Position after the last frame. */
  #endsAt = 0
  #number = 0
  /** Whether this process wrote the file, and its content and its name are durable: frames may be appended. */
  #isWhole = false

  constructor(disk: Disk, directory: string, name: string) {
    this.#disk = disk
    this.#directory = directory
    this.#name = name
  }

  get path(): string {
    return `${this.#directory}/${this.#name}`
  }

  /** Reads the file; a missing file counts as empty. */
  async read(): Promise<Result<FramesRead, DiskFailure>> {
    const file = await this.#disk.open(this.path, 'read')
    // The first write creates the file and makes its name durable.
    if (!file.ok) return file.error.kind === 'not-found' ? ok(readFrames(emptyBytes)) : file
    const bytes = await file.value.read(0, fileBytesMax)
    await file.value.close()
    if (!bytes.ok) return bytes
    return ok(readFrames(bytes.value))
  }

  /**
   * Copies the file for people to examine, because the next writes remove bytes that are no frames. Replaces the copy
   * before it.
   */
  async keepAside(): Promise<Result<string, DiskFailure>> {
    const file = await this.#disk.open(this.path, 'read')
    if (!file.ok) return file
    const bytes = await file.value.read(0, fileBytesMax)
    await file.value.close()
    if (!bytes.ok) return bytes
    const name = `${this.#name}.damaged`
    const written = await writeWholeFile(this.#disk, this.#directory, name, bytes.value, 'new')
    return written.ok ? ok(`${this.#directory}/${name}`) : written
  }

  /** Callers add one text at a time. `whole` is the live content before this text, for a rewrite of the file. */
  async add(text: Uint8Array, whole: Whole): Written {
    const frame = frameOf(this.#number + 1, text)
    const file = this.#file
    if (file === undefined || !this.#isWhole || this.#endsAt + frame.length > Math.max(bytesMin, 2 * whole.bytes)) {
      return this.writeAnew(whole, text)
    }
    const written = await file.writeThrough(this.#endsAt, frame)
    if (written.ok) {
      this.#endsAt += frame.length
      this.#number++
      return written
    }
    // Cuts off what was written of the frame, because the next start would read it. Only after "no space left" is it
    // known that none of it was synced.
    const cut = await file.truncate(this.#endsAt)
    if (!cut.ok || written.error.kind !== 'full') this.#isWhole = false
    return written
  }

  /**
   * Writes a new file, syncs it and renames it, so that a crash leaves either the old content or all of the new. Each
   * text becomes a frame, numbered from the start.
   */
  async writeAnew({ texts }: Whole, last?: Uint8Array): Written {
    const aside = `${this.#name}.tmp`
    const file = await openNew(this.#disk, `${this.#directory}/${aside}`)
    if (!file.ok) return file
    let [number, at] = [0, 0]
    const put = async (text: Uint8Array): Written => {
      const frame = frameOf(++number, text)
      const written = await file.value.write(at, frame)
      at += frame.length
      return written
    }
    let written: Result<undefined, DiskFailure> = done
    for (const text of texts) if (written.ok) written = await put(text)
    if (written.ok && last !== undefined) written = await put(last)
    if (written.ok) written = await file.value.sync()
    if (written.ok) written = await this.#disk.rename(`${this.#directory}/${aside}`, this.path)
    if (!written.ok) {
      await file.value.close()
      await removeAside(this.#disk, `${this.#directory}/${aside}`)
      return written
    }
    this.#isWhole = false
    await this.#file?.close()
    this.#file = file.value
    const named = await this.#disk.syncDirectory(this.#directory)
    if (named.ok) {
      this.#isWhole = true
      this.#endsAt = at
      this.#number = number
    }
    return named
  }

  async close(): Promise<void> {
    this.#isWhole = false
    await this.#file?.close()
    this.#file = undefined
  }
}
