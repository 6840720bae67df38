import { err, ok, type Result } from '../../base/result.ts'
import { expandedBytesMax, nameBytesMax, streamBytesMax } from './bounds.ts'
import { FrameScan, readUserLength } from './frame-scan.ts'
import { readState } from './full-state.ts'
import { LzwExpansion, lzwBeginning } from './lzw.ts'
import { readAck, readPing, readUpperMessage } from './message-decoder.ts'
import { isProbeType, lowerType } from './message-types.ts'
import { readCompressed } from './packet-decoder.ts'
import { type Sliced, wholly } from './sliced.ts'
import { type FrameSealing, inTheClear, type StreamFrame, sealedHeadBytes } from './stream-frame.ts'
import { ValueReader } from './value-reader.ts'

/** Maximum size of an error's text; longer ones are refused. */
const errorBytesMax = 2 * nameBytesMax

/** Maximum number of compressed bytes that are read in one slice, and of bytes written: some half a millisecond. */
const sliceReadBytes = 16 << 10
const sliceWrittenBytes = 64 << 10

/**
 * Writing one byte of an expanded code takes a quarter of the time of decoding one byte; so does finding where values
 * end.
 */
const cheaperBy = 4

/** Maximum size of a frame of the probe protocol, even with the longest name or a coordinate, and sealed. */
const probeFrameBytesMax = 512

/** Maximum size of an expanded probe. */
const probeBytesMax = 1_280

/** Why a packet or a frame is dropped if the agent has keys, and none of them decrypts it. */
export const noKeyOpens =
  'none of our keys decrypts it: the sender has another encrypt key, or a key was changed or removed in the keyring'

/**
 * The ping or the acknowledgement in a frame; undefined for any other frame, and for one that is larger. For messages
 * that must be answered at once, even while other work is under way: it costs no more than a packet.
 */
export function openProbe(bytes: Uint8Array, sealing: FrameSealing = inTheClear): StreamFrame | undefined {
  if (bytes.length > probeFrameBytesMax) return undefined
  const clear = bytes[0] === lowerType.encrypt ? wholly(unsealed(bytes, sealing)) : bytes
  const packed = clear?.[0] === lowerType.compress ? readCompressed(new ValueReader(clear, 1), clear.length) : undefined
  const plain = packed === undefined ? clear : lzwBeginning(packed, probeBytesMax)
  const type = plain?.[0]
  if (plain === undefined || type === undefined || !isProbeType(type)) return undefined
  const reader = new ValueReader(plain, 1)
  const frame = readSmall(type, reader, plain)
  return reader.failed ? undefined : frame
}

/** Decodes a complete frame. As in the field, from the outside in, it is encrypted, compressed, one message. */
export function* openFrame(bytes: Uint8Array, sealing: FrameSealing = inTheClear): Sliced<Result<StreamFrame, string>> {
  let clear = bytes
  if (bytes[0] === lowerType.encrypt) {
    const plain = yield* unsealed(bytes, sealing)
    if (plain === undefined) return err(noKeyOpens)
    clear = plain
  }
  if (clear[0] !== lowerType.compress) return yield* decodePlain(clear)
  const plain = yield* expanded(clear)
  if (!plain.ok) return plain
  const type = plain.value[0]
  return type === undefined || type === lowerType.compress
    ? err('a compressed frame has no message in it')
    : yield* decodePlain(plain.value)
}

function unsealed(bytes: Uint8Array, sealing: FrameSealing): Sliced<Uint8Array | undefined> {
  return sealing.unseal(bytes.subarray(sealedHeadBytes), bytes.subarray(0, sealedHeadBytes))
}

function* expanded(bytes: Uint8Array): Sliced<Result<Uint8Array, string>> {
  const packed = readCompressed(new ValueReader(bytes, 1), streamBytesMax)
  if (packed === undefined) return err('a compressed frame cannot be read')
  const expansion = new LzwExpansion(packed, expandedBytesMax(packed.length, streamBytesMax))
  for (;;) {
    const { read, written } = expansion
    const step = expansion.step(sliceReadBytes, sliceWrittenBytes)
    yield expansion.read - read + (expansion.written - written) / cheaperBy
    if (!step.ok) return step
    if (step.value !== undefined) return ok(step.value)
  }
}

function* decodePlain(bytes: Uint8Array): Sliced<Result<StreamFrame, string>> {
  const type = bytes[0]
  const isWhole = type !== undefined && new FrameScan(type).scan(bytes, bytes.length) === 'complete'
  yield bytes.length / cheaperBy
  if (!isWhole) return err('a frame cannot be read')
  const reader = new ValueReader(bytes, 1)
  const frame = type === lowerType.pushPull ? yield* readExchange(reader, bytes) : readSmall(type, reader, bytes)
  return frame === undefined || reader.failed ? err('a frame cannot be read') : ok(frame)
}

function* readExchange(from: ValueReader, bytes: Uint8Array): Sliced<StreamFrame | undefined> {
  const state = yield* readState(from, bytes)
  return state === undefined ? undefined : { kind: 'full-state', state }
}

function readSmall(type: number, from: ValueReader, bytes: Uint8Array): StreamFrame | undefined {
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
    default:
      return undefined
  }
}

function readError(from: ValueReader): string {
  let text = ''
  for (let left = from.fields(); left > 0 && !from.failed; left--) {
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
