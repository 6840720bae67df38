import { type CheckDefinition, type OfferedService, runsProgram } from '../../model/catalog.ts'
import type { AgentConfig } from '../settings/agent-config.ts'
import type { FileDefinitions } from './file-definitions.ts'
import { itemKey } from './item-key.ts'
import type { Kept } from './keeping.ts'
import { type KeptChange, withoutCheck, withoutService } from './kept-schema.ts'

/** What becomes of the definitions that an agent has stored on disk. */
export interface Restored {
  readonly services: readonly OfferedService[]
  readonly checks: readonly CheckDefinition[]
  /** Definitions to remove from the disk. */
  readonly changes: readonly KeptChange[]
  /** Definitions that stay on disk, and do not run for now. */
  readonly leftOut: readonly string[]
}

/** Stored definitions are restored, unless a file defines them or they are no longer valid. */
export function restored(kept: Kept, wanted: FileDefinitions, config: AgentConfig): Restored {
  const mayCome = ({ id, managed }: OfferedService): boolean =>
    !wanted.services.has(itemKey(id)) && (managed === undefined || config.managedProxies.viaApi)
  const services = kept.services.filter(mayCome)
  const there = new Set([...wanted.services.keys(), ...services.map(({ id }) => itemKey(id))])
  const known = kept.checks.filter(
    ({ checkId, serviceId }) =>
      !wanted.checks.has(itemKey(checkId)) && (serviceId === '' || there.has(itemKey(serviceId))),
  )
  const runs = ({ probe }: CheckDefinition): boolean => !runsProgram(probe) || config.checksConfig.remoteScripts
  return {
    services,
    checks: known.filter(runs),
    changes: [
      ...kept.services.filter((service) => !mayCome(service)).map(({ id }) => withoutService(id)),
      ...kept.checks.filter((check) => !known.includes(check)).map(({ checkId }) => withoutCheck(checkId)),
    ],
    leftOut: known.filter((check) => !runs(check)).map(({ checkId }) => checkId),
  }
}
