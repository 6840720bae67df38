import { textOf, utf8 } from '../../../../base/bytes.ts'
import { type Json, jsonOrUndefined, writeJson } from '../../../../base/json.ts'
import { err, ok, type Result } from '../../../../base/result.ts'
import type { Env } from '../../../../env/env.ts'
import type { HttpClientFailure, HttpClientRequest, HttpClientResponse } from '../../../../env/http.ts'
import type { Endpoint, TlsOptions } from '../../../../env/net.ts'
import { isAddress } from '../../../../rpc/address.ts'
import { type CallFailure, failureOf, misread, transportText, unavailable } from './call-failure.ts'
import { tlsOfManager } from './manager-tls.ts'
import type { ManagerAddress, ManagerOptions } from './options.ts'

/** Timeout of one exchange, from the lookup of the name to the last byte of the answer. */
const callTimeoutMs = 10_000
/** Maximum size of an answer; recorded ones have a few KiB. */
const answerBytesMax = 256 << 10
/** Maximum number of concurrent exchanges; further ones fail as retryable. */
const callsMax = 64
/** Maximum number of addresses of a name that are tried. */
const addressesMax = 8
/**
 * How long calls that began before the provider was closed may still finish: leaves that were recorded under its root
 * when the configuration changed. They wait in groups; their callers wait no longer than this anyway.
 */
const finishMs = 30_000
/** A standby that does not forward requests redirects to the active node; the active node does not redirect again. */
const redirectsMax = 1

/** The answer to a successful call. */
export interface ManagerAnswer {
  readonly status: number
  /** `data` of a JSON answer; otherwise undefined. */
  readonly data: Readonly<Record<string, unknown>> | undefined
  /** `auth` of a JSON answer, present if a token was created or renewed. */
  readonly auth: Readonly<Record<string, unknown>> | undefined
  /** The text of any other answer. */
  readonly text: string
}

/** The monotonic time by which a call must be over. */
export type Deadline = number

export type Called<T> = Promise<Result<T, CallFailure>>

/**
 * Calls the secrets manager's HTTP API: limited in time, size and number. The token appears in no text that leaves this
 * class.
 */
export class ManagerClient {
  readonly #env: Env
  readonly #options: ManagerOptions
  #underWay = 0
  #closedMs: number | undefined

  constructor(env: Env, options: ManagerOptions) {
    this.#env = env
    this.#options = options
  }

  close(): void {
    this.#closedMs ??= this.#env.clock.monoMs()
  }

  /**
   * `path` follows `/v1/`, and is sent as it is. `finishes`: a call that began before the provider was closed, and has
   * a time limit (`finishMs`).
   */
  async call(
    method: 'GET' | 'PUT' | 'POST',
    path: string,
    body: Json | undefined,
    until: Deadline,
    { finishes = false }: { readonly finishes?: boolean } = {},
  ): Called<ManagerAnswer> {
    const what = `${method} ${path}`
    const { token } = this.#options
    if (this.#isOver(finishes)) return err(unavailable(what, 'the provider is closed', token))
    if (this.#underWay >= callsMax) return err(unavailable(what, 'too many calls are under way', token))
    this.#underWay++
    const startMs = this.#env.clock.monoMs()
    const answer = await this.#exchanged(method, path, body, Math.min(until, startMs + callTimeoutMs))
    this.#underWay--
    const { metrics, clock } = this.#env
    metrics.sample('connect.ca.provider.call', clock.monoMs() - startMs)
    const read = answer.ok ? this.#read(what, answer.value) : err(unavailable(what, answer.error, token))
    if (!read.ok) metrics.count('connect.ca.provider.call-failed')
    return read
  }

  #isOver(finishes: boolean): boolean {
    if (this.#closedMs === undefined) return false
    return !finishes || this.#env.clock.monoMs() - this.#closedMs >= finishMs
  }

  async #exchanged(
    method: string,
    path: string,
    body: Json | undefined,
    until: Deadline,
  ): Promise<Result<HttpClientResponse, string>> {
    const tls = await tlsOfManager(this.#env, this.#options)
    if (!tls.ok) return tls
    let to: ManagerAddress = this.#options.address
    let target = `/v1/${path}`
    for (let redirects = 0; ; redirects++) {
      const request = this.#request(method, target, to, body, tls.value)
      const answer = await this.#sent(to, request, until)
      if (!answer.ok || answer.value.status !== 307) return answer
      const next = redirectOf(answer.value, to)
      if (redirects >= redirectsMax || next === undefined) return err('redirected elsewhere')
      to = next.address
      target = next.target
    }
  }

  #request(
    method: string,
    target: string,
    to: ManagerAddress,
    body: Json | undefined,
    tls: TlsOptions | undefined,
  ): Omit<HttpClientRequest, 'timeoutMs'> {
    const host = to.host.includes(':') ? `[${to.host}]:${to.port}` : `${to.host}:${to.port}`
    const headers: [string, string][] = [
      ['Host', host],
      ['X-Vault-Token', this.#options.token],
    ]
    if (body !== undefined) headers.push(['Content-Type', 'application/json'])
    return {
      method,
      target,
      headers,
      tailBytes: answerBytesMax + 1,
      ...(body === undefined ? {} : { body: utf8(writeJson(body)) }),
      ...(tls === undefined ? {} : { tls }),
    }
  }

  /** Sends to the first address that can be reached. */
  async #sent(
    to: ManagerAddress,
    request: Omit<HttpClientRequest, 'timeoutMs'>,
    until: Deadline,
  ): Promise<Result<HttpClientResponse, string>> {
    const places = await this.#placesOf(to, until)
    if (!places.ok) return places
    let last: HttpClientFailure | undefined
    for (const place of places.value) {
      const leftMs = until - this.#env.clock.monoMs()
      if (leftMs <= 0) break
      const answer = await this.#env.http.request(place, { ...request, timeoutMs: leftMs })
      if (answer.ok) return answer
      last = answer.error
      if (last.kind !== 'refused' && last.kind !== 'unreachable') break
    }
    return err(last === undefined ? 'no answer in time' : transportText(last))
  }

  async #placesOf({ host, port }: ManagerAddress, until: Deadline): Promise<Result<readonly Endpoint[], string>> {
    if (isAddress(host)) return ok([{ host, port }])
    if (host === 'localhost') return ok([{ host: '127.0.0.1', port }])
    const found = await this.#env.names.lookup(host, Math.max(1, until - this.#env.clock.monoMs()))
    if (!found.ok) return err(`its name cannot be looked up (${found.error.kind})`)
    return ok(found.value.slice(0, addressesMax).map((address) => ({ host: address, port })))
  }

  #read(what: string, { status, body }: HttpClientResponse): Result<ManagerAnswer, CallFailure> {
    const { token } = this.#options
    if (body.length > answerBytesMax)
      return err(unavailable(what, `an answer of more than ${answerBytesMax} bytes`, token))
    if (status === 204) return ok({ status, data: undefined, auth: undefined, text: '' })
    const json = recordOf(jsonOrUndefined(body))
    if (status !== 200) {
      // A gateway in front of it has errors of its own, such as 404 while nothing is behind it: these end nothing.
      const errors = errorsOf(json)
      return err(errors === undefined ? misread(what, `status ${status}`) : failureOf(what, status, errors, token))
    }
    const text = textOf(body)
    if (text.trimStart().startsWith('{') && json === undefined)
      return err(unavailable(what, 'the connection ended in the middle of the answer', token))
    return ok({
      status,
      data: recordOf(json?.['data']),
      auth: recordOf(json?.['auth']),
      text: json === undefined ? text : '',
    })
  }
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isRecord ? (value as Readonly<Record<string, unknown>>) : undefined
}

/** Each error of the secrets manager is a list, which may be empty; undefined: the answer has none. */
function errorsOf(json: Readonly<Record<string, unknown>> | undefined): readonly string[] | undefined {
  const errors = json?.['errors']
  return Array.isArray(errors) ? errors.filter((each): each is string => typeof each === 'string') : undefined
}

/** Ports of the schemes, for a `Location` without one: the address that a node advertises may be a load balancer's. */
const usualPorts = { http: 80, https: 443 } as const

/** The token is sent there as well, so a redirect from TLS to a connection without it is refused. */
function redirectOf(
  answer: HttpClientResponse,
  from: ManagerAddress,
): { readonly address: ManagerAddress; readonly target: string } | undefined {
  const found = /^(https?):\/\/(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._-]+))(?::(\d{1,5}))?(\/v1\/\S*)$/.exec(
    answer.headers.get('location') ?? '',
  )
  const scheme = found?.[1]
  const host = found?.[2] ?? found?.[3]
  const target = found?.[5]
  if ((scheme !== 'http' && scheme !== 'https') || host === undefined || target === undefined) return undefined
  if (scheme !== from.scheme) return undefined
  return { address: { scheme, host, port: Number(found?.[4] ?? usualPorts[scheme]) }, target }
}
