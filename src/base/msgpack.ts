import { Packr } from 'msgpackr'
import { err, ok, type Result } from './result.ts'

/**
 * MessagePack, the one binary encoding of RPC frames, log payloads and snapshots. Maps keep the order in which the
 * object was built; integers beyond 2^53 come and go as bigint. No state is kept between calls (no shared records).
 */
const packr = new Packr({
  useRecords: false,
  variableMapSize: true,
  mapsAsObjects: true,
  // 'auto': a number where a double holds it, else a bigint. The package has the setting, its types do not.
  int64AsType: 'auto' as 'bigint',
})

/** Containers nested deeper than this are refused: the decoder recurses. */
const depthMax = 32

/** The packer's buffer grows with the largest value; out of one larger than this, bytes are copied. */
const sharedBufferBytesMax = 16 << 10

/**
 * Bytes that nobody writes to again: the packer fills one buffer after another and never goes back. Small ones are shown
 * where they stand, so each may keep `sharedBufferBytesMax` alive.
 */
export function pack(value: unknown): Uint8Array {
  const packed = packr.pack(value)
  if (packed.buffer.byteLength > sharedBufferBytesMax) return new Uint8Array(packed)
  return new Uint8Array(packed.buffer, packed.byteOffset, packed.length)
}

/**
 * The value that the bytes spell, or why they spell none. Byte strings inside alias the input: copy what outlives it.
 * Cap the size before; depth and trailing bytes are checked here.
 */
export function unpack(bytes: Uint8Array): Result<unknown, string> {
  if (nestingTooDeep(bytes)) return err(`nested deeper than ${depthMax}`)
  try {
    return ok(packr.unpack(bytes))
  } catch (cause) {
    return err(`malformed MessagePack: ${cause instanceof RangeError ? 'out of range' : 'cut short or trailing bytes'}`)
  }
}

/** Walks the headers without building anything, so that hostile nesting never reaches the recursive decoder. */
function nestingTooDeep(bytes: Uint8Array): boolean {
  const open: number[] = []
  let at = 0
  while (at < bytes.length) {
    const head = headerAt(bytes, at)
    at += head.length
    if (head.children > 0) {
      if (open.length >= depthMax) return true
      open.push(head.children)
      continue
    }
    while (open.length > 0) {
      const left = (open.pop() as number) - 1
      if (left > 0) {
        open.push(left)
        break
      }
    }
  }
  return false
}

interface Header {
  readonly length: number
  readonly children: number
}

function headerAt(bytes: Uint8Array, at: number): Header {
  const head = bytes[at] as number
  if (head <= 0x7f || head >= 0xe0) return { length: 1, children: 0 }
  if (head <= 0x8f) return { length: 1, children: 2 * (head & 15) }
  if (head <= 0x9f) return { length: 1, children: head & 15 }
  if (head <= 0xbf) return { length: 1 + (head & 31), children: 0 }
  const size = (width: number): number => {
    let value = 0
    for (let i = 1; i <= width; i++) value = value * 256 + (bytes[at + i] ?? 0)
    return value
  }
  if (head >= 0xc4 && head <= 0xc6) return { length: 1 + sized[head - 0xc4]! + size(sized[head - 0xc4]!), children: 0 }
  if (head >= 0xc7 && head <= 0xc9) return { length: 2 + sized[head - 0xc7]! + size(sized[head - 0xc7]!), children: 0 }
  if (head >= 0xd9 && head <= 0xdb) return { length: 1 + sized[head - 0xd9]! + size(sized[head - 0xd9]!), children: 0 }
  if (head === 0xdc || head === 0xdd) return { length: head === 0xdc ? 3 : 5, children: size(head === 0xdc ? 2 : 4) }
  if (head === 0xde || head === 0xdf)
    return { length: head === 0xde ? 3 : 5, children: 2 * size(head === 0xde ? 2 : 4) }
  return { length: fixedLength.get(head) ?? 1, children: 0 }
}

const sized = [1, 2, 4]
const fixedLength: ReadonlyMap<number, number> = new Map([
  [0xca, 5],
  [0xcb, 9],
  [0xcc, 2],
  [0xcd, 3],
  [0xce, 5],
  [0xcf, 9],
  [0xd0, 2],
  [0xd1, 3],
  [0xd2, 5],
  [0xd3, 9],
  [0xd4, 3],
  [0xd5, 4],
  [0xd6, 6],
  [0xd7, 10],
  [0xd8, 18],
])
