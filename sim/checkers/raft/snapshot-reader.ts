import { textOf } from '../../../src/base/bytes.ts'
import { crc32c } from '../../../src/base/crc32c.ts'
import { unpack } from '../../../src/base/msgpack.ts'
import { isList } from '../../../src/base/shape.ts'

/** A snapshot file, read by the format that `docs/architecture/formats.md` describes, apart from the agent's code. */
export interface ReadSnapshotFile {
  readonly index: number
  readonly term: number
  /** The server took it itself; otherwise it received it from a leader. */
  readonly isTaken: boolean
  /** The checksum of the part that every server has in common. */
  readonly sum: number
}

const magic = 'svcsnap\n'
const headBytes = magic.length + 12
const chunkHeadBytes = 8
const endBodyBytes = 6
const originBytes = 11

/** The content of a snapshot file, or what is wrong with it: one clause. */
export function readSnapshotFile(bytes: Uint8Array): ReadSnapshotFile | string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  if (bytes.length < headBytes || textOf(bytes.subarray(0, magic.length)) !== magic) return 'it has no header'
  const fieldsEnd = headBytes + view.getUint32(12)
  if (fieldsEnd > bytes.length) return 'its header is cut short'
  let sum = crc32c(bytes.subarray(headBytes, fieldsEnd), crc32c(bytes.subarray(8, 16)))
  if (sum !== view.getUint32(16)) return 'the checksum of its header does not match'
  const position = positionIn(bytes.subarray(headBytes, fieldsEnd))
  if (position === undefined) return 'its header has another shape'
  let stateBytes = 0
  for (let at = fieldsEnd; ; ) {
    if (at + chunkHeadBytes > bytes.length) return `it is cut short at ${at}`
    const length = view.getUint32(at)
    const bodyEnd = at + chunkHeadBytes + (length === 0 ? endBodyBytes : length)
    if (bodyEnd > bytes.length) return `it is cut short at ${at}`
    sum = crc32c(bytes.subarray(at + chunkHeadBytes, bodyEnd), crc32c(bytes.subarray(at, at + 4), sum))
    if (sum !== view.getUint32(at + 4)) return `the checksum of the chunk at ${at} does not match`
    if (length === 0) return endedAt(bytes.subarray(at + chunkHeadBytes), stateBytes, { ...position, sum })
    stateBytes += length
    at = bodyEnd
  }
}

function positionIn(fields: Uint8Array): { readonly index: number; readonly term: number } | undefined {
  const unpacked = unpack(fields)
  if (!unpacked.ok || !isList(unpacked.value) || unpacked.value.length !== 4) return undefined
  const [index, term] = unpacked.value
  return typeof index === 'number' && typeof term === 'number' ? { index, term } : undefined
}

/** `rest`: the number of the state's bytes, then the origin. */
function endedAt(
  rest: Uint8Array,
  stateBytes: number,
  read: Omit<ReadSnapshotFile, 'isTaken'>,
): ReadSnapshotFile | string {
  const view = new DataView(rest.buffer, rest.byteOffset, rest.length)
  const told = view.getUint16(0) * 0x1_0000_0000 + view.getUint32(2)
  if (told !== stateBytes) return `its end counts ${told} bytes of state instead of ${stateBytes}`
  const origin = rest.subarray(endBodyBytes)
  if (origin.length !== originBytes) return 'it does not say whether it was taken or received'
  if (view.getUint32(endBodyBytes + 7) !== crc32c(origin.subarray(0, 7), read.sum)) {
    return 'the checksum of its origin does not match'
  }
  const [kind] = origin
  return kind === 1 || kind === 2 ? { ...read, isTaken: kind === 1 } : `its origin is of an unknown kind ${kind}`
}
