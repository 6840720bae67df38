import type { Result } from '../../base/result.ts'
import type { CheckDefinition, ServiceDefinition, ServiceFacts } from '../../model/catalog.ts'
import type { Failure } from '../../model/failure.ts'
import { itemKey } from './entries.ts'
import type { LocalState } from './local-state.ts'
import { managedCheckId } from './managed-proxies.ts'
import { usualCheckIds } from './sidecars.ts'

/** Maximum number of services, and of checks, of one agent. */
const itemsMax = 16_384

/** Counts services and checks, including those still being written to disk, because others arrive meanwhile. */
export class Places {
  readonly #state: LocalState
  readonly #taken = { services: 0, checks: 0 }

  constructor(state: LocalState) {
    this.#state = state
  }

  /** Runs the work that adds these items, unless they exceed the maximum. */
  async take(
    offered: readonly ServiceFacts[],
    checks: readonly CheckDefinition[],
    work: () => Promise<Result<undefined, Failure>>,
  ): Promise<Result<undefined, Failure>> {
    const services = offered.filter(({ id }) => this.#state.service(id) === undefined).length
    const added = checks.filter((check) => this.#state.check(check.checkId) === undefined).length
    const state = this.#state
    if (added > 0 && state.hasChecks(itemsMax - this.#taken.checks - added + 1)) return tooMany('checks')
    if (services > 0 && state.hasServices(itemsMax - this.#taken.services - services + 1)) return tooMany('services')
    this.#taken.services += services
    this.#taken.checks += added
    const done = await work()
    this.#taken.services -= services
    this.#taken.checks -= added
    return done
  }
}

function tooMany(what: string): { readonly ok: false; readonly error: Failure } {
  const message = `this agent has ${itemsMax} ${what} and takes no more`
  return { ok: false, error: { kind: 'refused', message } }
}

/** The things that a registration is about, for the queue: its service and each of its checks. */
export function thingsOf({ service, checks, sidecar }: ServiceDefinition): readonly string[] {
  const own = [serviceThing(service.id), ...checks.map(({ checkId }) => checkThing(checkId))]
  if (sidecar === undefined) return own
  const { id } = sidecar.service
  const usual = sidecar.service.managed === undefined ? usualCheckIds(id) : [managedCheckId(id)]
  const checkIds = sidecar.checks.length > 0 ? sidecar.checks.map(({ checkId }) => checkId) : usual
  // Registrations that may choose a port run one at a time.
  return [...own, 'ports of sidecars', serviceThing(id), ...checkIds.map(checkThing)]
}

/** A check needs its service, whose registration may be under way. */
export function thingsOfCheck({
  checkId,
  serviceId,
}: Pick<CheckDefinition, 'checkId' | 'serviceId'>): readonly string[] {
  return serviceId === '' ? [checkThing(checkId)] : [checkThing(checkId), serviceThing(serviceId)]
}

const serviceThing = (id: string): string => `service ${itemKey(id)}`
const checkThing = (id: string): string => `check ${itemKey(id)}`
