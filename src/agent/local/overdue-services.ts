import type { LocalState } from './local-state.ts'

/** Services with a check that has been critical for as long as that check bears, each once; IDs as the check gives them. */
export function overdueServices(
  state: LocalState,
  nowMs: number,
): readonly { readonly service: string; readonly check: string }[] {
  const overdue = new Map<string, string>()
  for (const { definition, criticalSinceMs } of state.localChecks()) {
    const { serviceId, checkId, deregisterCriticalServiceAfterMs: afterMs } = definition
    if (afterMs === 0 || serviceId === '' || criticalSinceMs === undefined || nowMs - criticalSinceMs < afterMs)
      continue
    if (state.service(serviceId) !== undefined && !overdue.has(serviceId)) overdue.set(serviceId, checkId)
  }
  return [...overdue].map(([service, check]) => ({ service, check }))
}
