import type { AgentConfig } from '../agent/agent-config.ts'
import { definitionsProblem, fileDefinitions } from '../agent/local/file-definitions.ts'
import { loadTls } from '../agent/tls-material.ts'
import type { Env } from '../env/env.ts'

/**
 * What would stop an agent with a configuration that holds by itself: what is in the files that it names, and checks of
 * services that nobody defines. Undefined: nothing that can be told before it starts.
 */
export async function startProblem(env: Env, config: AgentConfig): Promise<string | undefined> {
  const tls = await loadTls(env, config.tls)
  if (!tls.ok) return `${tls.error.message}: ${tls.error.remedy}`
  const data = config.dataDir === undefined ? undefined : await env.disk.stat(config.dataDir)
  // A data directory that is there may have the service, registered over HTTP.
  return definitionsProblem(config, fileDefinitions(config), () => data?.ok === true)
}
