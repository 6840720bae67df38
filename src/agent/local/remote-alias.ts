import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import type { CheckDefinition, CheckFacts } from '../../model/catalog.ts'
import { failureText } from '../../model/failure.ts'
import { noChange } from '../../model/log-position.ts'
import type { RegistrantRights } from '../access/running-access.ts'
import { type AliasProbe, aliasOutcome } from './alias-checks.ts'
import { AliasSight } from './alias-sight.ts'
import { itemKey } from './entries.ts'
import type { CatalogClient } from './parts.ts'
import { critical, type Outcome } from './probes/outcome.ts'

/**
 * Minimum interval between reads of a node whose checks change all the time, after the first few: each read costs a
 * server.
 */
const restMs = 250
const soonMax = 8
/** Pause before a failed read is retried, doubled with each further failure. */
const pauseMs = 1_000
const pauseMaxMs = 60_000
/** A single failure may only be a change of servers. */
const failuresBeforeCritical = 2

interface RemoteAliasParts {
  readonly env: Env
  readonly catalog: CatalogClient
  /** The name of this agent's own node. */
  readonly ownNode: () => string
  readonly report: (checkId: string, outcome: Outcome) => void
  /** Undefined where access control is off. */
  readonly rights?: RegistrantRights | undefined
}

/**
 * An alias of checks on another node, by the catalog's data: reads them again whenever the checks of that node change.
 */
export class RemoteAlias implements Closable {
  readonly #parts: RemoteAliasParts
  readonly #checkId: string
  readonly #probe: AliasProbe
  readonly #sight: AliasSight
  /** The checks as the catalog has them. */
  #found: readonly CheckFacts[] = []
  /** They cannot be read any more. */
  #isCutOff = false
  #closed = false
  #abandon: () => void = () => undefined

  constructor(parts: RemoteAliasParts, { checkId, token = '' }: CheckDefinition, probe: AliasProbe) {
    this.#parts = parts
    this.#checkId = checkId
    this.#sight = new AliasSight(parts.env, parts.rights, token, () => this.#tellAgain())
    this.#probe = probe
    parts.env.detach(this.#follow())
  }

  close(): void {
    this.#closed = true
    this.#abandon()
  }

  async #follow(): Promise<void> {
    const { env, catalog, report } = this.#parts
    let index = noChange
    let failures = 0
    let soon = 0
    let answeredMs = Number.NEGATIVE_INFINITY
    while (!this.#closed) {
      const found = await catalog.checksOn(this.#probe.node, index, (use) => {
        this.#abandon = use
      })
      if (this.#closed) return
      if (found.ok) {
        // An index that went back belongs to a new life of the cluster: read the present state without waiting.
        index = found.value.index < index ? noChange : found.value.index
        failures = 0
        this.#isCutOff = false
        this.#found = found.value.checks
        this.#tell()
        const nowMs = env.clock.monoMs()
        soon = nowMs - answeredMs < 2 * restMs ? soon + 1 : 0
        answeredMs = nowMs
        if (soon > soonMax) await this.#rest(restMs)
        continue
      }
      failures++
      // The next read says at once what there is: it must not wait for a change to end the doubt.
      index = noChange
      if (failures >= failuresBeforeCritical) {
        this.#isCutOff = true
        const reason = failureText(found.error)
        report(this.#checkId, critical(`Failure checking aliased node or service: ${reason}`))
      }
      await this.#pause(failures)
    }
  }

  /** Rights have changed. They say nothing new of checks that cannot be read. */
  #tellAgain(): void {
    if (!this.#isCutOff) this.#tell()
  }

  #tell(): void {
    if (!this.#closed) this.#parts.report(this.#checkId, this.#outcome())
  }

  #outcome(): Outcome {
    const { node, service } = this.#probe
    const isOwn = itemKey(node) === itemKey(this.#parts.ownNode())
    const sees = this.#sight.now()
    const counts = this.#found.filter(({ checkId, serviceId }) => {
      if (isOwn && itemKey(checkId) === itemKey(this.#checkId)) return false
      return serviceId === '' || itemKey(serviceId) === itemKey(service)
    })
    return aliasOutcome(counts.map((check) => ({ ...check, hidden: !sees(check) })))
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
