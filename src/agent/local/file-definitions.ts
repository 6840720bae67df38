import { err, ok, type Result } from '../../base/result.ts'
import { type CheckDefinition, type OfferedService, runsProgram, type ServiceDefinition } from '../../model/catalog.ts'
import type { Failure } from '../../model/failure.ts'
import type { AgentConfig } from '../settings/agent-config.ts'
import { itemKey } from './entries.ts'
import { offeredBy } from './sidecars.ts'

/** What the configuration files define, by `itemKey`. */
export interface FileDefinitions {
  readonly services: ReadonlyMap<string, OfferedService>
  readonly checks: ReadonlyMap<string, CheckDefinition>
}

export const noDefinitions: FileDefinitions = { services: new Map(), checks: new Map() }

/** `taken` are services whose ports no other sidecar gets. Refused if no port is left for a sidecar. */
function fileDefinitions(
  config: AgentConfig,
  taken: readonly Pick<OfferedService, 'id' | 'port'>[],
): Result<FileDefinitions, string> {
  const defined = config.services.flatMap(({ service, sidecar }) => [service, ...(sidecar ? [sidecar.service] : [])])
  const ports = [...taken, ...defined.filter(({ port }) => port > 0)]
  const all: Pick<ServiceDefinition, 'service' | 'checks'>[] = []
  for (const definition of config.services) {
    const offered = offeredBy(definition, () => ports, config)
    if (!offered.ok) return err(`service ${JSON.stringify(definition.service.id)}: ${offered.error}`)
    all.push(...offered.value)
    ports.push(...offered.value.map(({ service }) => service))
  }
  const services = all.map(({ service }) => [itemKey(service.id), service] as const)
  const checks = [...all.flatMap((definition) => definition.checks), ...config.checks]
  return ok({
    services: new Map(services),
    checks: new Map(checks.map((check) => [itemKey(check.checkId), check])),
  })
}

/** As `fileDefinitions`, but refused if an agent with these other services cannot take the definitions. */
export function wantedDefinitions(
  config: AgentConfig,
  taken: readonly Pick<OfferedService, 'id' | 'port'>[],
  isOffered: (serviceId: string) => boolean,
): Result<FileDefinitions, string> {
  const wanted = fileDefinitions(config, taken)
  if (!wanted.ok) return wanted
  const problem = definitionsProblem(config, wanted.value, isOffered)
  return problem === undefined ? wanted : err(problem)
}

/** Why the definitions cannot be taken; undefined if they can. */
function definitionsProblem(
  config: AgentConfig,
  wanted: FileDefinitions,
  isOffered: (serviceId: string) => boolean,
): string | undefined {
  for (const check of wanted.checks.values()) {
    const named = `check ${JSON.stringify(check.checkId)}`
    if (check.serviceId !== '' && !wanted.services.has(itemKey(check.serviceId)) && !isOffered(check.serviceId)) {
      return `${named}: ServiceID ${JSON.stringify(check.serviceId)} does not exist`
    }
    if (runsProgram(check.probe) && !config.checksConfig.localScripts) {
      return (
        `${named}: Scripts are disabled on this agent; to enable, configure 'enable_script_checks' or ` +
        "'enable_local_script_checks' to true"
      )
    }
  }
  return undefined
}

/** Both come from the same reader, so that equal definitions have equal JSON. */
export function sameDefinition(a: OfferedService | CheckDefinition, b: OfferedService | CheckDefinition): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

/** Why a caller of the API may not register these checks; undefined if it may. */
export function scriptRefusal({ checksConfig }: AgentConfig, checks: readonly CheckDefinition[]): Failure | undefined {
  if (checksConfig.remoteScripts || !checks.some(({ probe }) => runsProgram(probe))) return undefined
  const remedy = "to enable, configure 'enable_script_checks' to true"
  return { kind: 'refused', message: `Scripts are disabled on this agent from remote calls; ${remedy}` }
}
