import { concatBytes, emptyBytes, utf8 } from '../../../base/bytes.ts'
import { err, ok, type Result } from '../../../base/result.ts'
import type { Env } from '../../../env/env.ts'
import type { Http2Request, Http2Response, HttpClientFailure, HttpHeaders } from '../../../env/http.ts'
import type { TlsOptions } from '../../../env/net.ts'
import type { CheckProbe } from '../../../model/catalog.ts'
import { type Naming, svcNaming } from '../../../model/naming/naming.ts'
import { critical, failureText, firstText, type Outcome } from './outcome.ts'
import { firstReached, hostOf, placesAt, probeTls } from './place.ts'
import { statusText } from './reason-phrases.ts'

export type GrpcProbe = Extract<CheckProbe, { kind: 'grpc' }>

/** gRPC, statuscodes.md; in the order of their numbers. */
const codeNames = [
  'OK',
  'Canceled',
  'Unknown',
  'InvalidArgument',
  'DeadlineExceeded',
  'NotFound',
  'AlreadyExists',
  'PermissionDenied',
  'ResourceExhausted',
  'FailedPrecondition',
  'Aborted',
  'OutOfRange',
  'Unimplemented',
  'Internal',
  'Unavailable',
  'DataLoss',
  'Unauthenticated',
] as const

/** gRPC, http-grpc-status-mapping.md. */
const codesOfStatuses: ReadonlyMap<number, (typeof codeNames)[number]> = new Map([
  [400, 'Internal'],
  [401, 'Unauthenticated'],
  [403, 'PermissionDenied'],
  [404, 'Unimplemented'],
  [429, 'Unavailable'],
  [502, 'Unavailable'],
  [503, 'Unavailable'],
  [504, 'Unavailable'],
])

/** One run of a gRPC check: SERVING passes, everything else is critical. Reference: definitions.md#check-grpc. */
export async function probeGrpc(
  env: Env,
  probe: GrpcProbe,
  own?: TlsOptions,
  naming: Naming = svcNaming,
): Promise<Outcome> {
  const { target, timeoutMs } = probe
  const endMs = env.clock.monoMs() + timeoutMs
  const slash = target.indexOf('/')
  const given = slash < 0 ? target : target.slice(0, slash)
  // A target without a host is this machine, and a request must name some host.
  const authority = given.startsWith(':') ? `localhost${given}` : given
  const service = slash < 0 ? '' : target.slice(slash + 1)
  const places = await placesAt(env, authority, timeoutMs)
  if (!places.ok) return refused('Unavailable', places.error)
  const answer = await firstReached(places.value, (to) => {
    const leftMs = Math.max(1, endMs - env.clock.monoMs())
    return env.http.requestHttp2(
      to,
      requestOf({ ...probe, timeoutMs: leftMs }, authority, service, { own, title: naming.title }),
    )
  })
  if (answer.ok) return outcomeOf(target, answer.value)
  if (answer.error.kind === 'timeout') return refused('DeadlineExceeded', `no answer within ${timeoutMs} ms`)
  return refused('Unavailable', whyBroken(answer.error))
}

function requestOf(
  probe: GrpcProbe,
  authority: string,
  service: string,
  { own, title }: { readonly own: TlsOptions | undefined; readonly title: string },
): Http2Request {
  const { timeoutMs, useTls, tlsSkipVerify } = probe
  const tls = probeTls(hostOf(authority), tlsSkipVerify, own)
  return {
    authority,
    method: 'POST',
    target: healthCheckPath,
    headers: [
      ['content-type', 'application/grpc'],
      ['te', 'trailers'],
      ['user-agent', `${title} Health Check`],
      ['grpc-timeout', `${Math.min(Math.ceil(timeoutMs), 99_999_999)}m`],
    ],
    body: checkRequest(service),
    timeoutMs,
    bodyBytesMax: messageBytesMax,
    ...(useTls ? { tls } : {}),
  }
}

function outcomeOf(target: string, { status, headers, trailers, body }: Http2Response): Outcome {
  if (status !== 200) {
    const why = `unexpected HTTP status code received from server: ${statusText(status)}`
    return refused(codesOfStatuses.get(status) ?? 'Unknown', why)
  }
  // A response without a message carries the status in its only headers.
  const ended = trailers.has('grpc-status') ? trailers : headers
  const code = ended.get('grpc-status')
  if (code === undefined) return refused('Internal', 'server closed the stream without sending trailers')
  if (code !== '0') return refused(codeNames[Number(code)] ?? `Code(${code})`, messageOf(ended))
  const found = servingStatus(body)
  if (!found.ok) return refused('Internal', found.error)
  if (found.value !== serving) return critical("gRPC application didn't report service healthy")
  return { status: 'passing', output: `gRPC check ${target}: success` }
}

function refused(code: string, why: string): Outcome {
  return critical(firstText(`rpc error: code = ${code} desc = ${why}`))
}

/** The message before it was percent-encoded for the header; a malformed one stays as it is. */
function messageOf(headers: HttpHeaders): string {
  const text = headers.get('grpc-message') ?? ''
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function whyBroken(failure: HttpClientFailure): string {
  return failure.kind === 'broken' ? failure.message : failureText(failure)
}

/**
 * The two messages of `grpc.health.v1`, and the gRPC frame around a message: one byte for compression, four bytes of
 * length. Source: grpc/health/v1/health.proto; gRPC over HTTP/2; protobuf encoding.
 */
const healthCheckPath = '/grpc.health.v1.Health/Check'

/** `HealthCheckResponse.ServingStatus.SERVING`. */
const serving = 1

/** The messages are a few bytes long; a longer one belongs to another protocol. */
const messageBytesMax = 4096

const lengthDelimited = 2

/** `HealthCheckRequest { string service = 1; }`, framed. */
function checkRequest(service: string): Uint8Array {
  const name = utf8(service)
  const message =
    name.length === 0
      ? emptyBytes
      : concatBytes([new Uint8Array([(1 << 3) | lengthDelimited, ...varint(name.length)]), name])
  const { length } = message
  return concatBytes([new Uint8Array([0, length >>> 24, length >>> 16, length >>> 8, length]), message])
}

/** The status of a framed `HealthCheckResponse { ServingStatus status = 1; }`; 0 if it is absent. */
function servingStatus(frame: Uint8Array): Result<number, string> {
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
