import type { CheckDefinition, OfferedService } from '../../model/catalog.ts'
import { serviceMaintenancePrefix } from '../../model/catalog.ts'
import { itemKey } from './entries.ts'
import type { LocalState } from './local-state.ts'

/** What becomes of a service's checks that its new definition does not name. */
export type OtherChecks = 'keep-others' | 'drop-others'

/**
 * The rule of `?replace-existing-checks`, separate from the agent so that a test can cover every case (divergence 119).
 * Returns the IDs of the checks that are removed when services are registered with these checks and no others. A check
 * of a file stays, because the next reload would restore it. Maintenance stays, because an operator ends it, not the
 * program that registers the service.
 */
export function unnamedChecks(
  state: LocalState,
  services: readonly OfferedService[],
  checks: readonly CheckDefinition[],
): readonly string[] {
  const named = new Set(checks.map(({ checkId }) => itemKey(checkId)))
  return services
    .flatMap(({ id }) => state.checksOf(id))
    .filter(({ origin, definition: { checkId } }) => {
      return origin === 'api' && !named.has(itemKey(checkId)) && !checkId.startsWith(serviceMaintenancePrefix)
    })
    .map(({ definition }) => definition.checkId)
}
