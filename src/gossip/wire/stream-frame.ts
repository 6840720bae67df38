import { concatBytes, emptyBytes } from '../../base/bytes.ts'
import { byteAt } from '../../base/items.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { FullState, Message } from '../core/messages.ts'
import { streamBytesMax } from './bounds.ts'
import { FrameScan } from './frame-scan.ts'
import { encodeFullState } from './full-state.ts'
import { writeAck, writePing } from './message-encoder.ts'
import { lowerType } from './message-types.ts'
import { sealBytes } from './sealed.ts'
import type { Sliced } from './sliced.ts'
import { textField, ValueWriter } from './value-writer.ts'

/** The content of a stream: one frame in each direction. */
export type StreamFrame =
  | { readonly kind: 'full-state'; readonly state: FullState }
  | { readonly kind: 'ping'; readonly sequence: number; readonly node: string }
  | { readonly kind: 'ack'; readonly sequence: number; readonly payload: Uint8Array }
  /** The other side's text about an error in our frame. */
  | { readonly kind: 'error'; readonly text: string }
  /** A message of the upper layer; undefined if this agent has no use for its kind. */
  | { readonly kind: 'message'; readonly message: Message | undefined }

export function encodeStreamFrame(frame: Exclude<StreamFrame, { kind: 'message' }>): Uint8Array {
  if (frame.kind === 'full-state') return encodeFullState(frame.state)
  const writer = new ValueWriter()
  if (frame.kind === 'ping') writePing(writer, frame.sequence, frame.node)
  else if (frame.kind === 'ack') writeAck(writer, frame.sequence, frame.payload)
  else {
    writer.byte(lowerType.error)
    writer.mapHead(1)
    textField(writer, 'Error', frame.text)
  }
  return writer.take()
}

/** How a stream's frames are encrypted. The head of a sealed frame (type, length) is authenticated along with it. */
export interface FrameSealing {
  readonly isOn: boolean
  /** Whether an unencrypted frame is refused. */
  readonly demands: boolean
  seal(plain: Uint8Array, additional: Uint8Array): Uint8Array
  /** Each key that is tried is a slice of work. */
  unseal(sealed: Uint8Array, additional: Uint8Array): Sliced<Uint8Array | undefined>
}

/** Type and length, big-endian. */
export const sealedHeadBytes = 5

export function sealFrame(sealing: FrameSealing, plain: Uint8Array): Uint8Array {
  const length = plain.length + sealBytes
  const head = Uint8Array.of(lowerType.encrypt, length >>> 24, length >>> 16, length >>> 8, length)
  return concatBytes([head, sealing.seal(plain, head)])
}

export const inTheClear: FrameSealing = {
  isOn: false,
  demands: false,
  seal: (plain) => plain,
  // biome-ignore lint/correctness/useYield: there is no key to try.
  *unseal() {
    return undefined
  },
}

/**
 * Collects the bytes of one frame, no more than `streamBytesMax`. While the frame is incomplete, each byte is scanned
 * once, in whatever pieces it arrives. Bytes after the frame are left alone. `openFrame` decodes the frame.
 */
export class StreamFrameReader {
  #bytes: Uint8Array = emptyBytes
  #length = 0
  #scan: FrameScan | undefined
  readonly #sealing: FrameSealing

  constructor(sealing: FrameSealing = inTheClear) {
    this.#sealing = sealing
  }

  /** Bytes held for the frame. */
  get held(): number {
    return this.#length
  }

  /** The bytes of the frame once it is complete, undefined before. An error means that the stream cannot recover. */
  push(bytes: Uint8Array): Result<Uint8Array | undefined, string> {
    if (this.#length + bytes.length > streamBytesMax) return err('a frame is longer than allowed')
    this.#append(bytes)
    if (this.#length === 0) return ok(undefined)
    if (this.#bytes[0] === lowerType.encrypt) return this.#sealed()
    if (this.#sealing.demands) return err('it is not encrypted, and encryption is configured here')
    this.#scan ??= new FrameScan(byteAt(this.#bytes, 0))
    const step = this.#scan.scan(this.#bytes, this.#length)
    if (step === 'more') return ok(undefined)
    return step === 'bad' ? err('a frame cannot be read') : ok(this.#bytes.subarray(0, this.#length))
  }

  #sealed(): Result<Uint8Array | undefined, string> {
    if (!this.#sealing.isOn) return err('it is encrypted, and encryption is not configured here')
    if (this.#length < sealedHeadBytes) return ok(undefined)
    let announced = 0
    for (let at = 1; at < sealedHeadBytes; at++) announced = announced * 256 + byteAt(this.#bytes, at)
    const end = sealedHeadBytes + announced
    if (end > streamBytesMax) return err('a frame is longer than allowed')
    return ok(this.#length < end ? undefined : this.#bytes.subarray(0, end))
  }

  #append(bytes: Uint8Array): void {
    const length = this.#length + bytes.length
    if (this.#length === 0) this.#bytes = bytes
    else {
      if (length > this.#bytes.length) {
        const wider = new Uint8Array(Math.min(streamBytesMax, 2 * length))
        wider.set(this.#bytes.subarray(0, this.#length))
        this.#bytes = wider
      }
      this.#bytes.set(bytes, this.#length)
    }
    this.#length = length
  }
}
