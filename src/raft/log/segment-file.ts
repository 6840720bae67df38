import { concatBytes, equalBytes, utf8 } from '../../base/bytes.ts'
import { crc32c } from '../../base/crc32c.ts'
import { pack, unpack } from '../../base/msgpack.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { isList } from '../../base/shape.ts'
import { isCount, isLogIndex, isTerm, type LogIndex } from '../../model/log-position.ts'
import type { HardState } from '../core/types.ts'
import { viewOf } from './fields.ts'

/**
 * Versions of the log's files: in `mdb`, through release 0.5.0, and since. `growing`: the file is as long as its
 * content, so a missing end cannot be detected; it is read, and never created any more. `allocated`: it has its full
 * size from the start, and states it.
 */
export const logFormats = { mdb: { growing: 0, allocated: 3 }, segments: { growing: 1, allocated: 2 } } as const

export type LogFormat = (typeof logFormats)[keyof typeof logFormats]

const magic = utf8('svcraft\n')
const fixedBytes = magic.length + 12
/** Maximum size of the fields, which are a few numbers and one server ID. */
const fieldBytesMax = 4096

/**
 * The beginning of each segment: magic, format (u32), length of the fields (u32), CRC-32C of format, length and fields
 * (u32), fields (MessagePack array). It repeats everything from earlier segments that later ones do not repeat, so that
 * those may be removed.
 */
export interface SegmentHeader {
  readonly segment: number
  /** Drawn for each segment: its checksums continue from it. */
  readonly salt: number
  /** The last batch before this segment and its checksum, and where the previous segment ended. */
  readonly lastBatch: number
  readonly chain: number
  readonly endOfPrevious: number
  readonly hardState: HardState
  readonly lastIndex: LogIndex
  /** Size of the file, from before it got its name until it is removed; undefined for a file that grows. */
  readonly allocatedBytes: number | undefined
}

export function segmentName(segment: number): string {
  return `${String(segment).padStart(10, '0')}.log`
}

/** `undefined`: the name is not that of a segment. */
export function segmentOfName(name: string): number | undefined {
  return /^[0-9]{10}\.log$/.test(name) ? Number(name.slice(0, 10)) : undefined
}

export function encodeSegmentHeader(header: SegmentHeader, format: LogFormat = logFormats.segments): Uint8Array {
  const { segment, salt, lastBatch, chain, endOfPrevious, hardState, lastIndex, allocatedBytes } = header
  const vote = hardState.votedFor ?? null
  const growing = [segment, salt, lastBatch, chain, endOfPrevious, hardState.term, vote, lastIndex]
  const fields = pack(allocatedBytes === undefined ? growing : [...growing, allocatedBytes])
  const numbers = new Uint8Array(8)
  viewOf(numbers).setUint32(0, allocatedBytes === undefined ? format.growing : format.allocated)
  viewOf(numbers).setUint32(4, fields.length)
  const checksum = new Uint8Array(4)
  viewOf(checksum).setUint32(0, crc32c(fields, crc32c(numbers)))
  return concatBytes([magic, numbers, checksum, fields])
}

export interface BadHeader {
  /** `format`: complete, but of a version that this release does not read. */
  readonly kind: 'damaged' | 'format'
  readonly what: string
}

/** Reads the header at the start of a segment's bytes; `end` is the place of the first batch. */
export function readSegmentHeader(
  bytes: Uint8Array,
  expected: LogFormat = logFormats.segments,
): Result<{ readonly header: SegmentHeader; readonly end: number }, BadHeader> {
  if (bytes.length < fixedBytes || !equalBytes(bytes.subarray(0, magic.length), magic)) {
    return err({ kind: 'damaged', what: 'the file does not begin as a segment of the log does' })
  }
  const view = viewOf(bytes)
  const numbers = magic.length
  const format = view.getUint32(numbers)
  const length = view.getUint32(numbers + 4)
  const end = fixedBytes + length
  const damaged = err({ kind: 'damaged' as const, what: 'the header of the segment does not match its checksum' })
  if (length > fieldBytesMax || end > bytes.length) return damaged
  const fields = bytes.subarray(fixedBytes, end)
  if (crc32c(fields, crc32c(bytes.subarray(numbers, numbers + 8))) !== view.getUint32(numbers + 8)) return damaged
  const { growing, allocated } = expected
  if (format !== growing && format !== allocated)
    return err({ kind: 'format', what: `log format ${format}: this release reads only ${growing} and ${allocated}` })
  const header = headerOf(fields, format === allocated)
  return header === undefined ? damaged : ok({ header, end })
}

function headerOf(fields: Uint8Array, isAllocated: boolean): SegmentHeader | undefined {
  const unpacked = unpack(fields)
  if (!unpacked.ok || !isList(unpacked.value) || unpacked.value.length !== (isAllocated ? 9 : 8)) return undefined
  const [segment, salt, lastBatch, chain, endOfPrevious, term, vote, lastIndex, size = 0] = unpacked.value
  if (!isCount(segment) || !isCount(salt) || !isCount(lastBatch) || !isCount(chain)) return undefined
  if (!isCount(endOfPrevious) || !isTerm(term) || !isLogIndex(lastIndex) || !isCount(size)) return undefined
  if (vote !== null && typeof vote !== 'string') return undefined
  return {
    segment,
    salt,
    lastBatch,
    chain,
    endOfPrevious,
    hardState: { term, votedFor: vote ?? undefined },
    lastIndex,
    allocatedBytes: isAllocated ? size : undefined,
  }
}
