import { concatBytes, equalBytes, utf8 } from '../../base/bytes.ts'
import { crc32c } from '../../base/crc32c.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { Disk, DiskFailure, DiskFile } from '../../env/disk.ts'
import type { LogIndex, Term } from '../../model/log-position.ts'
import { placeFile } from './disk-steps.ts'
import { readIndex, readTerm, readU48, u48Bytes, viewOf, writeU48 } from './fields.ts'
import { damagedAt, diskTrouble, type RaftOpenFailure } from './open-failure.ts'

/**
 * How far the log was known to be durable when this was written: a file beside the segments, with two places that are
 * written in turn, so that a torn write leaves the previous one. It is later than what it describes and needs no write
 * per sync: see recovery.ts, 7.
 */
export interface Mark {
  /** The last batch, its checksum, and the segment and offset of its end. */
  readonly batch: number
  readonly chain: number
  readonly segment: number
  readonly end: number
  /** The log after that batch. */
  readonly lastIndex: LogIndex
  readonly term: Term
  /** Index of the newest configuration in the log's entries as far as this process wrote or read them; 0: none. */
  readonly configurationIndex: LogIndex
}

export interface FoundMark {
  readonly mark: Mark
  /** Counts the writes; decides which place the next one uses. */
  readonly sequence: number
}

export const watermarkName = 'watermark'
const magic = utf8('svcmark\n')
/** Distance of the two places: never in one sector, nor in one page. */
const placeBytes = 4096
const numbers = 8
const markBytes = magic.length + numbers * u48Bytes + 4

function encodeMark({ mark, sequence }: FoundMark): Uint8Array {
  const bytes = new Uint8Array(markBytes)
  const view = viewOf(bytes)
  bytes.set(magic)
  const fields = [sequence, mark.batch, mark.chain, mark.segment, mark.end, mark.lastIndex, mark.term]
  for (const [i, value] of [...fields, mark.configurationIndex].entries()) {
    writeU48(view, magic.length + i * u48Bytes, value)
  }
  view.setUint32(markBytes - 4, crc32c(bytes.subarray(0, markBytes - 4)))
  return bytes
}

function readMark(bytes: Uint8Array): FoundMark | undefined {
  if (bytes.length < markBytes || !equalBytes(bytes.subarray(0, magic.length), magic)) return undefined
  const view = viewOf(bytes)
  if (view.getUint32(markBytes - 4) !== crc32c(bytes.subarray(0, markBytes - 4))) return undefined
  const place = (i: number): number => magic.length + i * u48Bytes
  const field = (i: number): number => readU48(view, place(i))
  const numbers = { batch: field(1), chain: field(2), segment: field(3), end: field(4) }
  const positions = { lastIndex: readIndex(view, place(5)), term: readTerm(view, place(6)) }
  return { sequence: field(0), mark: { ...numbers, ...positions, configurationIndex: readIndex(view, place(7)) } }
}

/** The directory's watermark; undefined: there is none. Changes nothing. */
export async function findMark(disk: Disk, directory: string): Promise<Result<FoundMark | undefined, RaftOpenFailure>> {
  const path = `${directory}/${watermarkName}`
  const file = await disk.open(path, 'read')
  if (!file.ok) return file.error.kind === 'not-found' ? ok(undefined) : err(diskTrouble(file.error))
  const bytes = await file.value.read(0, 2 * placeBytes)
  await file.value.close()
  if (!bytes.ok) return err(diskTrouble(bytes.error))
  const places = [0, placeBytes].map((at) => readMark(bytes.value.subarray(at, at + markBytes)))
  const newest = places.reduce((a, b) => ((b?.sequence ?? -1) > (a?.sequence ?? -1) ? b : a))
  return newest === undefined ? err(damagedAt(path, 0, 'neither of its two copies is whole')) : ok(newest)
}

/** Creates the watermark of a log that has none yet, durably: before the first segment that requires one. */
export function createWatermark(disk: Disk, directory: string, mark: Mark): Promise<Result<undefined, DiskFailure>> {
  const [even, odd] = [encodeMark({ mark, sequence: 0 }), encodeMark({ mark, sequence: 1 })]
  const padding = new Uint8Array(placeBytes - markBytes)
  return placeFile(disk, directory, watermarkName, concatBytes([even, padding, odd, padding]))
}

/** Writes marks, one at a time. */
export class Watermark {
  readonly #file: DiskFile
  #sequence: number
  #writing: Promise<Result<undefined, DiskFailure>> | undefined

  private constructor(file: DiskFile, sequence: number) {
    this.#file = file
    this.#sequence = sequence
  }

  static async open(disk: Disk, directory: string, found: FoundMark): Promise<Result<Watermark, DiskFailure>> {
    const file = await disk.open(`${directory}/${watermarkName}`, 'create')
    return file.ok ? ok(new Watermark(file.value, found.sequence)) : file
  }

  /** Durable when this succeeds; runs after the writes that were requested before, each in the other place. */
  async write(mark: Mark): Promise<Result<undefined, DiskFailure>> {
    do await this.#writing
    while (this.#writing !== undefined)
    const sequence = this.#sequence + 1
    this.#writing = this.#file.writeSynced((sequence % 2) * placeBytes, encodeMark({ mark, sequence }))
    const written = await this.#writing
    this.#writing = undefined
    if (written.ok) this.#sequence = sequence
    return written
  }

  async close(): Promise<void> {
    await this.#writing
    await this.#file.close()
  }
}
