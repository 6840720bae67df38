import type { Authorizer } from '../../access/authorizer.ts'
import { type Comparing, type Difference, reportOnly } from '../../access/rehearsal.ts'
import { Tally } from '../../access/tally.ts'
import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'

/** Delay from the first report until the collected reports are logged. */
const writtenAfterMs = 10_000

/** Collects what would happen with other settings: counts each case, and logs them from time to time. */
class Report {
  readonly #env: Env
  readonly #metric: string
  readonly #text: string
  readonly #tally = new Tally()
  #timer: Closable | undefined

  constructor(env: Env, metric: string, text: string) {
    this.#env = env
    this.#metric = metric
    this.#text = text
  }

  stop(): void {
    this.#timer?.close()
    this.#write()
  }

  add(note: (tally: Tally) => void): void {
    this.#env.metrics.count(this.#metric)
    note(this.#tally)
    this.#timer ??= this.#env.timers.after(writtenAfterMs, () => this.#write())
  }

  #write(): void {
    this.#timer = undefined
    const { counts, others } = this.#tally.take()
    const { log } = this.#env
    for (const { accessor, resource, right, name, why, times } of counts) {
      log.write('info', 'acl', this.#text, { accessor, resource, right, name, why, times })
    }
    if (others > 0)
      log.write('info', 'acl', `${this.#text}: further requests, counted without their details`, { times: others })
  }
}

/** With `acl.report_only`: a request that would be refused is allowed, and reported. */
export class RefusalReport {
  readonly #report: Report

  constructor(env: Env) {
    this.#report = new Report(env, 'acl.would-deny', 'would be refused')
  }

  stop(): void {
    this.#report.stop()
  }

  /** Tokens and policies themselves stay protected: a caller that could create a token could create one for later. */
  dress(authorizer: Authorizer): Authorizer {
    const reporting = reportOnly(authorizer, (refusal) => this.#report.add((tally) => tally.refused(refusal)))
    return {
      accessor: reporting.accessor,
      get unrestricted() {
        return reporting.unrestricted
      },
      allows: (resource, name, right) => (resource === 'acl' ? authorizer : reporting).allows(resource, name, right),
      readsAll: (resource) => reporting.readsAll(resource),
      writesTree: (prefix) => reporting.writesTree(prefix),
      explain: (resource, name, right) => (resource === 'acl' ? authorizer : reporting).explain(resource, name, right),
    }
  }
}

/**
 * Reports, while a datacenter migrates to tokens with policies, where the rules of a legacy token decide differently
 * from their translation into the new grammar. The legacy rules are enforced.
 */
export class DifferenceReport implements Comparing {
  readonly #report: Report
  readonly isOn: () => boolean

  constructor(env: Env, isOn: () => boolean) {
    this.#report = new Report(env, 'acl.would-differ', 'translated rules would decide otherwise')
    this.isOn = isOn
  }

  stop(): void {
    this.#report.stop()
  }

  differs(difference: Difference): void {
    this.#report.add((tally) => tally.differed(difference))
  }
}
