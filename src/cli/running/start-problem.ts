import type { StartFailure } from '../../agent/boot/lifecycle.ts'
import { loadTls } from '../../agent/boot/tls-material.ts'
import { wantedDefinitions } from '../../agent/local/file-definitions.ts'
import type { LoadedConfig } from '../../config/load.ts'
import { problemLines } from '../../config/problem.ts'
import type { Env } from '../../env/env.ts'

/**
 * Problems that would stop an agent although its configuration is valid: the content of named files, and checks of
 * undefined services. Empty: no problem can be found before the start.
 */
export async function startProblems(env: Env, { config, placeOf }: LoadedConfig): Promise<readonly string[]> {
  const tls = await loadTls(env, config.tls)
  const data = config.dataDir === undefined ? undefined : await env.disk.stat(config.dataDir)
  // A data directory that exists may contain the service, registered over HTTP.
  const definitions = wantedDefinitions(config, [], () => data?.ok === true)
  return [...(tls.ok ? [] : [startFailureText(tls.error, placeOf)]), ...(definitions.ok ? [] : [definitions.error])]
}

/** For a terminal, with the place of the key at fault. */
export function startFailureText({ message, remedy, key }: StartFailure, placeOf: LoadedConfig['placeOf']): string {
  const place = key === undefined ? '' : placeOf(key.split('.'))
  return problemLines({ place: place === 'config' ? '' : place, message, remedy })
}
