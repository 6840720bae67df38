import { err, ok, type Result } from '../../../src/base/result.ts'
import type { DiskFile } from '../../../src/env/disk.ts'
import { CampaignLines, type CampaignReader } from '../../campaign/campaign-lines.ts'
import { unreadText } from '../files.ts'
import type { SimTerminal } from '../terminal.ts'
import { LineCutter } from '../trace/lines.ts'

const pieceBytes = 1 << 20

/** The content of a campaign's file, up to its last whole line. */
export interface ReadCampaign {
  /** Number of bytes of its whole lines: the rest was torn when the command that wrote it was stopped. */
  readonly wholeBytes: number
  readonly tornBytes: number
  /** It does not even have a manifest. */
  readonly isEmpty: boolean
}

/** Reads a file line by line, compressed or not; the error is one line. */
export async function readCampaign(
  { readPieces }: SimTerminal,
  file: string,
  reader: CampaignReader,
): Promise<Result<ReadCampaign, string>> {
  const reading = new Reading(file, reader)
  const read = await readPieces(file, async (piece) => reading.take(piece))
  if (!read.ok) return err(`${file}: ${unreadText(read.error, 'name the files of JSON lines in it')}`)
  return reading.end()
}

/** Reads the file that a command continues, as it is on the disk; undefined if it does not exist or is empty. */
export async function readForResume(
  { disk }: SimTerminal,
  file: string,
  reader: CampaignReader,
): Promise<Result<ReadCampaign | undefined, string>> {
  const opened = await disk.open(file, 'read')
  if (!opened.ok)
    return opened.error.kind === 'not-found' ? ok(undefined) : err(`${file}: cannot be read (${opened.error.kind})`)
  const reading = new Reading(file, reader)
  const problem = await readPiecesOf(opened.value, reading)
  await opened.value.close()
  if (problem !== undefined) return err(`${file}: cannot be read (${problem})`)
  const read = reading.end()
  return read.ok && read.value.isEmpty && read.value.tornBytes === 0 ? ok(undefined) : read
}

async function readPiecesOf(opened: DiskFile, reading: Reading): Promise<string | undefined> {
  for (let at = 0; ; at += pieceBytes) {
    const piece = await opened.read(at, pieceBytes)
    if (!piece.ok) return piece.error.kind
    if (piece.value.length === 0 || !reading.take(piece.value) || piece.value.length < pieceBytes) return undefined
  }
}

class Reading {
  readonly #file: string
  readonly #lines: CampaignLines
  readonly #cutter = new LineCutter()
  #bytes = 0
  #isTooLong = false

  constructor(file: string, reader: CampaignReader) {
    this.#file = file
    this.#lines = new CampaignLines(file, reader)
  }

  /** False: the rest need not be read. */
  take(piece: Uint8Array): boolean {
    this.#bytes += piece.length
    const lines = this.#cutter.push(piece)
    this.#isTooLong = lines === undefined
    return lines?.every((line) => this.#lines.line(line)) ?? false
  }

  end(): Result<ReadCampaign, string> {
    if (this.#lines.problem !== undefined) return err(this.#lines.problem)
    if (this.#isTooLong) return err(`${this.#file}: a line is longer than any that svc-sim explore writes`)
    const tornBytes = this.#cutter.heldBytes
    return ok({ wholeBytes: this.#bytes - tornBytes, tornBytes, isEmpty: this.#lines.manifest === undefined })
  }
}
