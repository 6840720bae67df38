import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import type { LocalCheck } from './check-entries.ts'
import type { LocalState } from './local-state.ts'

/**
 * Interval between two searches for services that are critical for too long. Reference:
 * configuration.md#check-reap-interval.
 */
const reapIntervalMs = 30_000

/**
 * Deregisters a service if `isStillOverdue` holds when its turn has come: while it waited, as behind a slow disk, the
 * service may have been registered anew, or have recovered.
 */
type Deregister = (id: string, isStillOverdue: () => boolean) => Promise<unknown>

/** Deregisters services with a check that has been critical for too long, from its start until it is closed. */
export class OverdueReaper implements Closable {
  readonly #env: Env
  readonly #state: LocalState
  readonly #deregister: Deregister
  #timer: Closable | undefined

  constructor(env: Env, state: LocalState, deregister: Deregister) {
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
    const { clock, log } = this.#env
    const services = new Set(
      this.#state
        .localChecks()
        .filter((each) => isOverdue(each, clock.monoMs()))
        .map(serviceOf),
    )
    for (const service of services) {
      if (this.#state.service(service) === undefined) continue
      const isStillOverdue = (): boolean => {
        const check = this.#state.checksOf(service).find((each) => isOverdue(each, clock.monoMs()))
        if (check === undefined) return false
        const text = 'A service is deregistered: its check has been critical for too long'
        log.write('info', 'agent', text, { service, check: check.definition.checkId })
        return true
      }
      this.#env.detach(this.#deregister(service, isStillOverdue))
    }
  }
}

/** Whether a check of a service has been critical for longer than it allows. */
function isOverdue({ definition, criticalSinceMs }: LocalCheck, nowMs: number): boolean {
  const { serviceId, deregisterCriticalServiceAfterMs: afterMs } = definition
  return afterMs !== 0 && serviceId !== '' && criticalSinceMs !== undefined && nowMs - criticalSinceMs >= afterMs
}

/** The ID as the check gives it. */
function serviceOf({ definition }: LocalCheck): string {
  return definition.serviceId
}
