import type { Result } from '../../base/result.ts'
import type { CheckDefinition, ServiceDefinition, ServiceFacts } from '../../model/catalog.ts'
import type { Failure } from '../../model/failure.ts'
import { itemKey } from './item-key.ts'
import type { LocalState } from './local-state.ts'

/** Services, and checks, that one agent holds at most. */
const itemsMax = 16_384

/** How many services and checks there may be, those counted that are still being kept: others come in meanwhile. */
export class Places {
  readonly #state: LocalState
  readonly #taken = { services: 0, checks: 0 }

  constructor(state: LocalState) {
    this.#state = state
  }

  /** Does the work, by which these come in, unless there is no place for them. */
  async take(
    service: ServiceFacts | undefined,
    checks: readonly CheckDefinition[],
    work: () => Promise<Result<undefined, Failure>>,
  ): Promise<Result<undefined, Failure>> {
    const services = service === undefined || this.#state.service(service.id) !== undefined ? 0 : 1
    const added = checks.filter((check) => this.#state.check(check.checkId) === undefined).length
    const state = this.#state
    if (added > 0 && state.hasChecks(itemsMax - this.#taken.checks - added + 1)) return tooMany('checks')
    if (services > 0 && state.hasServices(itemsMax - this.#taken.services)) return tooMany('services')
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

/** What a registration is about, for its turn: services and checks, each by itself. */
export function thingsOf({ service, checks }: ServiceDefinition): readonly string[] {
  return [serviceThing(service.id), ...checks.map(({ checkId }) => checkThing(checkId))]
}

/** A check needs its service, which may be coming in. */
export function thingsOfCheck({
  checkId,
  serviceId,
}: Pick<CheckDefinition, 'checkId' | 'serviceId'>): readonly string[] {
  return serviceId === '' ? [checkThing(checkId)] : [checkThing(checkId), serviceThing(serviceId)]
}

const serviceThing = (id: string): string => `service ${itemKey(id)}`
const checkThing = (id: string): string => `check ${itemKey(id)}`
