import { InflateFault } from './bit-reader.ts'
import { concatBytes, emptyBytes } from './bytes.ts'
import { crc32 } from './crc32.ts'
import { Deflater } from './deflate.ts'
import { inflated } from './inflate.ts'

/** Deflated, no flags, no time, no system: equal bytes have equal archives. */
const header = new Uint8Array([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255])

const flagHeaderCrc = 2
const flagExtra = 4
const flagName = 8
const flagComment = 16

/** One member of a gzip file (RFC 1952), piece by piece. Members one behind the other are one file. */
export class GzipWriter {
  readonly #deflater = new Deflater()
  #crc = 0
  #length = 0
  #begun = false

  push(bytes: Uint8Array): Uint8Array {
    this.#crc = crc32(bytes, this.#crc)
    this.#length += bytes.length
    const out = this.#deflater.push(bytes)
    return this.#begun ? out : this.#begin(out)
  }

  end(): Uint8Array {
    const out = concatBytes([this.#deflater.end(), u32(this.#crc), u32(this.#length)])
    return this.#begun ? out : this.#begin(out)
  }

  #begin(out: Uint8Array): Uint8Array {
    this.#begun = true
    return concatBytes([header, out])
  }
}

/**
 * Most members of one file, as many as some tools make of a gigabyte, and most empty blocks: both cost time for
 * nothing.
 */
const membersMax = 16_384
const emptyBlocksMax = 65_536

/** After this many members an empty piece is returned: an empty member takes a tenth of a millisecond. */
const membersAtOnce = 32

/**
 * The content of a file of gzip members, in pieces of at most about 64 KiB, some of which may be empty. @throws
 * InflateFault that says what is wrong.
 */
export function* gunzipped(bytes: Uint8Array): Generator<Uint8Array, void> {
  const empty = { left: emptyBlocksMax }
  let at = 0
  let members = 0
  do {
    if (++members > membersMax) throw new InflateFault('gzip: too many members')
    const body = inflated(bytes, bodyAt(bytes, at), empty)
    let crc = 0
    let length = 0
    let step = body.next()
    for (; step.done !== true; step = body.next()) {
      crc = crc32(step.value, crc)
      length += step.value.length
      yield step.value
    }
    at = step.value
    if (u32At(bytes, at) !== crc || u32At(bytes, at + 4) !== length >>> 0) {
      throw new InflateFault('gzip: invalid checksum')
    }
    at += 8
    if (members % membersAtOnce === 0) yield emptyBytes
  } while (at < bytes.length)
}

/** Behind the header of the member that begins at `at`. */
function bodyAt(bytes: Uint8Array, at: number): number {
  if (bytes.length === at) throw new InflateFault('EOF')
  if (bytes.length - at < 10) throw new InflateFault('gzip: invalid header')
  const [a, b, method, flags = 0] = bytes.subarray(at, at + 4)
  if (a !== 0x1f || b !== 0x8b || method !== 8 || flags > 31) throw new InflateFault('gzip: invalid header')
  let next = at + 10
  if ((flags & flagExtra) !== 0) next += 2 + ((bytes[next] ?? 0) | ((bytes[next + 1] ?? 0) << 8))
  for (const flag of [flagName, flagComment]) {
    if ((flags & flag) === 0) continue
    const end = bytes.indexOf(0, next)
    if (end < 0) throw new InflateFault('gzip: invalid header')
    next = end + 1
  }
  return (flags & flagHeaderCrc) === 0 ? next : next + 2
}

function u32(value: number): Uint8Array {
  return new Uint8Array([value & 255, (value >>> 8) & 255, (value >>> 16) & 255, (value >>> 24) & 255])
}

function u32At(bytes: Uint8Array, at: number): number {
  if (at + 4 > bytes.length) throw new InflateFault('unexpected end of the data')
  const [a = 0, b = 0, c = 0, d = 0] = bytes.subarray(at, at + 4)
  return (a | (b << 8) | (c << 16) | (d << 24)) >>> 0
}
