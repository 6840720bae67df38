import { ok, type Result } from '../../base/result.ts'
import type { Disk, DiskFailure, DiskFile } from '../../env/disk.ts'
import type { Env } from '../../env/env.ts'
import { batchBytesOf } from './batch.ts'
import { viewOf } from './fields.ts'
import { encodeSegmentHeader, type LogFormat, type SegmentHeader, segmentName } from './segment-file.ts'

/** Space that a segment reserves for the mark that the log continues in the next one. */
export const continuedBytes = batchBytesOf([{ kind: 'continued' }])
/** More than the length of a header can vary with the size in it. */
const headerSlackBytes = 8

export interface SegmentSize {
  readonly format: LogFormat
  /** The size of a segment, unless its first batch needs more. */
  readonly segmentBytes: number
  /** Space that the first batch needs. */
  readonly batchBytes: number
}

export interface PlacedSegment {
  /** Offset of the first batch. */
  readonly end: number
  readonly allocatedBytes: number
}

/**
 * Creates a segment in its full size, durably, and gives it its name (recovery.ts, 2). If the disk has no space for
 * that, it gets just what its first batch needs: many small segments are better than a server that accepts nothing.
 */
export async function placeSegment(
  disk: Disk,
  directory: string,
  header: Omit<SegmentHeader, 'allocatedBytes'>,
  { format, segmentBytes, batchBytes }: SegmentSize,
): Promise<Result<PlacedSegment, DiskFailure>> {
  const headBytes = encodeSegmentHeader({ ...header, allocatedBytes: segmentBytes }, format).length
  const leastBytes = headBytes + headerSlackBytes + batchBytes + continuedBytes
  const whole = await placeSized(
    disk,
    directory,
    { ...header, allocatedBytes: Math.max(segmentBytes, leastBytes) },
    format,
  )
  if (whole.ok || whole.error.kind !== 'full' || segmentBytes <= leastBytes) return whole
  return placeSized(disk, directory, { ...header, allocatedBytes: leastBytes }, format)
}

async function placeSized(
  disk: Disk,
  directory: string,
  header: SegmentHeader & { readonly allocatedBytes: number },
  format: LogFormat,
): Promise<Result<PlacedSegment, DiskFailure>> {
  const { allocatedBytes } = header
  const name = segmentName(header.segment)
  const aside = `${directory}/${name}.tmp`
  const bytes = encodeSegmentHeader(header, format)
  const file = await disk.open(aside, 'create')
  if (!file.ok) return file
  const made = await fill(file.value, bytes, allocatedBytes)
  await file.value.close()
  // The file would use space that others need.
  if (!made.ok && made.error.kind === 'full') await disk.remove(aside)
  if (!made.ok) return made
  const renamed = await disk.rename(aside, `${directory}/${name}`)
  const named = renamed.ok ? await disk.syncDirectory(directory) : renamed
  return named.ok ? ok({ end: bytes.length, allocatedBytes }) : named
}

async function fill(file: DiskFile, head: Uint8Array, sizeBytes: number): Promise<Result<undefined, DiskFailure>> {
  const cut = await file.truncate(0)
  const written = cut.ok ? await file.write(0, head) : cut
  const allocated = written.ok ? await file.allocate(sizeBytes) : written
  return allocated.ok ? file.sync() : allocated
}

/** A new segment's salt: the checksums of its batches begin with it. */
export function drawSalt(env: Pick<Env, 'crypto'>): number {
  return viewOf(env.crypto.randomBytes(4, 'log salt')).getUint32(0)
}
