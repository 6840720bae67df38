import { concatBytes, emptyBytes } from '../../base/bytes.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { FullState, Message } from '../core/messages.ts'
import { nameBytesMax, streamBytesMax } from './bounds.ts'
import { FrameScan, readUserLength } from './frame-scan.ts'
import { encodeFullState, readFullState, readStateHead } from './full-state.ts'
import { expandLzw } from './lzw.ts'
import { readAck, readPing, readUpperMessage } from './message-decoder.ts'
import { writeAck, writePing } from './message-encoder.ts'
import { lowerType } from './message-types.ts'
import { readCompressed } from './packet.ts'
import { sealBytes } from './sealed.ts'
import { textField } from './value-fields.ts'
import { ValueReader } from './value-reader.ts'
import { ValueWriter } from './value-writer.ts'

/** What a stream carries: one frame in each direction. */
export type StreamFrame =
  | { readonly kind: 'full-state'; readonly state: FullState }
  | { readonly kind: 'ping'; readonly sequence: number; readonly node: string }
  | { readonly kind: 'ack'; readonly sequence: number; readonly payload: Uint8Array }
  /** The other end's text about what it could not make of ours. */
  | { readonly kind: 'error'; readonly text: string }
  /** A message of the upper layer; undefined: one of which we make nothing. */
  | { readonly kind: 'message'; readonly message: Message | undefined }

/** Of an error's text; longer ones are refused. */
const errorBytesMax = 2 * nameBytesMax

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

/** How a stream's frames are encrypted. The head of a sealed frame (type, length) is authenticated with it. */
export interface FrameSealing {
  readonly isOn: boolean
  /** A frame in the clear is refused. */
  readonly demands: boolean
  seal(plain: Uint8Array, additional: Uint8Array): Uint8Array
  unseal(sealed: Uint8Array, additional: Uint8Array): Uint8Array | undefined
}

/** Type and length, big-endian. */
const sealedHeadBytes = 5

export function sealFrame(sealing: FrameSealing, plain: Uint8Array): Uint8Array {
  const length = plain.length + sealBytes
  const head = Uint8Array.of(lowerType.encrypt, length >>> 24, length >>> 16, length >>> 8, length)
  return concatBytes([head, sealing.seal(plain, head)])
}

const inTheClear: FrameSealing = { isOn: false, demands: false, seal: (plain) => plain, unseal: () => undefined }

/**
 * Gathers the bytes of one frame. Bounded by `streamBytesMax`, of what arrives and of what it expands to; each byte is
 * gone over once while the frame is incomplete, in whatever pieces it comes. Bytes after the frame are left alone.
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

  /** The frame once it is complete, undefined before. An error means that the stream is beyond repair. */
  push(bytes: Uint8Array): Result<StreamFrame | undefined, string> {
    if (this.#length + bytes.length > streamBytesMax) return err('a frame is longer than allowed')
    this.#append(bytes)
    if (this.#length === 0) return ok(undefined)
    if (this.#bytes[0] === lowerType.encrypt) return this.#unseal()
    if (this.#sealing.demands) return err('it is not encrypted')
    this.#scan ??= new FrameScan(this.#bytes[0] as number)
    const step = this.#scan.scan(this.#bytes, this.#length)
    if (step === 'more') return ok(undefined)
    if (step === 'bad') return err('a frame cannot be read')
    return decodeFrame(this.#bytes.subarray(0, this.#length))
  }

  #unseal(): Result<StreamFrame | undefined, string> {
    if (!this.#sealing.isOn) return err('it is encrypted, and encryption is not configured here')
    if (this.#length < sealedHeadBytes) return ok(undefined)
    let announced = 0
    for (let at = 1; at < sealedHeadBytes; at++) announced = announced * 256 + (this.#bytes[at] as number)
    const end = sealedHeadBytes + announced
    if (end > streamBytesMax) return err('a frame is longer than allowed')
    if (this.#length < end) return ok(undefined)
    const head = this.#bytes.subarray(0, sealedHeadBytes)
    const plain = this.#sealing.unseal(this.#bytes.subarray(sealedHeadBytes, end), head)
    if (plain === undefined) return err('no key of ours opens it')
    const whole = plain.length > 0 && new FrameScan(plain[0] as number).scan(plain, plain.length) === 'complete'
    return whole ? decodeFrame(plain) : err('a frame cannot be read')
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

/** A frame that is there whole. */
function decodeFrame(bytes: Uint8Array): Result<StreamFrame, string> {
  if (bytes[0] !== lowerType.compress) return decodePlain(bytes)
  const packed = readCompressed(new ValueReader(bytes, 1), streamBytesMax)
  if (packed === undefined) return err('a compressed frame cannot be read')
  const plain = expandLzw(packed, streamBytesMax)
  if (!plain.ok) return plain
  const type = plain.value[0]
  if (type === undefined || type === lowerType.compress) return err('a compressed frame holds none')
  const whole = new FrameScan(type).scan(plain.value, plain.value.length)
  return whole === 'complete' ? decodePlain(plain.value) : err('a compressed frame cannot be read')
}

function decodePlain(bytes: Uint8Array): Result<StreamFrame, string> {
  const reader = new ValueReader(bytes, 1)
  const frame = readPlain(bytes[0] as number, reader, bytes)
  return frame === undefined || reader.failed ? err('a frame cannot be read') : ok(frame)
}

function readPlain(type: number, from: ValueReader, bytes: Uint8Array): StreamFrame | undefined {
  switch (type) {
    case lowerType.ping:
      return { kind: 'ping', ...readPing(from) }
    case lowerType.ack: {
      const { sequence, payload } = readAck(from)
      return { kind: 'ack', sequence, payload }
    }
    case lowerType.error:
      return { kind: 'error', text: readError(from) }
    case lowerType.user:
      return readUser(from, bytes)
    case lowerType.pushPull:
      return readState(from, bytes)
    default:
      return undefined
  }
}

function readError(from: ValueReader): string {
  let text = ''
  for (let left = from.mapHead(); left > 0 && !from.failed; left--) {
    if (from.key() === 'Error') text = from.text(errorBytesMax)
    else from.skip()
  }
  return text
}

function readUser(from: ValueReader, bytes: Uint8Array): StreamFrame | undefined {
  const length = readUserLength(from)
  if (length === undefined) return undefined
  const body = bytes.subarray(from.at, from.at + length)
  const message = readUpperMessage(body[0] ?? -1, new ValueReader(body, 1))
  if (message === undefined) return undefined
  return { kind: 'message', message: message === 'ignored' ? undefined : message }
}

/** The nodes end where the upper layer's part begins: they are gone over first, to find it. */
function readState(from: ValueReader, bytes: Uint8Array): StreamFrame | undefined {
  const head = readStateHead(from)
  if (head === undefined) return undefined
  const nodes = new ValueReader(bytes, from.at)
  for (let left = head.nodes; left > 0 && !from.failed; left--) from.skip()
  if (from.failed) return undefined
  const state = readFullState(head, nodes, bytes.subarray(from.at, from.at + head.upperBytes))
  return state === undefined ? undefined : { kind: 'full-state', state }
}
