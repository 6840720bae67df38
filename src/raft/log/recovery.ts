import { lastOf } from '../../base/items.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { Disk } from '../../env/disk.ts'
import { noIndex } from '../../model/log-position.ts'
import { type LogFailure, lossOf, type UnreadBytes } from './log-loss.ts'
import { diskTrouble, missingFiles, type RaftOpenFailure } from './open-failure.ts'
import type { ReplayedLog } from './replay.ts'
import { SegmentBytes } from './segment-bytes.ts'
import { type LogFormat, logFormats, segmentName, segmentOfName } from './segment-file.ts'
import { type FoundSegment, type LogTail, SegmentReading } from './segment-reading.ts'
import { type FoundMark, findMark, type Mark, watermarkName } from './watermark.ts'

export interface RecoveredLog {
  readonly log: ReplayedLog
  /** Oldest first, without a gap; at least one. */
  readonly segments: readonly FoundSegment[]
  readonly tail: LogTail
  /** Undefined: the log is from before watermarks. */
  readonly mark: FoundMark | undefined
  /** Files that are no longer needed: unfinished, or removed and present again after a crash. */
  readonly leftovers: readonly string[]
}

/**
 * Reads the log without changing anything. How bytes that differ from what was written are judged:
 * 1. A batch is written only when the one before it is synced, and is acknowledged only when it is synced itself. So at
 *    any crash at most the last batch was not durable, and any byte of that one may be lost, torn or kept, in any
 *    order.
 * 2. A segment gets its name by a rename after its header and its full size, in zeros, were synced, and its first batch
 *    is written after that name was synced. Its header states that size, and nothing is written beyond it. So an
 *    incomplete header is damage, and so is a file of another size: there is no doubt whether its end ever existed. A
 *    file without that name was never in use.
 * 3. A segment's header states with which batch, checksum and length the previous one ended. It was written when all of
 *    that was durable. So within that length anything wrong is damage. Nothing beyond it was acknowledged, except for
 *    the mark that the log continues, which exists only to distinguish a lost last segment from none (5).
 * 4. In the last segment, where a batch is wrong: if a later batch begins anywhere after it, at whatever offset, that
 *    one was written after the wrong one had been synced (1), so this is damage. A header contains its number and where
 *    it was written, under a checksum that begins with the segment's salt: a client's bytes do not look like one, and
 *    inserted or missing bytes do not hide one.
 * 5. If the last segment ends with the mark that the log continues, its successor existed, and is missing.
 *    If the previous segment has no such mark and the last one no batch, the last one was never used, and is left out:
 *    the sync of its name may have failed, and then no later sync makes the name durable (fsyncgate). For the same
 *    reason a log without any batch, which has no previous segment, is made again (`createLog`). If the disk does not
 *    remove the segment that is left out, the previous one goes on beyond the end that its header states.
 * 6. The remaining case: the very last batch is wrong, and nothing follows. It was torn before it was synced, or it was
 *    synced and has rotted since. It is cut, and this is logged. So that this loses nothing that was acknowledged, the
 *    log does not stay in that state: when it becomes idle, when it is closed and when it is opened, it adds an empty
 *    batch (a seal), after which 4 applies to everything before.
 * 7. Bytes that turned to zeros up to the end, or a whole file replaced by an earlier version, look like a log that
 *    never went further. Against that, the watermark, a file of its own, records how far the log was durable some time
 *    ago. A log that does not reach it, or reaches it with another checksum, is damaged. It exists before the first
 *    segment that states its size, so its absence is damage, too. It is written at most once a second, in parallel with
 *    the log and after what it describes was synced, so no write waits for it; at a seal it is written at once.
 * 8. So what can be lost silently is this: for a server that stopped without closing its log, the writes of the last
 *    second before (`sealAfterMs`, and the time of a sync), if exactly these, and nothing before them, were undone
 *    exactly or turned to zeros. Raft tolerates that in a minority of servers, and the leader logs it if it saw them
 *    acknowledged (core/replication.ts).
 * Segments of earlier releases grow with their content, and have no watermark: for them 2 and 7 do not apply. None of
 * them is written to any more; the log continues in a new one as soon as it is opened.
 */
export async function recoverLog(
  disk: Disk,
  directory: string,
  format: LogFormat = logFormats.segments,
): Promise<Result<RecoveredLog | undefined, LogFailure>> {
  const names = await disk.list(directory)
  if (!names.ok && names.error.kind === 'not-found') return ok(undefined)
  if (!names.ok) return err(diskTrouble(names.error))
  const numbers = names.value.flatMap((name) => segmentOfName(name) ?? []).sort((a, b) => a - b)
  const first = numbers.findLast((number, i) => numbers[i - 1] !== number - 1)
  const found = await findMark(disk, directory)
  // Nothing is known of a file that cannot be read: it may be whole.
  if (!found.ok && found.error.kind !== 'damaged-log') return found
  if (first === undefined) return found.ok ? withoutSegments(directory, found.value, format) : found
  const asides = names.value.filter((name) => name.endsWith('.tmp'))
  const run = numbers.filter((number) => number >= first)
  const before = numbers.filter((number) => number < first).map(segmentName)
  const segments = run.map((segment) => ({ segment, path: `${directory}/${segmentName(segment)}`, maxIndex: noIndex }))
  const read = await readSegments(disk, segments, format, found.ok ? found.value?.mark : undefined)
  if (!read.ok) return read
  const mark = found.ok ? markOf(directory, found.value, read.value.tail) : found
  if (!mark.ok) return err({ ...mark.error, loss: lossOf(read.value.log, undefined, [], format) })
  const { log, tail, unused } = read.value
  const used = segments.filter((found) => found !== unused)
  const leftovers = [...asides, ...before].map((name) => `${directory}/${name}`)
  if (unused !== undefined) leftovers.push(unused.path)
  return ok({ log, tail, segments: used, mark: mark.value, leftovers })
}

/** The first segment is created after the watermark, and before anything is durable. */
function withoutSegments(
  directory: string,
  found: FoundMark | undefined,
  format: LogFormat,
): Result<undefined, LogFailure> {
  if (found === undefined || found.mark.batch === 0) return ok(undefined)
  const what = `there is no segment, and ${found.mark.batch} batches were known to be durable`
  return err({ ...missingFiles(directory, what), loss: lossOf(undefined, found.mark, [], format) })
}

function markOf(
  directory: string,
  found: FoundMark | undefined,
  { allocatedBytes }: LogTail,
): Result<FoundMark | undefined, RaftOpenFailure> {
  const isMissing = found === undefined && allocatedBytes !== undefined
  return isMissing ? err(missingFiles(`${directory}/${watermarkName}`, 'it is missing beside the segments')) : ok(found)
}

async function readSegments(
  disk: Disk,
  segments: FoundSegment[],
  format: LogFormat,
  mark: Mark | undefined,
): Promise<Result<Pick<RecoveredLog, 'log' | 'tail'> & { readonly unused: FoundSegment | undefined }, LogFailure>> {
  let former: SegmentReading | undefined
  let reading: SegmentReading | undefined
  let unread: UnreadBytes[] = []
  for (const [i, found] of segments.entries()) {
    const bytes = await readWhole(disk, found.path)
    if (!bytes.ok) return bytes
    unread.push({ bytes: bytes.value, from: 0, number: undefined })
    const next: Result<SegmentReading, RaftOpenFailure> = SegmentReading.begin(found, bytes.value, format, reading?.log)
    if (next.ok && found === lastOf(segments) && reading?.hasLeftOut(next.value) === true) {
      former = reading
      reading = next.value
      break
    }
    const torn = next.ok ? reading?.endAt(next.value.header) : undefined
    const damage = next.ok ? (torn ?? next.value.readAll(mark)) : next.error
    if (next.ok && torn === undefined) {
      former = reading
      reading = next.value
      unread = [{ bytes: bytes.value, from: reading.end, number: reading.lastBatch + 1 }]
    }
    if (damage === undefined) continue
    return damaged(disk, damage, { before: reading?.log, mark, unread, format, rest: segments.slice(i + 1) })
  }
  const isUnused = isFollowedByUnused(former, reading as SegmentReading)
  const last = (isUnused ? former : reading) as SegmentReading
  const tail = last.finish(mark)
  if (tail.ok) return ok({ log: last.log, tail: tail.value, unused: isUnused ? segments.at(-1) : undefined })
  return damaged(disk, tail.error, { before: last.log, mark, unread, format, rest: [] })
}

/** The last segment got its name, and the one before does not say so yet. */
function isFollowedByUnused(before: SegmentReading | undefined, last: SegmentReading): boolean {
  return before !== undefined && !before.isContinued && last.isEmpty
}

interface Remains {
  readonly before: ReplayedLog | undefined
  readonly mark: Mark | undefined
  readonly unread: readonly UnreadBytes[]
  readonly format: LogFormat
  /** Segments that were not read yet. */
  readonly rest: readonly FoundSegment[]
}

/** Reads the remaining segments. If one cannot be read, it is unknown what is lost, so that nothing may be accepted. */
async function damaged(
  disk: Disk,
  failure: RaftOpenFailure,
  { before, mark, unread, format, rest }: Remains,
): Promise<Result<never, LogFailure>> {
  if (failure.kind !== 'damaged-log') return err(failure)
  const all = [...unread]
  for (const { path } of rest) {
    const bytes = await readWhole(disk, path)
    if (!bytes.ok) return bytes
    all.push({ bytes: bytes.value, from: 0, number: undefined })
  }
  return err({ ...failure, loss: lossOf(before, mark, all, format) })
}

async function readWhole(disk: Disk, path: string): Promise<Result<SegmentBytes, RaftOpenFailure>> {
  const file = await disk.open(path, 'read')
  if (!file.ok) return err(diskTrouble(file.error))
  const size = await file.value.size()
  const written = size.ok ? await file.value.readWritten(size.value) : size
  await file.value.close()
  if (!size.ok) return err(diskTrouble(size.error))
  return written.ok ? ok(new SegmentBytes(written.value, size.value)) : err(diskTrouble(written.error))
}
