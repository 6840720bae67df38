import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import type { LocalState } from './local-state.ts'

/**
 * Interval between two searches for services that are critical for too long. Reference:
 * configuration.md#check-reap-interval.
 */
const reapIntervalMs = 30_000

/** Deregisters services with a check that has been critical for too long, from its start until it is closed. */
export class OverdueReaper implements Closable {
  readonly #env: Env
  readonly #state: LocalState
  readonly #deregister: (id: string) => Promise<unknown>
  #timer: Closable | undefined

  constructor(env: Env, state: LocalState, deregister: (id: string) => Promise<unknown>) {
    this.#env = env
    this.#state = state
    this.#deregister = deregister
  }

  start(): void {
    this.#timer = this.#env.timers.after(reapIntervalMs, () => {
      this.start()
      this.#reap()
    })
  }

  close(): void {
    this.#timer?.close()
  }

  #reap(): void {
    for (const { service, check } of overdueServices(this.#state, this.#env.clock.monoMs())) {
      const text = 'A service is deregistered: its check has been critical for too long'
      this.#env.log.write('info', 'agent', text, { service, check })
      this.#env.detach(this.#deregister(service))
    }
  }
}

/**
 * Services with a check that has been critical for longer than that check allows, each once; IDs as the check gives
 * them.
 */
function overdueServices(
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
