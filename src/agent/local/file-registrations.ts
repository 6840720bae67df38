import type { Log } from '../../env/observe.ts'
import { warnOfServiceNames } from './dns-names.ts'
import { itemKey } from './entries.ts'
import { type FileDefinitions, noDefinitions, sameDefinition } from './file-definitions.ts'
import type { Kept } from './keeping.ts'
import type { LocalChecks } from './local-checks.ts'
import type { LocalState } from './local-state.ts'

/**
 * Services and checks that configuration files define: taken at the start, and replaced in one step by a reload, which
 * leaves unchanged ones alone. They are never stored on disk.
 */
export class FileRegistrations {
  readonly #state: LocalState
  readonly #checks: LocalChecks
  #taken: FileDefinitions = noDefinitions

  constructor(state: LocalState, checks: LocalChecks) {
    this.#state = state
    this.#checks = checks
  }

  /** The first step of a start: other services may choose their ports afterwards. */
  takeServices({ services }: FileDefinitions, log: Log): void {
    for (const facts of services.values()) {
      warnOfServiceNames(log, facts)
      this.#state.putService(facts, 'file', false)
    }
  }

  /** The last step of a start: every service is here. `states` are the last reports of TTL checks. */
  takeChecks(wanted: FileDefinitions, states: Kept['states']): void {
    for (const check of wanted.checks.values()) this.#checks.begin(check, 'file', states.get(itemKey(check.checkId)))
    this.#taken = wanted
  }

  /** Applies a reload: unchanged, replaced and removed items. */
  replace(wanted: FileDefinitions): void {
    const before = this.#taken
    this.#taken = wanted
    for (const [id, facts] of wanted.services) {
      const old = this.#state.service(id)?.origin === 'file' ? before.services.get(id) : undefined
      if (old === undefined || !sameDefinition(old, facts)) this.#state.putService(facts, 'file', true)
    }
    for (const [id, check] of wanted.checks) {
      const old = this.#state.check(id)?.origin === 'file' ? before.checks.get(id) : undefined
      if (old === undefined || !sameDefinition(old, check)) this.#checks.begin(check, 'file')
    }
    for (const { definition, origin } of this.#state.localChecks()) {
      if (origin === 'file' && !wanted.checks.has(itemKey(definition.checkId))) this.#checks.end(definition.checkId)
    }
    for (const { id } of this.#state.services()) {
      const ours = this.#state.service(id)
      if (ours?.origin !== 'file' || wanted.services.has(itemKey(id))) continue
      this.#state.removeService(id)
      for (const { definition } of this.#state.checksOf(id)) this.#checks.end(definition.checkId)
    }
  }
}
