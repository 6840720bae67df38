import type { CheckDefinition, OfferedService } from '../../model/catalog.ts'
import { serviceMaintenancePrefix } from '../../model/catalog.ts'
import { itemKey } from './item-key.ts'
import type { LocalState } from './local-state.ts'

/** What becomes of checks of a service that its new definition does not name. */
export type OtherChecks = 'keep-others' | 'drop-others'

/**
 * The rule of `?replace-existing-checks`, apart from the agent that follows it, so that a test can put it every case (divergence 119).
 * IDs of the checks that go when services are registered with these and no others. A check of a file stays: the next reload would
 * bring it back. Maintenance stays: an operator ends it, not the program that registers the service.
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
