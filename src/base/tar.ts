import { byteStringOf, concatBytes, emptyBytes, utf8 } from './bytes.ts'
import { byteAt } from './items.ts'

/**
 * Files one after the other, in blocks (POSIX ustar, IEEE 1003.1). Names have at most 100 bytes; there are no
 * directories.
 */
const tarBlockBytes = 512

/** The header of a file with mode 0600 and without an owner. `seconds` since 1970. */
export function tarHeader(name: string, sizeBytes: number, seconds: number): Uint8Array {
  const out = new Uint8Array(tarBlockBytes)
  const put = (at: number, text: string): void => out.set(utf8(text), at)
  put(0, name)
  put(100, '0000600\0')
  put(108, '0000000\0')
  put(116, '0000000\0')
  put(124, octal(sizeBytes))
  put(136, octal(seconds))
  put(148, '        ')
  put(156, '0')
  put(257, 'ustar\0')
  put(263, '00')
  let sum = 0
  for (const byte of out) sum += byte
  put(148, `${sum.toString(8).padStart(6, '0')}\0 `)
  return out
}

/** The padding of a file's last block. */
export function tarPadding(sizeBytes: number): Uint8Array {
  return new Uint8Array((tarBlockBytes - (sizeBytes % tarBlockBytes)) % tarBlockBytes)
}

/** The end of an archive. */
export const tarEnd: Uint8Array = new Uint8Array(2 * tarBlockBytes)

export interface TarEntry {
  readonly name: string
  readonly sizeBytes: number
}

/** Undefined: a block of zeros, which is the end. A text: the fault. */
function readTarHeader(block: Uint8Array): TarEntry | string | undefined {
  if (block.every((byte) => byte === 0)) return undefined
  let sum = 0
  for (let at = 0; at < tarBlockBytes; at++) sum += at >= 148 && at < 156 ? 0x20 : byteAt(block, at)
  if (octalAt(block, 148, 8) !== sum) return 'archive/tar: invalid tar header'
  const kind = block[156]
  if (kind !== 0x30 && kind !== 0) return 'archive/tar: not a plain file'
  const sizeBytes = octalAt(block, 124, 12)
  if (sizeBytes === undefined) return 'archive/tar: invalid tar header'
  return { name: textAt(block, 0, 100), sizeBytes }
}

function octal(value: number): string {
  return `${value.toString(8).padStart(11, '0')}\0`
}

function octalAt(block: Uint8Array, at: number, length: number): number | undefined {
  const text = textAt(block, at, length).trim()
  return /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : undefined
}

function textAt(block: Uint8Array, at: number, length: number): string {
  const field = block.subarray(at, at + length)
  const end = field.indexOf(0)
  return byteStringOf(end < 0 ? field : field.subarray(0, end))
}

/**
 * A piece of a file in an archive. `isLast`: nothing of it follows. A file without bytes has one piece, which is empty.
 */
export interface TarPart extends TarEntry {
  readonly bytes: Uint8Array
  readonly isLast: boolean
}

/** Maximum size of padding after the end of an archive: writers fill it up to the record size of a tape. */
const behindBytesMax = 1 << 20

/** A fault of an archive, as a clause. */
export class TarFault extends Error {}

/**
 * Splits an archive that arrives in pieces of any size. Buffers no more than a block. Padding after the end is skipped,
 * up to a limit. Undefined stands for a piece without output: the caller may yield to other work.
 * @throws TarFault
 */
export function* tarParts(pieces: Iterable<Uint8Array>): Generator<TarPart | undefined, void> {
  let held = emptyBytes
  let entry: TarEntry | undefined
  let left = 0
  let padding = 0
  let isOver = false
  let behind = 0
  for (const piece of pieces) {
    if (isOver) {
      behind += piece.length
      if (behind > behindBytesMax) throw new TarFault('too much behind its end')
      yield undefined
      continue
    }
    if (piece.length === 0) yield undefined
    let bytes = held.length === 0 ? piece : concatBytes([held, piece])
    held = emptyBytes
    while (bytes.length > 0 && !isOver) {
      if (entry !== undefined && left > 0) {
        const part = bytes.subarray(0, left)
        bytes = bytes.subarray(part.length)
        left -= part.length
        yield { ...entry, bytes: part, isLast: left === 0 }
      } else if (padding > 0) {
        const skipped = Math.min(padding, bytes.length)
        bytes = bytes.subarray(skipped)
        padding -= skipped
      } else if (bytes.length < tarBlockBytes) {
        held = bytes.slice()
        bytes = emptyBytes
      } else {
        const read = readTarHeader(bytes.subarray(0, tarBlockBytes))
        if (typeof read === 'string') throw new TarFault(read)
        bytes = bytes.subarray(tarBlockBytes)
        isOver = read === undefined
        entry = read
        left = read?.sizeBytes ?? 0
        padding = tarPadding(left).length
        if (read !== undefined && left === 0) yield { ...read, bytes: emptyBytes, isLast: true }
      }
    }
  }
  if (!isOver && (left > 0 || held.length > 0)) throw new TarFault('unexpected EOF')
}
