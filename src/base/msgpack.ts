import { Packr } from 'msgpackr'
import { byteAt, itemAt } from './items.ts'
import { PlainPacker } from './plain-packer.ts'
import { PlainUnpacker } from './plain-unpacker.ts'
import { err, ok, type Result } from './result.ts'

/**
 * MessagePack, the one binary encoding of RPC frames, log payloads and snapshots. Maps keep the order in which the
 * object was built; integers beyond 2^53 are bigints. No state is shared between calls (no shared records).
 */
const packr = new Packr({
  useRecords: false,
  variableMapSize: true,
  mapsAsObjects: true,
  // 'auto': a number if a double can hold it, otherwise a bigint. The package has the setting, but its types do not.
  int64AsType: 'auto' as 'bigint',
})

/**
 * Nearly everything is small plain data. The plain packer and unpacker, which are tried before the package, handle only
 * that, several times as fast.
 */
const packer = new PlainPacker()
const longKept = new PlainPacker()
const unpacker = new PlainUnpacker()
const unusual = Symbol('unusual')

/** Containers nested deeper than this are refused: the decoder recurses. */
const depthMax = 32

/** The packer's buffer grows with the largest value; from a buffer larger than this the result is copied. */
const sharedBufferBytesMax = 16 << 10

/**
 * Bytes that are never overwritten: the packer fills one buffer after another. Small results are views into a buffer,
 * so each may keep `sharedBufferBytesMax` alive.
 */
export function pack(value: unknown): Uint8Array {
  return packer.pack(value, 0) ?? packedByPackage(value)
}

/** `pack`, with `room` bytes before the value that the caller writes at once. */
export function packAfter(room: number, value: unknown): Uint8Array {
  return packer.pack(value, room) ?? packedByPackageAfter(room, value)
}

/**
 * As `packAfter`, for results that are kept for long and released in about the order of packing: small ones share
 * memory only with each other, so that little more is kept alive than is in use. Many share one buffer, because a
 * buffer for each would cost more than most contents.
 */
export function packToKeepAfter(room: number, value: unknown): Uint8Array {
  return longKept.pack(value, room) ?? packedByPackageAfter(room, value)
}

function packedByPackageAfter(room: number, value: unknown): Uint8Array {
  const body = packedByPackage(value)
  const whole = new Uint8Array(room + body.length)
  whole.set(body, room)
  return whole
}

function packedByPackage(value: unknown): Uint8Array {
  const packed = packr.pack(value)
  if (packed.buffer.byteLength > sharedBufferBytesMax) return new Uint8Array(packed)
  return new Uint8Array(packed.buffer, packed.byteOffset, packed.length)
}

/**
 * The value that the bytes encode, or why they encode none. Byte arrays inside alias the input: copy what must outlive
 * it. The caller limits the size before; depth and trailing bytes are checked here.
 */
export function unpack(bytes: Uint8Array): Result<unknown, string> {
  const plain = unpacker.unpack(bytes, unusual)
  if (plain !== unusual) return ok(plain)
  if (nestingTooDeep(bytes)) return err(`nested deeper than ${depthMax}`)
  try {
    return ok(packr.unpack(bytes))
  } catch (cause) {
    return err(`malformed MessagePack: ${cause instanceof RangeError ? 'out of range' : 'cut short or trailing bytes'}`)
  }
}

/** Whether the bytes contain at most `valuesMax` values, including keys of maps. Builds none of them. */
export function spellsAtMost(bytes: Uint8Array, valuesMax: number): boolean {
  let left = valuesMax
  for (let at = 0; at < bytes.length; at += headLengthAt(bytes, at)) if (--left < 0) return false
  return true
}

/**
 * Length of the value that the bytes begin with; undefined if it is not complete yet. The caller limits how much it
 * waits for.
 */
export function firstValueBytes(bytes: Uint8Array): number | undefined {
  let at = 0
  for (let left = 1; left > 0; left--) {
    if (at >= bytes.length) return undefined
    left += childrenAt(bytes, at)
    at += headLengthAt(bytes, at)
    if (at > bytes.length) return undefined
  }
  return at
}

/** An unpacked value with its byte arrays copied, so that it may outlive the bytes that it was unpacked from. */
export function withOwnBytes(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Uint8Array) return value.slice()
  if (Array.isArray(value)) return value.map(withOwnBytes)
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withOwnBytes(member)]))
}

/** Walks the headers without building anything, so that hostile nesting never reaches the recursive decoder. */
function nestingTooDeep(bytes: Uint8Array): boolean {
  const open: number[] = []
  let at = 0
  while (at < bytes.length) {
    const children = childrenAt(bytes, at)
    at += headLengthAt(bytes, at)
    if (children > 0) {
      if (open.length >= depthMax) return true
      open.push(children)
      continue
    }
    for (let left = open.pop(); left !== undefined; left = open.pop()) {
      if (left > 1) {
        open.push(left - 1)
        break
      }
    }
  }
  return false
}

/** Values inside the container that begins here; 0 for anything else. */
function childrenAt(bytes: Uint8Array, at: number): number {
  const head = byteAt(bytes, at)
  if (head < 0x80 || head > 0xdf) return 0
  if (head <= 0x8f) return 2 * (head & 15)
  if (head <= 0x9f) return head & 15
  if (head < 0xdc) return 0
  const count = sizeAt(bytes, at + 1, (head & 1) === 0 ? 2 : 4)
  return head >= 0xde ? 2 * count : count
}

/** Number of bytes of the value that begins here; for a container, of its header alone. */
function headLengthAt(bytes: Uint8Array, at: number): number {
  const head = byteAt(bytes, at)
  if (head <= 0x9f || head >= 0xe0) return 1
  if (head <= 0xbf) return 1 + (head & 31)
  const length = itemAt(fixedLengths, head - 0xc0)
  const width = itemAt(sizeWidths, head - 0xc0)
  return width === 0 ? length : length + sizeAt(bytes, at + 1, width)
}

function sizeAt(bytes: Uint8Array, at: number, width: number): number {
  let size = 0
  for (let i = 0; i < width; i++) size = size * 256 + (bytes[at + i] ?? 0)
  return size
}

/** For headers from 0xc0 to 0xdf: the length without content of variable size, and the width of that size. */
const fixedLengths = [1, 1, 1, 1, 2, 3, 5, 3, 4, 6, 5, 9, 2, 3, 5, 9, 2, 3, 5, 9, 3, 4, 6, 10, 18, 2, 3, 5, 3, 5, 3, 5]
const sizeWidths = [0, 0, 0, 0, 1, 2, 4, 1, 2, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 4, 0, 0, 0, 0]
