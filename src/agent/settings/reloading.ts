import type { AgentConfig } from './agent-config.ts'
import { withFilesOf } from './tls-settings.ts'

/**
 * The settings of an agent after a reload: new values of everything that may change at run time, and for the rest those
 * of its start. Reference: configuration.md#reload.
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
