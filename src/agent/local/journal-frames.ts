import { concatBytes } from '../../base/bytes.ts'
import { crc32cOf } from '../../base/crc32c.ts'

/**
 * A journal is a sequence of frames: mark (u32), CRC-32C of all that follows, number (u32), length of the text (u32),
 * the text in UTF-8. The first byte of the mark never occurs in UTF-8, so that no text, not even a hostile one, looks
 * like a frame. A frame is the unit that one step of the disk made durable, or a part of a file that was written as a
 * whole; numbers rise by one.
 */
const mark = 0xff53564a
const headBytes = 16
const checksumAt = 4
const numberAt = 8
const lengthAt = 12
/** Maximum length of a text: the agent never wrote a longer one. */
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
  /** Byte ranges between whole frames that are no frame. */
  readonly damage: readonly { readonly from: number; readonly to: number }[]
  /** Position after the last whole frame. */
  readonly endsAt: number
  /**
   * The bytes after the last whole frame are more than the beginning of a frame: a torn write, or damage of the last
   * frame.
   */
  readonly endIsDoubtful: boolean
}

/**
 * Reads the whole frames of a file. Bytes before a whole frame that are no frame are damage. Bytes after the last whole
 * frame were being written when the process ended: nothing of them was acknowledged, because a frame is only begun when
 * the one before it is durable. Or they were the last frame and are damaged, which cannot always be told apart.
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

/**
 * Whether the bytes are empty or a prefix of a frame, as an interrupted write leaves them: its length says that more
 * was to come.
 */
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
