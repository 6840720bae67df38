import { emptyBytes, utf8 } from '../../base/bytes.ts'
import { done, ok, type Result } from '../../base/result.ts'
import type { Disk, DiskFailure, DiskFile } from '../../env/disk.ts'
import { openNew, writeWholeFile } from '../whole-file.ts'
import { type FramesRead, frameOf, readFrames } from './journal-frames.ts'

type Written = Promise<Result<undefined, DiskFailure>>

/** A file that has grown beyond this, and beyond twice what is worth keeping of it, is written anew. */
const bytesMin = 1 << 20
/** More than this is not read: a larger file is not one of ours. */
const fileBytesMax = 0x7fff_ffff

/** What is kept now: its size, and its texts in order, a frame for each. */
export interface Whole {
  readonly bytes: number
  readonly texts: Iterable<string>
}

/**
 * One file that grows by a frame for each write, and is written anew, aside, when much of it is out of date. Every write has
 * reached the disk when it is done. After one that failed it is not known what the file holds, so the next begins a new one:
 * a sync that failed is never tried again.
 */
export class Journal {
  readonly #disk: Disk
  readonly #directory: string
  readonly #name: string
  #file: DiskFile | undefined
  /** Behind the last whole frame. */
  #endsAt = 0
  #number = 0
  /** What is on the disk can be gone on from. */
  #isWhole = false

  constructor(disk: Disk, directory: string, name: string) {
    this.#disk = disk
    this.#directory = directory
    this.#name = name
  }

  get path(): string {
    return `${this.#directory}/${this.#name}`
  }

  /** What there is; a file that is not there is empty. */
  async read(): Promise<Result<FramesRead, DiskFailure>> {
    const file = await this.#disk.open(this.path, 'read')
    // Its first write makes it, and its name lasting.
    if (!file.ok) return file.error.kind === 'not-found' ? ok(readFrames(emptyBytes)) : file
    const bytes = await file.value.read(0, fileBytesMax)
    await file.value.close()
    if (!bytes.ok) return bytes
    const found = readFrames(bytes.value)
    this.#endsAt = found.endsAt
    this.#number = found.frames.at(-1)?.number ?? 0
    this.#isWhole = true
    return ok(found)
  }

  /** Copies the file as it is, for people: the next writes take away what is no record. The copy before this one goes. */
  async keepAside(): Promise<Result<string, DiskFailure>> {
    const file = await this.#disk.open(this.path, 'read')
    if (!file.ok) return file
    const bytes = await file.value.read(0, fileBytesMax)
    await file.value.close()
    if (!bytes.ok) return bytes
    const name = `${this.#name}.damaged`
    const written = await writeWholeFile(this.#disk, this.#directory, name, bytes.value, true)
    return written.ok ? ok(`${this.#directory}/${name}`) : written
  }

  /** One at a time. `whole`: what is kept before this, for a file that is to be written anew. */
  async add(text: string, whole: Whole): Written {
    const frame = frameOf(this.#number + 1, utf8(text))
    if (!this.#isWhole || this.#endsAt + frame.length > Math.max(bytesMin, 2 * whole.bytes)) {
      return this.writeAnew(whole, text)
    }
    const file = await this.#opened()
    if (!file.ok) return file
    const written = await file.value.writeSynced(this.#endsAt, frame)
    if (written.ok) {
      this.#endsAt += frame.length
      this.#number++
      return written
    }
    // What was written of it goes, for it would be there at the next start. Only where there was no room is it known that
    // nothing of it was synced.
    const cut = await file.value.truncate(this.#endsAt)
    if (!cut.ok || written.error.kind !== 'full') this.#isWhole = false
    return written
  }

  /** Written aside, synced, renamed: what was there before, or all of this. A frame for each text, numbered anew. */
  async writeAnew({ texts }: Whole, last?: string): Written {
    const aside = `${this.#name}.tmp`
    const file = await openNew(this.#disk, `${this.#directory}/${aside}`)
    if (!file.ok) return file
    let [number, at] = [0, 0]
    const put = async (text: string): Written => {
      const frame = frameOf(++number, utf8(text))
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

  /** Without what a write that was not finished left behind its end. */
  async #opened(): Promise<Result<DiskFile, DiskFailure>> {
    if (this.#file !== undefined) return ok(this.#file)
    const file = await this.#disk.open(this.path, 'create')
    if (!file.ok) return file
    const cut = await file.value.truncate(this.#endsAt)
    if (!cut.ok) {
      await file.value.close()
      return cut
    }
    this.#file = file.value
    return file
  }
}
