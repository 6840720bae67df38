import { compareText } from '../../base/bytes.ts'
import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import type { CheckDefinition, CheckProbe } from '../../model/catalog.ts'
import type { RegistrantRights } from '../access/running-access.ts'
import { AliasSight } from './alias-sight.ts'
import type { LocalCheck } from './check-entries.ts'
import { itemKey } from './entries.ts'
import type { LocalState } from './local-state.ts'
import { firstText, type Outcome } from './probes/outcome.ts'

export type AliasProbe = Extract<CheckProbe, { kind: 'alias' }>
type Report = (checkId: string, outcome: Outcome) => void

export interface Said {
  readonly name: string
  readonly status: string
  readonly output: string
  /** The token that registered the alias may not read this check: its name and output are withheld. */
  readonly hidden?: boolean
}

/** Shown in place of the output of an aliased check that the alias may not read. */
export const hiddenOutput = 'A check of the aliased service is failing, which the token of this check may not read.'

/** The worst status of the aliased checks. Reference: definitions.md#check-alias. */
export function aliasOutcome(checks: readonly Said[]): Outcome {
  const worst = firstOf(checks, 'critical') ?? firstOf(checks, 'warning')
  if (worst === undefined) {
    return { status: 'passing', output: checks.length === 0 ? 'No checks found.' : 'All checks passing.' }
  }
  const said = `Aliased check ${JSON.stringify(worst.name)} failing: ${worst.output}`
  const output = worst.hidden === true ? hiddenOutput : said
  return { status: worst.status === 'critical' ? 'critical' : 'warning', output: firstText(output) }
}

/** The first of the worst checks whose name may be shown, if there is one. */
function firstOf(checks: readonly Said[], wanted: string): Said | undefined {
  const those = checks.filter(({ status }) => status === wanted)
  return those.find(({ hidden }) => hidden !== true) ?? those[0]
}

/**
 * Alias checks of services of this agent. They are evaluated when a check of their service or of the node changes;
 * several changes within one turn cause one evaluation.
 *
 * Aliases may refer to each other. Each would see the other critical, as both are at their beginning, and stay critical
 * for ever. So the last status of an alias is never used: the evaluation looks once at the checks that the alias stands
 * for.
 */
export class LocalAliases {
  readonly #env: Env
  readonly #state: LocalState
  readonly #report: Report
  readonly #rights: RegistrantRights | undefined
  /** All three are keyed by `itemKey`. */
  readonly #followed = new Map<string, Followed>()
  readonly #byService = new Map<string, Set<string>>()
  readonly #due = new Set<string>()
  #timer: Closable | undefined

  /** `rights` is undefined where access control is off. */
  constructor(env: Env, state: LocalState, report: Report, rights?: RegistrantRights) {
    this.#rights = rights
    this.#env = env
    this.#state = state
    this.#report = report
  }

  follow(check: CheckDefinition, probe: AliasProbe): Closable {
    const key = itemKey(check.checkId)
    const service = itemKey(probe.service)
    const sight = new AliasSight(this.#env, this.#rights, check.token ?? '', () => {
      if (this.#followed.get(key)?.sight === sight) this.#look([key])
    })
    this.#followed.set(key, { checkId: check.checkId, probe, sight })
    const ofService = this.#byService.get(service) ?? new Set()
    this.#byService.set(service, ofService.add(key))
    this.#look([key])
    return {
      close: () => {
        this.#followed.delete(key)
        this.#due.delete(key)
        ofService.delete(key)
        if (ofService.size === 0) this.#byService.delete(service)
      },
    }
  }

  /** A check of this service, or of the node if it is empty, has changed. */
  changed(serviceId: string): void {
    if (this.#followed.size === 0) return
    const keys = serviceId === '' ? this.#followed.keys() : this.#byService.get(itemKey(serviceId))
    if (keys !== undefined) this.#look(keys)
  }

  stop(): void {
    this.#timer?.close()
    this.#timer = undefined
  }

  #look(keys: Iterable<string>): void {
    for (const key of keys) this.#due.add(key)
    this.#env.batches?.woken(this)
    this.#timer ??= this.#env.timers.after(0, () => {
      this.#timer = undefined
      this.#env.batches?.goesOn(this)
      this.#lookAtDue()
    })
  }

  #placeOf(serviceId: string): { readonly node: string; readonly serviceName: string } {
    return { node: this.#state.node.node, serviceName: this.#state.service(serviceId)?.facts.service ?? serviceId }
  }

  #lookAtDue(): void {
    const due = [...this.#due].sort(compareText)
    this.#due.clear()
    const checks = byService(this.#state.localChecks())
    for (const key of due) {
      const alias = this.#followed.get(key)
      if (alias === undefined) continue
      const sees = alias.sight.now()
      const isHidden = (serviceId: string): boolean => !sees(this.#placeOf(serviceId))
      this.#report(alias.checkId, outcomeOf({ checks, isHidden, seen: new Set([key]) }, alias.probe))
    }
  }
}

interface Followed {
  readonly checkId: string
  readonly probe: AliasProbe
  readonly sight: AliasSight
}

/**
 * Checks of a service or of the node, as far as an alias needs them: of those that are no aliases only the worst, so
 * that the cost of an alias does not grow with their number.
 */
interface Group {
  readonly checks: LocalCheck[]
  /** The first check of each status, without aliases. */
  readonly first: Set<string>
}

function byService(checks: readonly LocalCheck[]): ReadonlyMap<string, Group> {
  const found = new Map<string, Group>()
  for (const check of checks) {
    const service = itemKey(check.definition.serviceId)
    const group = found.get(service) ?? { checks: [], first: new Set() }
    found.set(service, group)
    const counts = isLocalAlias(check) || !group.first.has(check.status)
    if (!isLocalAlias(check)) group.first.add(check.status)
    if (counts) group.checks.push(check)
  }
  return found
}

function isLocalAlias({ definition: { probe } }: LocalCheck): boolean {
  return probe.kind === 'alias' && probe.node === ''
}

/** Depth to which aliases of aliases are followed: each level uses stack space. */
const depthMax = 64

interface Looking {
  readonly checks: ReadonlyMap<string, Group>
  /** Whether the registrant of the alias may not see checks of the service, or of the node if the service is empty. */
  isHidden(serviceId: string): boolean
  /** Aliases that were already followed. */
  readonly seen: Set<string>
}

/**
 * Each alias is followed once, so that the cost is bounded by the number of checks. Beyond the maximum depth, the last
 * status of an alias counts.
 */
function outcomeOf(looking: Looking, { service }: AliasProbe, depth = 0): Outcome {
  const { checks, seen } = looking
  const said: Said[] = []
  const ofService = service === '' ? undefined : checks.get(itemKey(service))
  for (const [serviceId, group] of [['', checks.get('')] as const, [service, ofService] as const]) {
    if (group === undefined) continue
    const hidden = looking.isHidden(serviceId)
    for (const { definition, status, output } of group.checks) {
      const { checkId, name, probe } = definition
      if (probe.kind !== 'alias' || probe.node !== '' || depth === depthMax) {
        said.push({ name, status, output, hidden })
        continue
      }
      if (seen.has(itemKey(checkId))) continue
      seen.add(itemKey(checkId))
      said.push({ name, ...outcomeOf(looking, probe, depth + 1), hidden })
    }
  }
  return aliasOutcome(said)
}
