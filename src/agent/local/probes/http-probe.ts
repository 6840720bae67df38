import { err, ok, type Result } from '../../../base/result.ts'
import type { Env } from '../../../env/env.ts'
import type { HttpClientRequest, HttpClientResponse } from '../../../env/http.ts'
import { endpointText, type TlsOptions } from '../../../env/net.ts'
import type { CheckProbe } from '../../../model/catalog.ts'
import { type Naming, svcNaming } from '../../../model/naming/naming.ts'
import { critical, failureText, lastText, type Outcome, outputBytesMax } from './outcome.ts'
import {
  basicCredentials,
  firstReached,
  hostOf,
  isWithin,
  parseWebUrl,
  placesAt,
  probeTls,
  resolveLocation,
  urlText,
  type WebUrl,
  withoutPassword,
} from './place.ts'
import { statusText } from './reason-phrases.ts'

export type HttpProbe = Extract<CheckProbe, { kind: 'http' }>

const redirectsMax = 10
const defaultPorts = { http: 80, https: 443 } as const
/** Headers that may hold a secret, which is meant for the target of the check. Source: Go, `net/http`. */
const secretHeaders: ReadonlySet<string> = new Set(['authorization', 'cookie', 'cookie2', 'www-authenticate'])

/**
 * One run of an HTTP check: 2xx passes, 429 warns, everything else is critical. Reference: definitions.md#check-http.
 */
export async function probeHttp(
  env: Env,
  probe: HttpProbe,
  own?: TlsOptions,
  { title }: Pick<Naming, 'title'> = svcNaming,
): Promise<Outcome> {
  const method = probe.method === '' ? 'GET' : probe.method
  const answer = await followed({ env, probe, own, title, header: probe.header }, method)
  if (!answer.ok) return critical(`${verb(method)} ${answer.error.url}: ${answer.error.reason}`)
  const { status, body } = answer.value
  const output = `HTTP ${method} ${withoutPassword(probe.url)}: ${statusText(status)} Output: ${lastText(body)}`
  if (status >= 200 && status <= 299) return { status: 'passing', output }
  return { status: status === 429 ? 'warning' : 'critical', output }
}

interface Failed {
  readonly url: string
  readonly reason: string
}

/** One run. `own`: the agent's certificate and trusted authorities, if its checks use them. */
interface Run {
  readonly env: Env
  readonly probe: HttpProbe
  readonly own: TlsOptions | undefined
  readonly title: string
  /** The headers of the definition, as far as they are for the place that is asked. */
  readonly header: HttpProbe['header']
}

/** The response after all redirects, which share the timeout of one run. */
async function followed(run: Run, firstMethod: string): Promise<Result<HttpClientResponse, Failed>> {
  const { env, probe } = run
  const endMs = env.clock.monoMs() + probe.timeoutMs
  const first = parseWebUrl(probe.url)
  if (!first.ok) return err({ url: withoutPassword(probe.url), reason: first.error })
  let url = first.value
  let method = firstMethod
  let { header } = run
  for (let redirects = 0; redirects <= redirectsMax; redirects++) {
    const answer = await asked({ ...run, header }, url, method, endMs)
    if (!answer.ok) return err({ url: urlText(url), reason: answer.error })
    const next = redirection(url, answer.value)
    if (next === undefined) return ok(answer.value)
    if (!next.ok) return err({ url: urlText(url), reason: next.error })
    header = header.filter(([name]) => isFor(name, first.value, next.value, answer.value))
    url = next.value
    // RFC 9110, section 15.4: only 307 and 308 keep a method that is not safe.
    if (answer.value.status <= 303 && method !== 'HEAD') method = 'GET'
  }
  return err({ url: urlText(url), reason: `stopped after ${redirectsMax} redirects` })
}

async function asked(
  { env, probe, own, title, header }: Run,
  url: WebUrl,
  method: string,
  endMs: number,
): Promise<Result<HttpClientResponse, string>> {
  const places = await placesAt(env, url.authority, Math.max(1, endMs - env.clock.monoMs()), defaultPorts[url.scheme])
  if (!places.ok) return places
  if (endMs <= env.clock.monoMs()) return err(`dial tcp ${endpointText(places.value[0])}: i/o timeout`)
  const headers = headersOf(header, url, title)
  const tls = url.scheme === 'https' ? { tls: probeTls(hostOf(url.authority), probe.tlsSkipVerify, own) } : {}
  const request: Omit<HttpClientRequest, 'timeoutMs'> = {
    method,
    target: url.target,
    headers,
    tailBytes: outputBytesMax,
    // As in the field, the status alone counts, though the body breaks off or does not end.
    takesPart: true,
    ...tls,
  }
  const answer = await firstReached(places.value, (to) =>
    env.http.request(to, { ...request, timeoutMs: Math.max(1, endMs - env.clock.monoMs()) }),
  )
  return answer.ok ? answer : err(failureText(answer.error))
}

function redirection(url: WebUrl, answer: HttpClientResponse): Result<WebUrl, string> | undefined {
  if (![301, 302, 303, 307, 308].includes(answer.status)) return undefined
  const location = answer.headers.get('location')
  return location === undefined ? undefined : resolveLocation(url, location)
}

/**
 * Whether a header of the definition goes to the next place as well. A secret goes only where the target of the check
 * could send it: not to another host, and not to another port. A host name goes along with a relative redirect.
 */
function isFor(name: string, target: WebUrl, next: WebUrl, { headers }: HttpClientResponse): boolean {
  const lower = name.toLowerCase()
  if (secretHeaders.has(lower)) return isWithin(next, target, defaultPorts)
  return lower !== 'host' || !/^([a-z][a-z0-9+.-]*:|\/\/)/i.test(headers.get('location') ?? '')
}

function headersOf(header: HttpProbe['header'], url: WebUrl, title: string): readonly (readonly [string, string])[] {
  const given = header.flatMap(([name, values]) => values.map((value) => [name, value] as const))
  const missing = (name: string): boolean => !given.some(([own]) => own.toLowerCase() === name)
  return [
    // A connection of its own for each run: a server that closes idle connections must not look unhealthy.
    ['Connection', 'close'],
    ...(missing('host') ? [['Host', url.authority] as const] : []),
    ...(missing('user-agent') ? [['User-Agent', `${title} Health Check`] as const] : []),
    ...(missing('accept') ? [['Accept', 'text/plain, text/*, */*'] as const] : []),
    ...(missing('authorization') ? authorizationOf(url) : []),
    ...given,
  ]
}

/** A user in the URL identifies itself to the server, as in the field. */
function authorizationOf({ user }: WebUrl): readonly (readonly [string, string])[] {
  const credentials = user === '' ? undefined : basicCredentials(user)
  return credentials === undefined ? [] : [['Authorization', credentials]]
}

/** `Get`, as error messages of the field begin. */
function verb(method: string): string {
  return method.slice(0, 1).toUpperCase() + method.slice(1).toLowerCase()
}
