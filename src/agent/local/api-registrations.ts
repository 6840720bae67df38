import { done, err, type Result } from '../../base/result.ts'
import type { Env } from '../../env/env.ts'
import { type CheckDefinition, type OfferedService, runsProgram, type ServiceDefinition } from '../../model/catalog.ts'
import type { Failure } from '../../model/failure.ts'
import type { AgentConfig } from '../settings/agent-config.ts'
import { warnOfServiceNames } from './dns-names.ts'
import { itemKey } from './entries.ts'
import { type FileDefinitions, scriptRefusal } from './file-definitions.ts'
import { type Keeping, type Kept, restored } from './keeping.ts'
import { withoutCheck, withoutService } from './kept-schema.ts'
import type { LocalChecks } from './local-checks.ts'
import type { LocalState } from './local-state.ts'
import { managedRefusal } from './managed-proxies.ts'
import { Places } from './places.ts'
import { offeredBy } from './sidecars.ts'
import { type OtherChecks, unnamedChecks } from './unnamed-checks.ts'

interface ApiRegistrationParts {
  readonly env: Env
  readonly state: LocalState
  readonly keeping: Keeping
  readonly checks: LocalChecks
  /** The configuration as of now. */
  config(): AgentConfig
}

/**
 * Services and checks that come over the API. A change is judged, then stored on disk, and only then taken into the
 * state; if it is refused, nothing has changed. Changes of one item must not run concurrently.
 */
export class ApiRegistrations {
  readonly #env: Env
  readonly #state: LocalState
  readonly #keeping: Keeping
  readonly #checks: LocalChecks
  readonly #places: Places
  readonly #config: () => AgentConfig
  /** Stored checks that do not run here, by `itemKey`: they go as the others do, or they would come back one day. */
  readonly #leftOut = new Map<string, CheckDefinition>()

  constructor({ env, state, keeping, checks, config }: ApiRegistrationParts) {
    this.#env = env
    this.#state = state
    this.#keeping = keeping
    this.#checks = checks
    this.#places = new Places(state)
    this.#config = config
  }

  /** Takes what an earlier process stored, as far as it is still valid and no file of `wanted` defines it. */
  restore(kept: Kept, wanted: FileDefinitions): Promise<Result<undefined, Failure>> {
    const { services, checks, changes, leftOut } = restored(kept, wanted, this.#config())
    for (const facts of services) this.#state.putService(facts, 'api', false)
    for (const check of checks) this.#checks.begin(check, 'api', kept.states.get(itemKey(check.checkId)))
    for (const check of leftOut) this.#leaveOut(check)
    return this.#keeping.change(changes)
  }

  #leaveOut(check: CheckDefinition): void {
    this.#leftOut.set(itemKey(check.checkId), check)
    const text = 'a check that came over the API is left out: scripts are disabled on this agent'
    this.#env.log.write('warn', 'agent', text, { check: check.checkId })
  }

  /** A reload may have allowed scripts or forbidden them: what came over the API follows, as it would at a start. */
  followScripts(): void {
    if (!this.#config().checksConfig.remoteScripts) {
      for (const { definition, origin } of this.#state.localChecks()) {
        if (origin !== 'api' || !runsProgram(definition.probe)) continue
        this.#leaveOut(definition)
        this.#checks.end(definition.checkId)
      }
      return
    }
    for (const check of this.#leftOut.values()) {
      const isOfService = check.serviceId === '' || this.#state.service(check.serviceId) !== undefined
      if (isOfService && this.#state.check(check.checkId) === undefined) this.#begin(check)
    }
  }

  async takeService(definition: ServiceDefinition, others: OtherChecks): Promise<Result<undefined, Failure>> {
    const config = this.#config()
    const forbidden = managedRefusal(definition, config.managedProxies)
    if (forbidden !== undefined) return err(forbidden)
    const offered = offeredBy(definition, () => this.#state.services(), config)
    if (!offered.ok) return err({ kind: 'bad-request', message: offered.error })
    const services = offered.value.map(({ service }) => service)
    const checks = offered.value.flatMap((each) => each.checks)
    const refusal = scriptRefusal(config, checks)
    if (refusal !== undefined) return err(refusal)
    return this.#places.take(services, checks, async () => {
      const dropped = others === 'keep-others' ? [] : unnamedChecks(this.#state, services, checks)
      const put = await this.#keepAndPut(services, checks, dropped)
      if (put.ok) for (const checkId of dropped) await this.#checks.dropReport(checkId)
      return put
    })
  }

  async #keepAndPut(
    services: readonly OfferedService[],
    checks: readonly CheckDefinition[],
    dropped: readonly string[],
  ): Promise<Result<undefined, Failure>> {
    const put = [...checks.map((check) => ({ check })), ...services.map((service) => ({ service }))]
    const kept = await this.#keeping.change([...dropped.map(withoutCheck), ...put])
    if (!kept.ok) return kept
    for (const checkId of dropped) this.#checks.end(checkId)
    for (const service of services) {
      warnOfServiceNames(this.#env.log, service)
      this.#state.putService(service, 'api', true)
    }
    for (const check of checks) this.#begin(check)
    return done
  }

  #begin(check: CheckDefinition): void {
    this.#leftOut.delete(itemKey(check.checkId))
    this.#checks.begin(check, 'api')
  }

  async takeCheck(check: CheckDefinition): Promise<Result<undefined, Failure>> {
    if (check.serviceId !== '' && this.#state.service(check.serviceId) === undefined) {
      const message = `ServiceID ${JSON.stringify(check.serviceId)} does not exist`
      return err({ kind: 'bad-request', message })
    }
    const refusal = scriptRefusal(this.#config(), [check])
    if (refusal !== undefined) return err(refusal)
    return this.#places.take([], [check], async () => {
      const kept = await this.#keeping.change([{ check }])
      if (!kept.ok) return kept
      this.#begin(check)
      return done
    })
  }

  async dropService(id: string): Promise<Result<undefined, Failure>> {
    const service = this.#state.service(id)
    if (service === undefined) return done
    const ids = [id, ...this.#state.sidecarsOf(id)]
    const checks = ids.flatMap((each) => this.#state.checksOf(each)).map(({ definition }) => definition.checkId)
    const leftOut = [...this.#leftOut].filter(([, { serviceId }]) =>
      ids.some((each) => itemKey(each) === itemKey(serviceId)),
    )
    const gone = [...checks, ...leftOut.map(([key]) => key)]
    const dropped = await this.#keeping.change([...ids.map(withoutService), ...gone.map(withoutCheck)])
    if (!dropped.ok) return dropped
    for (const [key] of leftOut) this.#leftOut.delete(key)
    for (const each of ids) this.#state.removeService(each)
    for (const checkId of checks) this.#checks.end(checkId)
    for (const checkId of checks) await this.#checks.dropReport(checkId)
    return done
  }

  async dropCheck(checkId: string): Promise<Result<undefined, Failure>> {
    if (this.#state.check(checkId) === undefined && !this.#leftOut.has(itemKey(checkId))) return done
    const dropped = await this.#keeping.change([withoutCheck(checkId)])
    if (!dropped.ok) return dropped
    this.#leftOut.delete(itemKey(checkId))
    this.#checks.end(checkId)
    await this.#checks.dropReport(checkId)
    return done
  }

  /**
   * A file now defines these items that came over the API: the file's definition wins. Others end with the service of a
   * file that is no longer defined.
   */
  async forgetReplaced(wanted: FileDefinitions): Promise<Result<undefined, Failure>> {
    const services = [...wanted.services.keys()].filter((id) => this.#state.service(id)?.origin === 'api')
    const isOurs = (id: string): boolean => this.#state.check(id)?.origin === 'api' || this.#leftOut.has(id)
    const replaced = [...wanted.checks.keys()].filter(isOurs)
    const checks = [...replaced, ...this.#orphanedBy(wanted)]
    const kept = await this.#keeping.change([...services.map(withoutService), ...checks.map(withoutCheck)])
    if (!kept.ok) return kept
    for (const id of checks) this.#leftOut.delete(itemKey(id))
    for (const id of checks) await this.#checks.dropReport(id)
    return kept
  }

  /** Checks that came over the API for a service of a file that no file defines any more: they end with it. */
  #orphanedBy(wanted: FileDefinitions): readonly string[] {
    const ends = (serviceId: string): boolean =>
      this.#state.service(serviceId)?.origin === 'file' && !wanted.services.has(itemKey(serviceId))
    const running = this.#state.localChecks().filter(({ origin }) => origin === 'api')
    const known = [...running.map(({ definition }) => definition), ...this.#leftOut.values()]
    return known.filter(({ serviceId }) => serviceId !== '' && ends(serviceId)).map(({ checkId }) => checkId)
  }
}
