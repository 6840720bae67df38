import { concatBytes, emptyBytes, utf8 } from '../../../base/bytes.ts'
import { err, ok, type Result } from '../../../base/result.ts'

/**
 * The two messages of `grpc.health.v1`, and the gRPC frame around a message: one byte for compression, four bytes of
 * length. Source: grpc/health/v1/health.proto; gRPC over HTTP/2; protobuf encoding.
 */
export const healthCheckPath = '/grpc.health.v1.Health/Check'

/** `HealthCheckResponse.ServingStatus.SERVING`. */
export const serving = 1

/** The messages are a few bytes long; a longer one belongs to another protocol. */
export const messageBytesMax = 4096

const lengthDelimited = 2

/** `HealthCheckRequest { string service = 1; }`, framed. */
export function checkRequest(service: string): Uint8Array {
  const name = utf8(service)
  const message =
    name.length === 0
      ? emptyBytes
      : concatBytes([new Uint8Array([(1 << 3) | lengthDelimited, ...varint(name.length)]), name])
  const { length } = message
  return concatBytes([new Uint8Array([0, length >>> 24, length >>> 16, length >>> 8, length]), message])
}

/** The status of a framed `HealthCheckResponse { ServingStatus status = 1; }`; 0 if it is absent. */
export function servingStatus(frame: Uint8Array): Result<number, string> {
  const [compressed = 0, a = 0, b = 0, c = 0, d = 0] = frame
  if (frame.length < 5) return err('an answer without a message')
  if (compressed !== 0) return err('a compressed message')
  const length = a * 0x1000000 + b * 0x10000 + c * 0x100 + d
  if (frame.length !== length + 5) return err('a message of the wrong length')
  return statusIn(frame.subarray(5))
}

function statusIn(message: Uint8Array): Result<number, string> {
  const malformed = err('a malformed message')
  let status = 0
  for (let at = 0; at < message.length; ) {
    const key = readVarint(message, at)
    if (key === undefined) return malformed
    const wire = key.value & 7
    const value = wire === 0 || wire === lengthDelimited ? readVarint(message, key.end) : undefined
    if (value !== undefined && wire === 0 && key.value >>> 3 === 1) status = value.value
    const end = wire === 1 ? key.end + 8 : wire === 5 ? key.end + 4 : value?.end
    if (end === undefined) return malformed
    at = wire === lengthDelimited ? end + (value?.value ?? 0) : end
    if (at > message.length) return malformed
  }
  return ok(status)
}

function varint(value: number): readonly number[] {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80)
  return [...bytes, rest]
}

/** A varint of at most 64 bits, of which the lower 32 are returned. Undefined: truncated or too long. */
function readVarint(bytes: Uint8Array, at: number): { readonly value: number; readonly end: number } | undefined {
  let value = 0
  for (let i = 0; i < 10; i++) {
    const byte = bytes[at + i]
    if (byte === undefined) return undefined
    if (i < 5) value |= (byte & 0x7f) << (7 * i)
    if (byte < 0x80) return { value: value >>> 0, end: at + i + 1 }
  }
  return undefined
}
