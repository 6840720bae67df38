import { type CheckDefinition, type OfferedService, runsProgram } from '../../model/catalog.ts'
import type { AgentConfig } from '../agent-config.ts'
import { itemKey } from './item-key.ts'

/** What the configuration files define, by `itemKey`. */
export interface FileDefinitions {
  readonly services: ReadonlyMap<string, OfferedService>
  readonly checks: ReadonlyMap<string, CheckDefinition>
}

export const noDefinitions: FileDefinitions = { services: new Map(), checks: new Map() }

export function fileDefinitions(config: AgentConfig): FileDefinitions {
  const services = config.services.map(({ service }) => [itemKey(service.id), service] as const)
  const checks = [...config.services.flatMap((definition) => definition.checks), ...config.checks]
  return { services: new Map(services), checks: new Map(checks.map((check) => [itemKey(check.checkId), check])) }
}

/** Why these cannot be taken up by an agent that has those services besides; undefined where they can. */
export function definitionsProblem(
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

/** Both come from the same reader, so that equal ones are written alike. */
export function sameDefinition(a: OfferedService | CheckDefinition, b: OfferedService | CheckDefinition): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
