import { textOf } from '../../../src/base/bytes.ts'
import { crc32c } from '../../../src/base/crc32c.ts'
import { unpack } from '../../../src/base/msgpack.ts'
import { isList } from '../../../src/base/shape.ts'
import type { FileLook } from './disk-look.ts'

/**
 * The end of a log, read from its last segment by the format that `docs/architecture/formats.md` describes, apart from
 * the agent's code.
 */
export interface LogEnd {
  /** The number and checksum of the last batch. */
  readonly batch: number
  readonly chain: number
  /** The last batch is empty: nothing before it can be taken for a torn write. */
  readonly isSealed: boolean
  readonly lastIndex: number
  readonly term: number
  readonly votedFor: string | undefined
}

/** How far the log was durable, by the newer of the two places of its watermark. */
export interface ReadMark {
  readonly batch: number
  readonly chain: number
  readonly lastIndex: number
  readonly term: number
  /** What a power cut may leave until the next two writes: one clause; undefined: both places are as they should be. */
  readonly wrong: string | undefined
}

const segmentMagic = 'svcraft\n'
const segmentHeadBytes = segmentMagic.length + 12
const batchMark = 0x53564342
const batchHeadBytes = 32
const recordHeadBytes = 8
const codes = { hardState: 1, reset: 2, truncate: 3, entry: 4 } as const

const markMagic = 'svcmark\n'
const markPlaceBytes = 4096
const markBytes = markMagic.length + 8 * 6 + 4

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
}

function u48(view: DataView, at: number): number {
  return view.getUint16(at) * 0x1_0000_0000 + view.getUint32(at + 2)
}

/**
 * Reads the last segment of a log, or returns what is wrong with its header: one clause. It reads batch by batch,
 * because most of the megabytes of a segment are zeros.
 */
export function readLogEnd(segment: FileLook): LogEnd | string {
  const head = segment.read(0, segmentHeadBytes)
  const view = viewOf(head)
  if (head.length < segmentHeadBytes || textOf(head.subarray(0, segmentMagic.length)) !== segmentMagic) {
    return 'it has no header'
  }
  const fieldsBytes = view.getUint32(12)
  const fields = segment.read(segmentHeadBytes, fieldsBytes)
  if (crc32c(fields, crc32c(head.subarray(8, 16))) !== view.getUint32(16)) {
    return 'the checksum of its header does not match'
  }
  const unpacked = unpack(fields)
  if (!unpacked.ok || !isList(unpacked.value)) return 'its header has another shape'
  const [, salt, batch, chain, , term, votedFor, lastIndex] = unpacked.value
  const begin = { batch: Number(batch), chain: Number(chain), isSealed: false, lastIndex: Number(lastIndex) }
  const vote = typeof votedFor === 'string' ? votedFor : undefined
  return endOf(segment, segmentHeadBytes + fieldsBytes, Number(salt), { ...begin, term: Number(term), votedFor: vote })
}

/** The state after the last batch that is whole. */
function endOf(segment: FileLook, from: number, salt: number, before: LogEnd): LogEnd {
  let end = before
  for (let at = from; at + batchHeadBytes <= segment.size; ) {
    const head = segment.read(at, batchHeadBytes)
    const view = viewOf(head)
    const number = u48(view, 8)
    const records = at + batchHeadBytes
    const bodyBytes = view.getUint32(20)
    const sum = crc32c(head.subarray(8), salt)
    const isNext = view.getUint32(0) === batchMark && sum === view.getUint32(4) && number === end.batch + 1
    if (!isNext || records + bodyBytes > segment.size) return end
    const next = afterRecords(segment.read(records, bodyBytes), { ...end, batch: number, chain: sum, isSealed: true })
    if (next === undefined) return end
    end = next
    at = records + bodyBytes
  }
  return end
}

/** Undefined: a record is not whole. */
function afterRecords(bytes: Uint8Array, before: LogEnd): LogEnd | undefined {
  const view = viewOf(bytes)
  let end = before
  for (let at = 0; at < bytes.length; ) {
    if (at + recordHeadBytes > bytes.length) return undefined
    const body = at + recordHeadBytes
    const bodyEnd = body + view.getUint32(at)
    if (bodyEnd > bytes.length) return undefined
    const chain = crc32c(bytes.subarray(body, bodyEnd), crc32c(bytes.subarray(at, at + 4), end.chain))
    if (chain !== view.getUint32(at + 4)) return undefined
    end = { ...afterRecord(bytes.subarray(body, bodyEnd), end), chain, isSealed: false }
    at = bodyEnd
  }
  return end
}

function afterRecord(body: Uint8Array, before: LogEnd): LogEnd {
  const view = viewOf(body)
  switch (body[0]) {
    case codes.hardState:
      return { ...before, term: u48(view, 1), votedFor: body[7] === 0 ? undefined : textOf(body.subarray(8)) }
    case codes.reset:
    case codes.entry:
      return { ...before, lastIndex: u48(view, 1) }
    case codes.truncate:
      return { ...before, lastIndex: u48(view, 1) - 1 }
    default:
      return before
  }
}

/** Reads the newer place of a watermark, or returns what is wrong with it: one clause. */
export function readMark(bytes: Uint8Array): ReadMark | string {
  const places = [0, markPlaceBytes].map((at) => bytes.subarray(at, at + markBytes)).filter(isWhole)
  const [first, second] = places.map(viewOf)
  if (first === undefined) return 'neither of its places is whole'
  const numberOf = (place: DataView): number => u48(place, markMagic.length)
  const newer = second !== undefined && numberOf(second) > numberOf(first) ? second : first
  const field = (nth: number): number => u48(newer, markMagic.length + nth * 6)
  const torn = second === undefined ? 'one of its places is not whole' : undefined
  const isInTurn = second !== undefined && Math.abs(numberOf(first) - numberOf(second)) === 1
  const wrong = torn ?? (isInTurn ? undefined : 'its places were not written in turn')
  return { batch: field(1), chain: field(2), lastIndex: field(5), term: field(6), wrong }
}

function isWhole(place: Uint8Array): boolean {
  if (place.length < markBytes || textOf(place.subarray(0, markMagic.length)) !== markMagic) return false
  return viewOf(place).getUint32(markBytes - 4) === crc32c(place.subarray(0, markBytes - 4))
}
