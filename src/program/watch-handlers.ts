import { lastText } from '../agent/local/probes/outcome.ts'
import {
  basicCredentials,
  firstReached,
  hostOf,
  parseWebUrl,
  placesAt,
  type WebUrl,
} from '../agent/local/probes/place.ts'
import type { WatchHandler } from '../agent/settings/watch-settings.ts'
import { utf8 } from '../base/bytes.ts'
import { type Json, writeJson } from '../base/json.ts'
import { err, ok, type Result } from '../base/result.ts'
import type { Env } from '../env/env.ts'
import { indexVariables } from '../features/watch/model.ts'
import type { WatchChange } from '../features/watch/watching.ts'
import { headerName, type ProductNames } from '../model/naming/names.ts'

/** Timeout after which a program is killed; until it ends, it gets nothing more. */
const scriptTimeoutMs = 3_600_000
/** Maximum number of bytes of a handler's output that are logged. */
const outputBytesMax = 4 << 10

/** Runs a handler. Its output is logged; the error is one line. */
export async function runHandler(
  env: Env,
  names: ProductNames,
  handler: WatchHandler,
  change: Pick<WatchChange, 'index' | 'value'>,
): Promise<Result<string, string>> {
  const input = utf8(`${writeJson(change.value as Json, false)}\n`)
  const index = String(change.index)
  if (handler.kind === 'script') return runScript(env, handler.argv, input, indexVariables(names, index))
  return sendTo(env, handler, input, [headerName(names.naming.name, 'index'), index])
}

async function runScript(
  env: Env,
  argv: readonly [string, ...string[]],
  input: Uint8Array,
  environment: ReadonlyMap<string, string>,
): Promise<Result<string, string>> {
  const ran = await env.processes.run(argv, { timeoutMs: scriptTimeoutMs, outputBytesMax, environment, input })
  if (!ran.ok) return err(`${ran.error.program}: ${ran.error.message}`)
  const { exit, output, timedOut } = ran.value
  if (timedOut) return err('it took too long, and was killed')
  return exit === 0 ? ok(lastText(output)) : err(`exit status ${exit}: ${lastText(output)}`)
}

async function sendTo(
  env: Env,
  handler: Extract<WatchHandler, { kind: 'http' }>,
  body: Uint8Array,
  index: readonly [name: string, value: string],
): Promise<Result<string, string>> {
  const url = parseWebUrl(handler.url)
  if (!url.ok) return url
  const { method, timeoutMs } = handler
  const places = await placesAt(env, url.value.authority, timeoutMs, url.value.scheme === 'https' ? 443 : 80)
  if (!places.ok) return places
  const headers = [
    ['Content-Type', 'application/json'] as const,
    index,
    ['Host', url.value.authority] as const,
    ...credentialsOf(url.value, handler.headers),
    ...handler.headers,
  ]
  const tls = tlsOf(url.value, handler.tlsSkipVerify)
  const request = { method, target: url.value.target, headers, body, timeoutMs, tailBytes: outputBytesMax, ...tls }
  const answer = await firstReached(places.value, (to) => env.http.request(to, request))
  if (!answer.ok) {
    const { error } = answer
    return err(`${url.value.authority}: ${'message' in error ? error.message : error.kind}`)
  }
  const { status, body: said } = answer.value
  return status >= 200 && status <= 299 ? ok(lastText(said)) : err(`status ${status}: ${lastText(said)}`)
}

function credentialsOf({ user }: WebUrl, headers: readonly (readonly [string, string])[]) {
  const isGiven = headers.some(([name]) => name.toLowerCase() === 'authorization')
  const credentials = user === '' || isGiven ? undefined : basicCredentials(user)
  return credentials === undefined ? [] : [['Authorization', credentials] as const]
}

function tlsOf({ scheme, authority }: WebUrl, skip: boolean) {
  if (scheme !== 'https') return {}
  const serverName = hostOf(authority)
  return { tls: { trustedPems: [], trust: skip ? 'anyone' : 'system', serverName } as const }
}
