import { concatBytes } from '../../base/bytes.ts'
import { crc32cOf } from '../../base/crc32c.ts'

/**
 * A journal is a row of frames: mark (u32), CRC-32C of all that follows, number (u32), length of the text (u32), the text in
 * UTF-8. The first byte of the mark is none that UTF-8 has, so that no text looks like a frame, whoever chose it. A frame is
 * what one write and one sync made durable, or a part of a file that was written whole; numbers rise by one.
 */
const mark = 0xff53564a
const headBytes = 16
const checksumAt = 4
const numberAt = 8
const lengthAt = 12
/** A longer one was never written. */
const textBytesMax = 64 << 20

export interface Frame {
  readonly number: number
  readonly text: Uint8Array
  readonly endsAt: number
}

export function frameOf(number: number, text: Uint8Array): Uint8Array {
  const head = new Uint8Array(headBytes)
  const view = new DataView(head.buffer)
  view.setUint32(0, mark)
  view.setUint32(numberAt, number)
  view.setUint32(lengthAt, text.length)
  const bytes = concatBytes([head, text])
  new DataView(bytes.buffer).setUint32(checksumAt, crc32cOf(bytes, numberAt, bytes.length))
  return bytes
}

export interface FramesRead {
  readonly frames: readonly Frame[]
  /** What stands between whole frames and is none: from where to where. */
  readonly damage: readonly { readonly from: number; readonly to: number }[]
  /** Behind the last whole frame. */
  readonly endsAt: number
  /** What stands behind it is more than the beginning of a frame: a write that was torn, or damage of the last frame. */
  readonly endIsDoubtful: boolean
}

/**
 * The whole frames of a file. What stands before a whole frame, and is none, is damage. What stands behind the last of them was
 * being written when the process ended, and nobody was answered for it: it was synced by nobody, for a frame is only begun when
 * the one before it is durable. Or it was the last frame and is damaged, which cannot always be told from the former.
 */
export function readFrames(bytes: Uint8Array): FramesRead {
  const frames: Frame[] = []
  const damage: { from: number; to: number }[] = []
  let endsAt = 0
  let last = 0
  for (let at = 0; at + headBytes <= bytes.length; ) {
    const frame = frameAt(bytes, at)
    if (frame === undefined || frame.number <= last) {
      at++
      continue
    }
    if (at > endsAt) damage.push({ from: endsAt, to: at })
    frames.push(frame)
    last = frame.number
    endsAt = frame.endsAt
    at = endsAt
  }
  return { frames, damage, endsAt, endIsDoubtful: !isBeginning(bytes.subarray(endsAt)) }
}

/** Nothing, or as much of a frame as a write that was cut off leaves: its length says that more was to come. */
function isBeginning(bytes: Uint8Array): boolean {
  for (let at = 0; at < Math.min(bytes.length, 4); at++) {
    if (bytes[at] !== ((mark >>> (24 - 8 * at)) & 0xff)) return false
  }
  if (bytes.length < headBytes) return true
  const length = new DataView(bytes.buffer, bytes.byteOffset, bytes.length).getUint32(lengthAt)
  return length <= textBytesMax && headBytes + length > bytes.length
}

function frameAt(bytes: Uint8Array, at: number): Frame | undefined {
  if (bytes[at] !== mark >>> 24) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, bytes.length - at)
  const length = view.getUint32(lengthAt)
  if (view.getUint32(0) !== mark || length > textBytesMax || headBytes + length > view.byteLength) return undefined
  const endsAt = at + headBytes + length
  if (view.getUint32(checksumAt) !== crc32cOf(bytes, at + numberAt, endsAt)) return undefined
  return { number: view.getUint32(numberAt), text: bytes.subarray(at + headBytes, endsAt), endsAt }
}
