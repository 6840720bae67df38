import type { Env } from '../../../env/env.ts'
import type { Http2Request, Http2Response, HttpClientFailure, HttpHeaders } from '../../../env/http.ts'
import type { TlsOptions } from '../../../env/net.ts'
import type { CheckProbe } from '../../../model/catalog.ts'
import { productTitle } from '../../../model/names.ts'
import { checkRequest, healthCheckPath, messageBytesMax, serving, servingStatus } from './grpc-health.ts'
import { critical, failureText, firstText, type Outcome } from './outcome.ts'
import { firstReached, placesAt } from './place.ts'
import { probeTls } from './probe-tls.ts'
import { statusText } from './reason-phrases.ts'
import { hostOf } from './url.ts'

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
export async function probeGrpc(env: Env, probe: GrpcProbe, own?: TlsOptions): Promise<Outcome> {
  const { target, timeoutMs } = probe
  const slash = target.indexOf('/')
  const authority = slash < 0 ? target : target.slice(0, slash)
  const service = slash < 0 ? '' : target.slice(slash + 1)
  const places = await placesAt(env, authority, timeoutMs)
  if (!places.ok) return refused('Unavailable', places.error)
  const request = requestOf(probe, authority, service, own)
  const answer = await firstReached(places.value, (to) => env.http.requestHttp2(to, request))
  if (answer.ok) return outcomeOf(target, answer.value)
  if (answer.error.kind === 'timeout') return refused('DeadlineExceeded', `no answer within ${timeoutMs} ms`)
  return refused('Unavailable', whyBroken(answer.error))
}

function requestOf(probe: GrpcProbe, authority: string, service: string, own: TlsOptions | undefined): Http2Request {
  const { timeoutMs, useTls, tlsSkipVerify } = probe
  const tls = probeTls(hostOf(authority), tlsSkipVerify, own)
  return {
    authority,
    method: 'POST',
    target: healthCheckPath,
    headers: [
      ['content-type', 'application/grpc'],
      ['te', 'trailers'],
      ['user-agent', `${productTitle} Health Check`],
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
