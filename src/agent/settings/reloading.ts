import type { AgentConfig } from './agent-config.ts'
import { withFilesOf } from './tls-settings.ts'

/**
 * What an agent runs with after a reload: of what was read again all that can change while it runs, and of the rest what it
 * was started with. Reference: configuration.md#reload.
 */
export function reloadedConfig(started: AgentConfig, next: AgentConfig): AgentConfig {
  const { services, checks, watches, nodeMeta, limits, logLevel } = next
  return {
    ...started,
    services,
    checks,
    watches,
    nodeMeta,
    limits,
    logLevel,
    checksConfig: { ...next.checksConfig, containerRuntime: started.checksConfig.containerRuntime },
    access: { ...started.access, tokens: { ...next.access.tokens, master: started.access.tokens.master } },
    telemetry: { ...started.telemetry, filter: next.telemetry.filter },
    tls: withFilesOf(started.tls, next.tls),
  }
}
