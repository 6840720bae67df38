import { lastOf } from '../../base/items.ts'
import { done, ok, type Result } from '../../base/result.ts'
import type { Disk, DiskFailure, DiskFile } from '../../env/disk.ts'
import type { Env } from '../../env/env.ts'
import { noIndex, noTerm } from '../../model/log-position.ts'
import { removeUnneeded } from './disk-steps.ts'
import { drawSalt, placeSegment, type SegmentSize } from './new-segment.ts'
import type { RecoveredLog } from './recovery.ts'
import type { SegmentHeader } from './segment-file.ts'
import type { LogTail } from './segment-reading.ts'
import { createWatermark, type FoundMark, type Mark, Watermark } from './watermark.ts'

/** The files of a log that continues. */
export interface OpenFiles {
  /** The file of the newest segment. */
  readonly file: DiskFile
  readonly watermark: Watermark
  readonly mark: Mark
  /** Why files that are not needed are still there. */
  readonly refused: DiskFailure | undefined
}

/**
 * Creates the watermark and the first segment of a new log, which may continue from the content of another one. It
 * replaces one without any batch, whose name may not be durable.
 */
export async function createLog(
  env: Pick<Env, 'disk' | 'crypto'>,
  directory: string,
  { format, segmentBytes }: Pick<SegmentSize, 'format' | 'segmentBytes'>,
  from: Pick<SegmentHeader, 'hardState' | 'lastIndex'> = {
    hardState: { term: noTerm, votedFor: undefined },
    lastIndex: noIndex,
  },
): Promise<Result<undefined, DiskFailure>> {
  const { hardState, lastIndex } = from
  const { term } = hardState
  const none = { batch: 0, chain: 0, segment: 1, end: 0, lastIndex, term, configurationIndex: noIndex }
  const marked = await createWatermark(env.disk, directory, none)
  if (!marked.ok) return marked
  const header = { segment: 1, salt: drawSalt(env), lastBatch: 0, chain: 0, endOfPrevious: 0, ...from }
  const placed = await placeSegment(env.disk, directory, header, { format, segmentBytes, batchBytes: 0 })
  return placed.ok ? done : placed
}

/**
 * Opens what was recovered, and makes durable what no sync vouched for: `SegmentedLog.open` has the list. Remains of a
 * torn batch are gone after that.
 */
export async function openFiles(
  disk: Disk,
  directory: string,
  recovered: RecoveredLog,
): Promise<Result<OpenFiles, DiskFailure>> {
  const { tail, segments } = recovered
  const synced = await disk.syncDirectory(directory)
  const cleared = synced.ok ? await removeUnneeded(disk, directory, recovered.leftovers) : synced
  if (!cleared.ok) return cleared
  const file = await disk.open(lastOf(segments).path, 'create')
  if (!file.ok) return file
  const settled = await settle(file.value, tail)
  const files = settled.ok ? await withWatermark(disk, directory, recovered, file.value) : settled
  if (files.ok) return ok({ ...files.value, refused: cleared.value.refused })
  await file.value.close()
  return files
}

async function withWatermark(
  disk: Disk,
  directory: string,
  recovered: RecoveredLog,
  file: DiskFile,
): Promise<Result<Omit<OpenFiles, 'refused'>, DiskFailure>> {
  const found = await markToGoOnFrom(disk, directory, recovered)
  if (!found.ok) return found
  const watermark = await Watermark.open(disk, directory, found.value)
  return watermark.ok ? ok({ file, watermark: watermark.value, mark: found.value.mark }) : watermark
}

/** Makes the end of the newest segment durable as it was read. */
async function settle(file: DiskFile, tail: LogTail): Promise<Result<undefined, DiskFailure>> {
  const { end, tornBytes, lastBatchBytes } = tail
  const cut = tornBytes === 0 ? done : await cutTorn(file, tail)
  const again = cut.ok ? await file.write(end - lastBatchBytes.length, lastBatchBytes) : cut
  return again.ok ? file.sync() : again
}

/** A file that was allocated keeps its size. */
function cutTorn(file: DiskFile, { end, tornBytes, allocatedBytes }: LogTail): Promise<Result<undefined, DiskFailure>> {
  return allocatedBytes === undefined ? file.truncate(end) : file.write(end, new Uint8Array(tornBytes))
}

/** A log without a watermark gets one, before the first segment that requires one. */
async function markToGoOnFrom(
  disk: Disk,
  directory: string,
  { mark, tail, log, segments }: RecoveredLog,
): Promise<Result<FoundMark, DiskFailure>> {
  const configurationIndex = log.entries.findLast(({ kind }) => kind === 'configuration')?.index
  const present: Mark = {
    batch: tail.lastBatch,
    chain: tail.chain,
    segment: lastOf(segments).segment,
    end: tail.end,
    lastIndex: log.lastIndex,
    term: log.hardState.term,
    configurationIndex: configurationIndex ?? noIndex,
  }
  if (mark !== undefined) return ok({ mark: present, sequence: mark.sequence })
  const created = await createWatermark(disk, directory, present)
  return created.ok ? ok({ mark: present, sequence: 1 }) : created
}
