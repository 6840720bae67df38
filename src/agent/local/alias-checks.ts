import { compareText } from '../../base/bytes.ts'
import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import type { CheckDefinition, CheckProbe } from '../../model/catalog.ts'
import { failureText } from '../../model/failure.ts'
import { itemKey } from './item-key.ts'
import type { LocalCheck, LocalState } from './local-state.ts'
import type { CatalogClient } from './parts.ts'
import { critical, firstText, type Outcome } from './probes/outcome.ts'

export type AliasProbe = Extract<CheckProbe, { kind: 'alias' }>
type Report = (checkId: string, outcome: Outcome) => void

interface Said {
  readonly name: string
  readonly status: string
  readonly output: string
}

/** As bad as the worst of what it stands for. Reference: HTTP API 4.4. */
export function aliasOutcome(checks: readonly Said[]): Outcome {
  const worst = checks.find(({ status }) => status === 'critical') ?? checks.find(({ status }) => status === 'warning')
  if (worst === undefined) {
    return { status: 'passing', output: checks.length === 0 ? 'No checks found.' : 'All checks passing.' }
  }
  const output = `Aliased check ${JSON.stringify(worst.name)} failing: ${worst.output}`
  return { status: worst.status === 'critical' ? 'critical' : 'warning', output: firstText(output) }
}

/**
 * Alias checks of services of this agent. They are looked at when a check of their service, or of the node, has said
 * something else: many changes of one turn make one look.
 *
 * Aliases may stand for each other. Each would see the other critical, as both were at their beginning, and stay so for ever.
 * So an alias is not asked what it last said: what it stands for is looked at in its place, once.
 */
export class LocalAliases {
  readonly #env: Env
  readonly #state: LocalState
  readonly #report: Report
  /** All three by `itemKey`. */
  readonly #followed = new Map<string, CheckDefinition & { readonly probe: AliasProbe }>()
  readonly #byService = new Map<string, Set<string>>()
  readonly #due = new Set<string>()
  #timer: Closable | undefined

  constructor(env: Env, state: LocalState, report: Report) {
    this.#env = env
    this.#state = state
    this.#report = report
  }

  follow(check: CheckDefinition, probe: AliasProbe): Closable {
    const key = itemKey(check.checkId)
    const service = itemKey(probe.service)
    this.#followed.set(key, { ...check, probe })
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

  /** A check of this service, or of the node where it is empty, is another. */
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
    this.#timer ??= this.#env.timers.after(0, () => {
      this.#timer = undefined
      this.#lookAtDue()
    })
  }

  #lookAtDue(): void {
    const due = [...this.#due].sort(compareText)
    this.#due.clear()
    const checks = byService(this.#state.localChecks())
    for (const key of due) {
      const alias = this.#followed.get(key)
      if (alias === undefined) continue
      this.#report(alias.checkId, outcomeOf(checks, alias.probe, new Set([key])))
    }
  }
}

/**
 * Checks of a service, or of the node, as far as they count for who stands for it: of those that are no aliases only the worst
 * do, so that an alias takes no longer where there are many.
 */
interface Group {
  readonly checks: LocalCheck[]
  /** The first check of each status that is no alias. */
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

/** Of aliases that stand for aliases, so many are looked through: each takes a place on the stack. */
const depthMax = 64

/**
 * `seen`: those that are not looked at again. Each is looked at once, so that the whole takes no longer than there are checks.
 * An alias that is too deep counts as what it last said.
 */
function outcomeOf(checks: ReadonlyMap<string, Group>, { service }: AliasProbe, seen: Set<string>, depth = 0): Outcome {
  const said: Said[] = []
  const ofService = service === '' ? undefined : checks.get(itemKey(service))
  const those = [...(checks.get('')?.checks ?? []), ...(ofService?.checks ?? [])]
  for (const { definition, status, output } of those) {
    const { checkId, name, probe } = definition
    if (probe.kind !== 'alias' || probe.node !== '' || depth === depthMax) {
      said.push({ name, status, output })
      continue
    }
    if (seen.has(itemKey(checkId))) continue
    seen.add(itemKey(checkId))
    said.push({ name, ...outcomeOf(checks, probe, seen, depth + 1) })
  }
  return aliasOutcome(said)
}

/** A node whose checks change all the time is read no more often than this, after a few: each read costs a server. */
const restMs = 250
const soonMax = 8
/** A read that fails is tried again after a second, then after twice that, and so on. */
const pauseMs = 1_000
const pauseMaxMs = 60_000
/** One failure alone is a server that goes while another comes. */
const failuresBeforeCritical = 2

interface RemoteAliasParts {
  readonly env: Env
  readonly catalog: CatalogClient
  /** The name of this agent's own node. */
  readonly ownNode: () => string
  readonly report: Report
}

/** An alias of what is on a node by the catalog's word: it is read again whenever the checks of that node change. */
export class RemoteAlias implements Closable {
  readonly #parts: RemoteAliasParts
  readonly #checkId: string
  readonly #probe: AliasProbe
  #closed = false
  #abandon: () => void = () => undefined

  constructor(parts: RemoteAliasParts, checkId: string, probe: AliasProbe) {
    this.#parts = parts
    this.#checkId = checkId
    this.#probe = probe
    parts.env.detach(this.#follow())
  }

  close(): void {
    this.#closed = true
    this.#abandon()
  }

  async #follow(): Promise<void> {
    const { env, catalog, report } = this.#parts
    let index = 0
    let failures = 0
    let soon = 0
    let answeredMs = Number.NEGATIVE_INFINITY
    while (!this.#closed) {
      const found = await catalog.checksOn(this.#probe.node, index, (use) => {
        this.#abandon = use
      })
      if (this.#closed) return
      if (found.ok) {
        // An index that went back is that of another cluster's life: what is there now is asked for without waiting.
        index = found.value.index < index ? 0 : found.value.index
        failures = 0
        report(this.#checkId, this.#outcome(found.value.checks))
        const nowMs = env.clock.monoMs()
        soon = nowMs - answeredMs < 2 * restMs ? soon + 1 : 0
        answeredMs = nowMs
        if (soon > soonMax) await this.#rest(restMs)
        continue
      }
      failures++
      if (failures >= failuresBeforeCritical) {
        const reason = failureText(found.error)
        report(this.#checkId, critical(`Failure checking aliased node or service: ${reason}`))
      }
      await this.#pause(failures)
    }
  }

  #outcome(checks: readonly (Said & { readonly checkId: string; readonly serviceId: string })[]): Outcome {
    const { node, service } = this.#probe
    const isOwn = itemKey(node) === itemKey(this.#parts.ownNode())
    const counts = checks.filter(({ checkId, serviceId }) => {
      if (isOwn && itemKey(checkId) === itemKey(this.#checkId)) return false
      return serviceId === '' || itemKey(serviceId) === itemKey(service)
    })
    return aliasOutcome(counts)
  }

  #pause(failures: number): Promise<void> {
    let delayMs = pauseMs
    for (let doubled = 1; doubled < failures && delayMs < pauseMaxMs; doubled++) delayMs *= 2
    return this.#rest(Math.min(delayMs, pauseMaxMs))
  }

  #rest(forMs: number): Promise<void> {
    const { env } = this.#parts
    const deferred = env.deferred<void>()
    const timer = env.timers.after(forMs, () => deferred.resolve())
    this.#abandon = () => {
      timer.close()
      deferred.resolve()
    }
    return deferred.promise
  }
}
