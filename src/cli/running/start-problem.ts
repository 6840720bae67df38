import type { StartFailure } from '../../agent/boot/lifecycle.ts'
import { loadTls } from '../../agent/boot/tls-material.ts'
import { wantedDefinitions } from '../../agent/local/file-definitions.ts'
import type { LoadedConfig } from '../../config/load.ts'
import { problemLines } from '../../config/problem.ts'
import type { Env } from '../../env/env.ts'

/**
 * What would stop an agent with a configuration that holds by itself: what is in the files that it names, and checks of
 * services that nobody defines. None: nothing that can be told before it starts.
 */
export async function startProblems(env: Env, { config, placeOf }: LoadedConfig): Promise<readonly string[]> {
  const tls = await loadTls(env, config.tls)
  const data = config.dataDir === undefined ? undefined : await env.disk.stat(config.dataDir)
  // A data directory that is there may have the service, registered over HTTP.
  const definitions = wantedDefinitions(config, [], () => data?.ok === true)
  return [...(tls.ok ? [] : [startFailureText(tls.error, placeOf)]), ...(definitions.ok ? [] : [definitions.error])]
}

/** For a terminal, with the place of the key that it is about. */
export function startFailureText({ message, remedy, key }: StartFailure, placeOf: LoadedConfig['placeOf']): string {
  const place = key === undefined ? '' : placeOf(key.split('.'))
  return problemLines({ place: place === 'config' ? '' : place, message, remedy })
}
